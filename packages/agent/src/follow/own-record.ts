// Makes a record of the recording from one of a followed trace: at its time, with an id of its own, with clean texts, and without
// keys that the format does not know, which may contain anything.
import { hash } from 'node:crypto';
import { type AssetId, cleanName, cleanText, type KnownRecord } from '@svc/trace';

/** The records that are merged. */
export type Merged = Exclude<KnownRecord, { type: 'process' | 'stacks' | 'note' | 'end' }>;

/** Hexadecimal digits of an id. 65,536 assets have the same digits by chance once in 10^10 traces. */
const ID_DIGITS = 16;

/** `generation` distinguishes the assets of this trace from those of traces that were followed before. */
export function ownRecord(record: Merged, t: number, generation: number): Merged {
  switch (record.type) {
    case 'frames': {
      const { type, duration_ms, draws, triangles, gpu_ms, main_ms } = record;
      return { type, t, duration_ms, ...present({ draws, triangles, gpu_ms, main_ms }) };
    }
    case 'longtask': {
      const { type, duration_ms, blocking_ms } = record;
      const scripts = record.scripts?.map((script) => ({
        name: cleanName(script.name),
        duration_ms: script.duration_ms,
      }));
      return { type, t, duration_ms, ...present({ blocking_ms, scripts }) };
    }
    case 'asset': {
      const { type, kind, phase, bytes, encoded_bytes, transfer_bytes, cached, opaque } = record;
      const { gpu_bytes, duration_ms, main_thread_ms, dims, count, read_bytes, mapped } = record;
      const format = record.format === undefined ? undefined : cleanName(record.format);
      const id = idOf(record.id, generation);
      return {
        ...{ type, t, id, name: cleanName(record.name), kind, phase },
        ...present({ bytes, encoded_bytes, transfer_bytes, cached, opaque, gpu_bytes }),
        ...present({ duration_ms, main_thread_ms, dims, format, count, read_bytes, mapped }),
      };
    }
    case 'release': {
      const { type, count, bytes, gpu_bytes } = record;
      return { type, t, id: idOf(record.id, generation), ...present({ count, bytes, gpu_bytes }) };
    }
    case 'span': {
      const { type, duration_ms } = record;
      const track = record.track === undefined ? undefined : cleanName(record.track);
      return { type, t, duration_ms, name: cleanName(record.name), ...present({ track }) };
    }
    case 'mark':
      return { type: record.type, t, name: cleanName(record.name) };
    case 'counter': {
      const { type, name, unit, value } = record;
      return { type, t, name: cleanName(name), unit: cleanName(unit), value };
    }
    case 'log': {
      const { type, level, text } = record;
      return { type, t, level: cleanName(level), text: cleanText(text) };
    }
    case 'loss': {
      const { type, reason, count, duration_ms } = record;
      // Whatever the game has lost, the probes of svc have not.
      const probe = record.probe === undefined ? undefined : 'follow';
      return { type, t, reason: cleanName(reason), ...present({ count, duration_ms, probe }) };
    }
  }
}

/**
 * Ids that are numbers in the followed trace stay readable. Others may contain anything, so a digest stands for them. All
 * differ from the ids of the probe `files`, which are numbers.
 */
function idOf(id: AssetId, generation: number): string {
  return typeof id === 'number'
    ? `${generation}:${id}`
    : `${generation}#${hash('sha256', id).slice(0, ID_DIGITS)}`;
}

/** The fields that have a value. */
function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
