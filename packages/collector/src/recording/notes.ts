// Records from the game: marks, spans, counters and assets. Invalid values are ignored and counted as lost.
import { ASSET_KINDS, ASSET_PHASES, LATEST_T_MS, roundMs } from '@svc/trace/write';
import type { AssetNote } from '../api.ts';
import type { Asset, AssetFacts } from '../assets/assets.ts';
import { nameOf } from '../assets/names.ts';
import { now } from '../sink/clock.ts';
import type { Recording } from './recording.ts';

export function noteMark({ sink }: Recording, name: unknown): void {
  sink.write({ type: 'mark', t: sink.now(), name: nameOf(name, 'mark') });
}

export function noteCounter(
  { sink }: Recording,
  name: unknown,
  value: unknown,
  unit: unknown,
): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) sink.lost++;
  else sink.count(nameOf(name, 'counter'), nameOf(unit, 'count'), value);
}

/** Records an interval from a time of the page's clock until now. */
export function noteSpan({ sink }: Recording, name: unknown, track: unknown, from: number): void {
  const t = sink.since(from);
  const duration_ms = roundMs(Math.max(0, now() - Math.max(from, sink.origin)));
  sink.write({
    type: 'span',
    t,
    duration_ms,
    name: nameOf(name, 'span'),
    ...(track !== undefined && { track: nameOf(track, 'main') }),
  });
}

/** Records facts about an asset. `target` is a browser object that belongs to it, its URL, or a key of the game. */
export function noteAsset(recording: Recording, target: unknown, note: AssetNote): void {
  const kind = ASSET_KINDS.find((one) => one === note.kind);
  const asset = assetOf(recording, target, note, kind);
  if (asset === undefined) {
    recording.sink.lost++;
    return;
  }
  if (kind !== undefined) asset.kind = kind;
  if (note.name !== undefined) asset.name = nameOf(note.name, asset.name);
  if (asset.standing === 'numbered') asset.standing = 'known';
  const phase = ASSET_PHASES.find((one) => one === note.phase) ?? 'named';
  const duration = time(note.durationMs);
  recording.assets.record(asset, phase, now() - (duration ?? 0), factsOf(note, duration));
}

function assetOf(
  { assets, objects }: Recording,
  target: unknown,
  { name, url }: AssetNote,
  kind: Asset['kind'] = 'other',
): Asset | undefined {
  if (typeof target === 'string') return assets.ofAddress(target, kind);
  if (typeof target !== 'object' || target === null) return undefined;
  const loaded = typeof url === 'string' ? assets.ofAddress(url, kind, true) : undefined;
  const known = loaded ?? objects?.assetOf(target) ?? assets.of(target, kind);
  if (known !== undefined && known !== loaded) return known;
  if (loaded === undefined && typeof name !== 'string') return undefined;
  const made = loaded ?? assets.ofName(String(name), kind);
  assets.tie(wholeOf(target), made);
  objects?.give(target, made);
  return made;
}

/** The buffer of an array that covers all of it, so that other views of it belong to the asset too; otherwise the object. */
function wholeOf(target: object): object {
  return ArrayBuffer.isView(target) && target.byteLength === target.buffer.byteLength
    ? target.buffer
    : target;
}

function factsOf(note: AssetNote, duration: number | undefined): AssetFacts {
  const main = time(note.mainThreadMs);
  const bytes = size(note.bytes);
  const encoded = size(note.encodedBytes);
  return {
    ...(duration !== undefined && { duration_ms: duration }),
    ...(main !== undefined && { main_thread_ms: main }),
    ...(bytes !== undefined && { bytes }),
    ...(encoded !== undefined && { encoded_bytes: encoded }),
  };
}

function time(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= LATEST_T_MS
    ? roundMs(value)
    : undefined;
}

function size(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value) ? value : undefined;
}
