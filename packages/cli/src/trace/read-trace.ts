// Streams a trace file into a reader of `@svc/trace`. Faults in the file are reported with line and column.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { gunzip } from '@svc/agent/gunzip';
import { expandGzip, type PushReader, TraceError, type TraceFormat } from '@svc/trace';
import type { ArgumentSpec } from '../command-line/define-command.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { TRACE_ENDINGS } from './trace-endings.ts';
import { whyUnreadable } from './unreadable.ts';

/** The argument of every trace command. */
export const FILE_ARGUMENT: ArgumentSpec = {
  name: '<FILE>',
  help: 'a .vpt trace, a V8 CPU profile, a Chrome trace (.json or .json.gz), a frame log (.csv) or folded stacks; - reads standard input',
  value: { kind: 'file', endings: TRACE_ENDINGS },
};

const CHUNK_BYTES = 1024 * 1024;

/** The format of a file by its name. Undefined if only its bytes can show it. */
export function formatByName(path: string): TraceFormat | undefined {
  return path.toLowerCase().endsWith('.vpt') ? 'vpt' : undefined;
}

/**
 * Reads the whole file through the reader, one chunk at a time. A gzip file is expanded. Awaits `afterChunk` after each chunk, so that output can be
 * written before more is read. Throws an ExitError (1), with `file:line:column: reason` for a fault in the text.
 */
export async function readTrace<Result>(
  path: string,
  io: Io,
  reader: PushReader<Result>,
  afterChunk?: (chunk: Uint8Array) => Promise<void>,
): Promise<Result> {
  if (path === '-') return await readChunks(io.stdin, 'standard input', reader, afterChunk);
  const input = createReadStream(resolve(io.cwd, path), { highWaterMark: CHUNK_BYTES });
  return await readChunks(input, path, reader, afterChunk);
}

/** As {@link readTrace}, but of an open input. `shown` names it in errors. */
export async function readChunks<Result>(
  input: AsyncIterable<Uint8Array>,
  shown: string,
  reader: PushReader<Result>,
  afterChunk?: (chunk: Uint8Array) => Promise<void>,
): Promise<Result> {
  try {
    for await (const chunk of expandGzip(input, gunzip)) {
      reader.push(chunk);
      await afterChunk?.(chunk);
    }
    return reader.finish();
  } catch (error) {
    throw explainUnread(error, shown);
  }
}

/** An error of a file or in its text as an ExitError (1). `shown` names the file. Other errors are returned unchanged. */
export function explainUnread(error: unknown, shown: string): unknown {
  if (error instanceof TraceError) {
    const { code, line, column, message } = error;
    const text = `${shown}:${line}:${column}: ${message}`;
    return new ExitError(EXIT.unexpected, code, text, { line, column, cause: error });
  }
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const reason = whyUnreadable(error) ?? error.message;
  return new ExitError(EXIT.unexpected, 'unreadable_file', `Cannot read "${shown}": ${reason}.`, {
    cause: error,
  });
}
