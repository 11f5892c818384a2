// Reads a whole trace into memory as one model.
import {
  FoldedTreeReader,
  foldedModel,
  ProfileReader,
  type PushReader,
  SniffingReader,
  type TraceFormat,
  type TraceModel,
  TraceModelBuilder,
  VptReader,
} from '@svc/trace';
import type { Io } from '../process/io.ts';
import { formatByName, readChunks, readTrace } from './read-trace.ts';

/**
 * Reads the model of a file. The memory it takes grows with the trace. Awaits `afterChunk` after each chunk of the expanded file.
 * Throws an ExitError (1).
 */
export async function readModel(
  file: string,
  io: Io,
  afterChunk?: (chunk: Uint8Array) => Promise<void>,
): Promise<TraceModel> {
  return await readTrace(file, io, anyReader(file), afterChunk);
}

/** Reads the model of bytes. `name` is that of the file. Calls `onChunk` before each chunk is read, expanded. Throws an ExitError (1). */
export async function readModelOf(
  input: AsyncIterable<Uint8Array>,
  name: string,
  onChunk: (chunk: Uint8Array) => void,
): Promise<TraceModel> {
  const reader = anyReader(name);
  const push = (chunk: Uint8Array): void => {
    onChunk(chunk);
    reader.push(chunk);
  };
  return await readChunks(input, name, { push, finish: () => reader.finish() });
}

function anyReader(name: string): PushReader<TraceModel> {
  const named = formatByName(name);
  return new SniffingReader<TraceModel>((sniffed) => {
    const format = named ?? sniffed;
    return format === 'folded' ? foldedReader() : modelReader(format);
  });
}

function modelReader(format: Exclude<TraceFormat, 'folded'>) {
  const builder = new TraceModelBuilder();
  const reader = format === 'vpt' ? new VptReader(builder) : new ProfileReader(format, builder);
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): TraceModel {
      reader.finish();
      return builder.snapshot();
    },
  };
}

function foldedReader() {
  const reader = new FoldedTreeReader();
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish: (): TraceModel => foldedModel(reader.finish()),
  };
}
