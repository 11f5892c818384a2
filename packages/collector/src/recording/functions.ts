// The collector's functions but start. Each is safe to call anywhere, at any time: none throws, none writes to the console,
// none opens a connection. One recording runs at a time.

import type { AssetNote, Span, Status } from '../api.ts';
import { now } from '../sink/clock.ts';
import { quietly } from '../sink/sink.ts';
import { active, end, latest, statusNow } from './active.ts';
import { noteAsset, noteCounter, noteMark, noteSpan } from './notes.ts';

const TRACE_TYPE = 'application/x-ndjson';
const FILE_NAME = 'game.vpt';
const URL_LIVES_MS = 60_000;

/** Ends the recording and puts everything in the page back. The trace stays until the next start. */
export function stop(): void {
  quietly(end);
}

/** What the collector is doing, what it holds, and what this browser does not let it record. */
export function status(): Status {
  return statusNow();
}

/** The trace as a `.vpt` file: of the running recording so far, or of the last one. Empty where there was none. */
function exportBlob(): Blob {
  return new Blob(traceParts(), { type: TRACE_TYPE });
}

export { exportBlob as export };

/** The trace as text; empty where there was none. */
export function exportText(): string {
  const decoder = new TextDecoder();
  return traceParts()
    .map((part) => (typeof part === 'string' ? part : decoder.decode(part)))
    .join('');
}

/** Hands the trace to the browser as a download. Does nothing where there is no document, or no trace. */
export function download(fileName = FILE_NAME): void {
  quietly(() => {
    if (latest() === null) return;
    const url = URL.createObjectURL(exportBlob());
    const link = document.createElement('a');
    link.href = url;
    link.download = typeof fileName === 'string' && fileName !== '' ? fileName : FILE_NAME;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), URL_LIVES_MS);
  });
}

/** Notes a moment: "level 3". */
export function mark(name: string): void {
  const recording = active();
  if (recording !== null) quietly(() => noteMark(recording, name));
}

/** Notes a stretch of time from now until `end()`: `const loading = span('load level'); …; loading.end()`. */
export function span(name: string, track?: string): Span {
  const from = now();
  let open = true;
  const finish = () => {
    const recording = open ? active() : null;
    open = false;
    if (recording !== null) quietly(() => noteSpan(recording, name, track, from));
  };
  return Object.assign({ end: finish }, { [Symbol.dispose ?? 'dispose']: finish });
}

/** Notes a value at this time: `counter('enemies', 41)`. */
export function counter(name: string, value: number, unit = 'count'): void {
  const recording = active();
  if (recording !== null) quietly(() => noteCounter(recording, name, value, unit));
}

/**
 * Says whose something is, or what happened to it. `target` is a URL or key of the game's own, or an object that belongs
 * to the asset: an image, a bitmap, an array the game uploads, a WebGL or WebGPU texture or buffer, an `AudioBuffer`.
 */
export function asset(target: string | object, note: AssetNote = {}): void {
  const recording = active();
  if (recording !== null) quietly(() => noteAsset(recording, target, note ?? {}));
}

function traceParts(): (string | Uint8Array<ArrayBuffer>)[] {
  try {
    return latest()?.parts() ?? [];
  } catch {
    return [];
  }
}
