// Reads the notes of a `.vpt` trace, with what is needed to add another one, in one pass.
import {
  type Header,
  NoteList,
  type NoteRecord,
  type PushReader,
  SniffingReader,
  TraceFactsSink,
  type TraceRecord,
  type TraceSink,
  VptReader,
} from '@svc/trace';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { formatByName, readTrace } from './read-trace.ts';

export type NotedTrace = {
  readonly header: Header;
  /** Those in force, by time. */
  readonly notes: readonly NoteRecord[];
  /** The ids of all note records, as texts. Those of removed notes are included. */
  readonly ids: ReadonlySet<string>;
  /** The latest end of a record. 0 if no record has a time. */
  readonly duration_ms: number;
  /** The bytes at the end that are ignored. */
  readonly torn_bytes: number;
};

/** Reads a `.vpt` trace. Throws an ExitError (1), also for a trace of another format. */
export async function readNotes(file: string, io: Io): Promise<NotedTrace> {
  const named = formatByName(file);
  const reader = new SniffingReader<NotedTrace>((sniffed) => {
    if ((named ?? sniffed) !== 'vpt') throw notVpt(file);
    return openReader();
  });
  return await readTrace(file, io, reader);
}

/** The error for a gzip file, of which svc only lists the notes. */
export function compressed(file: string): ExitError {
  const how = file.toLowerCase().endsWith('.vpt.gz')
    ? `Decompress it first: gunzip -k ${file}`
    : `Convert it first: svc trace convert ${file} -o OUT.vpt`;
  return new ExitError(EXIT.unexpected, 'not_vpt', `"${file}" is compressed.`, { hint: how });
}

/** The error for a file that has no notes. */
function notVpt(file: string): ExitError {
  return new ExitError(EXIT.unexpected, 'not_vpt', `"${file}" is not a .vpt file.`, {
    hint: `Only .vpt files have notes. Convert it first: svc trace convert ${file} -o OUT.vpt`,
  });
}

function openReader(): PushReader<NotedTrace> {
  const sink = new NotesSink();
  const reader = new VptReader(sink);
  return {
    push: (chunk) => reader.push(chunk),
    finish() {
      const ending = reader.finish();
      const { header, torn_bytes } = ending;
      const { duration_ms } = sink.facts.facts(ending);
      return {
        ...{ header, torn_bytes, duration_ms: duration_ms ?? 0 },
        ...{ notes: sink.list.notes(), ids: sink.ids },
      };
    },
  };
}

class NotesSink implements TraceSink {
  readonly facts = new TraceFactsSink();
  readonly list = new NoteList();
  readonly ids = new Set<string>();

  record(record: TraceRecord): void {
    this.facts.record(record);
    if (record.type !== 'note') return;
    this.list.take(record);
    this.ids.add(String(record.id));
  }

  /** Notes are never passed to this method. */
  readonly scanned: NonNullable<TraceSink['scanned']> = (record) => this.facts.scanned(record);
}
