// Exports a loaded trace as `.vpt`: its original bytes, or the streamed conversion of folded stacks.
import { FoldedConverter } from '@svc/trace';
import { type Job, readSlices } from './load.ts';
import type { LoadedTrace } from './loaded-trace.ts';

/** The number of characters after which the text becomes a blob, which the browser may store on disk. */
const PIECE_CHARACTERS = 4 * 1024 * 1024;

/** Returns the trace's bytes as `.vpt`. */
export async function vptBytes(trace: LoadedTrace, job: Job): Promise<Blob> {
  const { origin } = trace;
  if (origin.kind === 'agent') return new Blob(trace.pieces, { type: 'text/plain' });
  return trace.format === 'vpt' ? origin.file : convert(origin.file, job);
}

/** Converts a file of folded stacks to `.vpt`. */
export async function convert(file: Blob, job: Job): Promise<Blob> {
  const pieces: Blob[] = [];
  let text: string[] = [];
  let length = 0;
  const put = (): void => {
    pieces.push(new Blob(text));
    text = [];
    length = 0;
  };
  const converter = new FoldedConverter((line) => {
    text.push(line);
    length += line.length;
    if (length > PIECE_CHARACTERS) put();
  });
  await readSlices(file, job, (chunk) => converter.push(chunk));
  converter.finish();
  put();
  return new Blob(pieces, { type: 'text/plain' });
}
