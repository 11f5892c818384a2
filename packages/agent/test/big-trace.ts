// Large traces that resemble real ones: asset records as the collector and the files probe write
// them, with frames between them.
import type { KnownRecord } from '@svc/trace';

const PHASES = ['load', 'decode', 'upload', 'read'] as const;
const KINDS = ['texture', 'mesh', 'audio', 'shader', 'data'] as const;
const FOLDERS = ['rocks', 'trees', 'town/houses', 'npc', 'music', 'ui'] as const;
const ENDINGS = ['png', 'glb', 'ogg', 'glsl', 'json'] as const;
/** One `frames` record, a second of frames, for each group of asset records. */
const ASSETS_PER_FRAMES = 64;

export const BIG_HEADER = Buffer.from(
  '{"vpt":1,"producer":{"name":"svc collector","version":"0.1.0"},"started_at":"2026-03-01T10:00:00.000Z","sources":["browser"]}\n',
);

/**
 * Blocks of whole lines without the header, about a MiB each, until `bytes` are exceeded. The
 * result is always the same. The records use `assets` different assets in turn. By default, each
 * record has its own asset.
 */
export function* bigTrace(bytes: number, assets = Number.MAX_SAFE_INTEGER): Generator<Buffer> {
  let made = 0;
  let record = 0;
  while (made < bytes) {
    const lines: string[] = [];
    for (let i = 0; i < 6_000; i++, record++) {
      if (record % ASSETS_PER_FRAMES === 0) lines.push(JSON.stringify(framesAt(record)));
      lines.push(JSON.stringify(assetAt(record, record % assets)));
    }
    const block = Buffer.from(`${lines.join('\n')}\n`);
    made += block.length;
    yield block;
  }
}

function framesAt(record: number): KnownRecord {
  const duration_ms = Array.from({ length: 60 }, (_, i) =>
    (record / ASSETS_PER_FRAMES + i) % 20 === 0 ? 33.4 : 16.6,
  );
  return { type: 'frames', t: timeOf(record), duration_ms };
}

function assetAt(record: number, id: number): KnownRecord {
  const kind = id % KINDS.length;
  const duration = ((id * 7_919) % 20_000) / 1_000;
  return {
    type: 'asset',
    t: timeOf(record),
    id,
    name: `levels/${FOLDERS[id % FOLDERS.length]}/${id.toString(36)}_${kind}.${ENDINGS[kind]}`,
    kind: KINDS[kind] ?? 'other',
    phase: PHASES[record % PHASES.length] ?? 'load',
    bytes: 4_096 + ((id * 104_729) % 8_000_000),
    duration_ms: duration,
    ...(record % 4 === 1 && { main_thread_ms: duration }),
  };
}

/** The time of a record in milliseconds. Each second has ASSETS_PER_FRAMES records. */
function timeOf(record: number): number {
  return Math.round((record * 1_000_000) / ASSETS_PER_FRAMES) / 1_000;
}
