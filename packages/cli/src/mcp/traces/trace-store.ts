// Reads traces, and keeps the models of the last few.
import { Readable } from 'node:stream';
import { privateModel, privateName, type TraceModel } from '@svc/trace';
import { readModelOf } from '../../trace/read-model.ts';
import { KEPT_BYTES, MODELS_KEPT, STRING_LENGTH, TRACE_BYTES } from '../limits.ts';
import { type FoundTrace, findTrace, realpathOf, refusal, tooLarge } from './find-trace.ts';
import { listTraces, type TraceList } from './list-traces.ts';
import { openFile } from './open-file.ts';
import type { TracePlace } from './trace-places.ts';

export type ReadTrace = { readonly id: string; readonly model: TraceModel };

type Kept = {
  /** What changes with the file. */
  readonly version: string;
  readonly bytes: number;
  readonly model: TraceModel;
};

export class TraceStore {
  readonly #places: readonly TracePlace[];
  readonly #cwd: string;
  /** By path, the one that was used last at the end. */
  readonly #kept = new Map<string, Kept>();

  constructor(places: readonly TracePlace[], cwd: string) {
    this.#places = places;
    this.#cwd = cwd;
  }

  list(limit: number, signal: AbortSignal): Promise<TraceList> {
    return listTraces(this.#places, this.#cwd, limit, signal);
  }

  /** The model of a trace that `findTrace` finds. Its names are private. Throws an ExitError (1). */
  async read(name: string, signal: AbortSignal): Promise<ReadTrace> {
    const found = await findTrace(this.#places, this.#cwd, name);
    const version = versionOf(found);
    const kept = this.#kept.get(found.path);
    this.#kept.delete(found.path);
    const used = kept?.version === version ? kept : await this.#load(found, signal);
    this.#kept.set(found.path, used);
    this.#dropOld();
    return { id: found.id, model: used.model };
  }

  async #load(found: FoundTrace, signal: AbortSignal): Promise<Kept> {
    await using file = await openFile(found.path).catch(() => {
      throw refusal(found.id, 'unreadable_file', 'svc is not allowed to open it.');
    });
    const opened = await file.stat();
    const isSame = opened.ino === found.stats.ino && opened.dev === found.stats.dev;
    // A folder above the file may have been replaced between the check and the opening.
    if (!isSame || (await realpathOf(found.path)) !== found.path) {
      throw refusal(found.id, 'unreadable_file', 'It was replaced meanwhile. Try again.');
    }
    let bytes = 0;
    // A trace that is still written is read up to its present length.
    const end = opened.size - 1;
    const input =
      end < 0 ? Readable.from([]) : file.createReadStream({ end, autoClose: false, signal });
    const model = await readModelOf(input, found.id, (chunk) => {
      bytes += chunk.length;
      if (bytes > TRACE_BYTES) throw tooLarge(found.id);
    });
    return { version: versionOf({ stats: opened }), bytes, model: withPrivateNames(model) };
  }

  #dropOld(): void {
    let bytes = 0;
    let count = 0;
    for (const [path, kept] of [...this.#kept].reverse()) {
      bytes += kept.bytes;
      count++;
      if (count > 1 && (count > MODELS_KEPT || bytes > KEPT_BYTES)) this.#kept.delete(path);
    }
  }
}

function versionOf({ stats: { dev, ino, size, mtimeMs } }: Pick<FoundTrace, 'stats'>): string {
  return [dev, ino, size, mtimeMs].join(' ');
}

/** As the summary for a model provider, but with the digest of the build, with the texts of errors, which the verdict states, and with notes. */
function withPrivateNames(model: TraceModel): TraceModel {
  const { header, ...rest } = privateModel(model);
  const { build } = model.header;
  return {
    ...rest,
    header: build === undefined ? header : { ...header, build },
    logs: model.logs.map((log) => ({ ...log, text: privateName(log.text) })),
    notes: model.notes.map((note) => ({ ...note, text: privateText(note.text) })),
  };
}

/** A text of several lines with private names. It is longer than an answer shows, so that an answer marks what it cuts off. */
function privateText(text: string): string {
  const lines = text.slice(0, 4 * STRING_LENGTH).split('\n');
  return lines.map((line) => privateName(line, STRING_LENGTH)).join('\n');
}
