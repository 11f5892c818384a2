// Reads a whole trace into memory as one model.
import {
  FoldedTreeReader,
  foldedModel,
  ProfileReader,
  SniffingReader,
  type TraceFormat,
  type TraceModel,
  TraceModelBuilder,
  VptReader,
} from '@svc/trace';
import type { Io } from '../process/io.ts';
import { formatByName, readTrace } from './read-trace.ts';

/** Reads the model of a file. The memory it takes grows with the trace. Throws an ExitError (1). */
export async function readModel(file: string, io: Io): Promise<TraceModel> {
  const named = formatByName(file);
  const reader = new SniffingReader<TraceModel>((sniffed) => {
    const format = named ?? sniffed;
    return format === 'folded' ? foldedReader() : modelReader(format);
  });
  return await readTrace(file, io, reader);
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
