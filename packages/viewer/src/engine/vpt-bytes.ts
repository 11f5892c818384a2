// Exports a loaded trace as `.vpt`: its original bytes, or the streamed conversion of a file in another format.
import {
  FoldedConverter,
  findNotePlace,
  formatNotes,
  type NoteRecord,
  openConverter,
  type PushReader,
  SniffingReader,
} from '@svc/trace';
import { type Job, readSlices } from './load.ts';
import type { LoadedTrace } from './loaded-trace.ts';

/** The number of bytes or characters after which the parts become a blob, which the browser may store on disk. */
const PIECE_LENGTH = 4 * 1024 * 1024;

/** Returns the trace's bytes as `.vpt`, with the notes inserted before its end. */
export async function vptBytes(
  trace: LoadedTrace,
  notes: readonly NoteRecord[],
  job: Job,
): Promise<Blob> {
  const bytes = await ownBytes(trace, job);
  if (notes.length === 0) return bytes;
  const read = async (from: number, to: number): Promise<Uint8Array> =>
    new Uint8Array(await bytes.slice(from, to).arrayBuffer());
  const { at, before } = await findNotePlace(read, bytes.size, trace.info.tornBytes);
  const lines = before + formatNotes(notes);
  return new Blob([bytes.slice(0, at), lines, bytes.slice(at)], { type: 'text/plain' });
}

async function ownBytes(trace: LoadedTrace, job: Job): Promise<Blob> {
  const { origin } = trace;
  if (origin.kind === 'agent') return new Blob(trace.pieces, { type: 'text/plain' });
  const isPlain = trace.format === 'vpt' && !trace.info.compressed;
  return isPlain ? origin.file : convert(origin.file, job);
}

/** Converts a file of any format to `.vpt`. The bytes of a compressed `.vpt` file are expanded. */
export async function convert(file: Blob, job: Job): Promise<Blob> {
  const pieces: Blob[] = [];
  let parts: (string | Uint8Array<ArrayBuffer>)[] = [];
  let length = 0;
  const put = (): void => {
    pieces.push(new Blob(parts));
    parts = [];
    length = 0;
  };
  const take = (part: string | Uint8Array<ArrayBuffer>): void => {
    parts.push(part);
    length += part.length;
    if (length > PIECE_LENGTH) put();
  };
  const reader = new SniffingReader<void>((format): PushReader<void> => {
    if (format === 'vpt') return { push: (chunk) => take(chunk.slice()), finish: () => undefined };
    const converter = format === 'folded' ? new FoldedConverter(take) : openConverter(format, take);
    return {
      push: (chunk) => converter.push(chunk),
      finish: () => {
        converter.finish();
      },
    };
  });
  await readSlices(file, job, (chunk) => reader.push(chunk));
  reader.finish();
  put();
  return new Blob(pieces, { type: 'text/plain' });
}
