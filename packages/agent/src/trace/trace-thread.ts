// Reads whole traces in a worker thread, so that the event loop is not blocked. A thread does one
// job and ends.
import { createReadStream, readSync, writeSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import {
  ASSETS_LISTED,
  type AssetReport,
  AssetReportSink,
  analyzeTrace,
  expandGzip,
  type Finding,
  FoldedConverter,
  openConverter,
  SniffingReader,
  summarizeTrace,
  TraceError,
  type TraceFacts,
  TraceFactsSink,
  TraceModelBuilder,
  type TraceSink,
  VptReader,
} from '@svc/trace';
import { gunzip } from './gunzip.ts';

/**
 * The jobs: check bytes that are pushed, copy a file into a spool as `.vpt`, derive the asset
 * report or the analysis of a file.
 */
export type TraceRole =
  | { readonly role: 'check' }
  | ({ readonly role: 'open'; readonly spool: number; readonly limit: number } & OpenInput)
  | ({ readonly role: 'assets' } & FileRole)
  | ({ readonly role: 'analyze'; readonly budget_ms?: number } & FileRole);

/** The file to open: a path, or the descriptor of a file that is read from its start. */
type OpenInput = { readonly path: string } | { readonly descriptor: number };

/** A message to the thread: bytes to check, or the end of the bytes. */
export type TraceRequest = { readonly chunk: Uint8Array } | { readonly finish: true };

/** An invalid trace: `TraceError` as a message. */
export type TraceFault = {
  readonly code: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
};

/** A message from the thread: bytes processed, the result, or a fault. */
export type TraceAnswer =
  | { readonly taken: number }
  | { readonly result: unknown }
  | { readonly fault: TraceFault }
  | { readonly tooLarge: true };

/** Does the job of the role. */
export function answerJob(port: MessagePort, role: TraceRole): void {
  const fail = (error: unknown): void => {
    if (!(error instanceof TraceError)) throw error;
    const { code, message, line, column } = error;
    post(port, { fault: { code, message, line, column } });
    port.close();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  if (role.role === 'check') checkPushed(port, attempt);
  else if (role.role === 'open') {
    void openFile(role).then((result) => postResult(port, result), fail);
  } else attempt(() => postResult(port, resultOf(role)));
}

function resultOf(role: Exclude<TraceRole, { role: 'check' | 'open' }>): unknown {
  return role.role === 'assets' ? deriveAssets(role) : deriveAnalysis(role);
}

function post(port: MessagePort, answer: TraceAnswer): void {
  port.postMessage(answer);
}

function postResult(port: MessagePort, result: unknown): void {
  post(port, result === TOO_LARGE ? { tooLarge: true } : { result });
  port.close();
}

function checkPushed(port: MessagePort, attempt: (work: () => void) => void): void {
  const sink = new TraceFactsSink();
  const reader = new VptReader(sink);
  port.on('message', (request: TraceRequest) =>
    attempt(() => {
      if ('finish' in request) {
        postResult(port, sink.facts(reader.finish()));
      } else {
        reader.push(request.chunk);
        post(port, { taken: request.chunk.length });
      }
    }),
  );
}

const TOO_LARGE = Symbol('too large');

/**
 * Copies a `.vpt` file, or converts a file of another format, into the spool. A gzip file is
 * expanded. Returns the facts of the result.
 */
async function openFile(
  role: Extract<TraceRole, { role: 'open' }>,
): Promise<TraceFacts | typeof TOO_LARGE> {
  const spool = new SpoolWriter(role.spool, role.limit);
  const sink = new TraceFactsSink();
  const check = new VptReader(sink);
  const keep = (bytes: Uint8Array): void => {
    check.push(bytes);
    spool.write(bytes);
  };
  const reader = new SniffingReader<TraceFacts>((format) => {
    if (format === 'vpt') return { push: keep, finish: () => sink.facts(check.finish()) };
    const encoder = new TextEncoder();
    const take = (text: string): void => keep(encoder.encode(text));
    const converter = format === 'folded' ? new FoldedConverter(take) : openConverter(format, take);
    const finish = (): TraceFacts => {
      converter.finish();
      return sink.facts(check.finish());
    };
    return { push: (chunk) => converter.push(chunk), finish };
  });
  for await (const chunk of expandGzip(inputOf(role), gunzip)) {
    reader.push(chunk);
    if (spool.full) return TOO_LARGE;
  }
  const facts = reader.finish();
  return spool.full ? TOO_LARGE : facts;
}

function inputOf(input: OpenInput): AsyncIterable<Uint8Array> {
  return 'path' in input
    ? createReadStream(input.path, { highWaterMark: CHUNK_BYTES })
    : createReadStream('', { fd: input.descriptor, start: 0, autoClose: false });
}

/** Writes to the spool, but not beyond its limit. */
class SpoolWriter {
  readonly #descriptor: number;
  readonly #limit: number;
  #bytes = 0;

  constructor(descriptor: number, limit: number) {
    this.#descriptor = descriptor;
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#bytes > this.#limit;
  }

  write(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.full) return;
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#descriptor, bytes, at);
  }
}

type FileRole = { readonly descriptor: number; readonly bytes: number };

function deriveAssets(file: FileRole): AssetReport {
  const sink = new AssetReportSink();
  readInto(sink, file);
  return sink.report(ASSETS_LISTED);
}

type AnalyzeRole = FileRole & { readonly budget_ms?: number };

function deriveAnalysis({ budget_ms, ...file }: AnalyzeRole): {
  findings: Finding[];
  summary: string;
} {
  const builder = new TraceModelBuilder();
  readInto(builder, file);
  const model = builder.snapshot();
  const budget = budget_ms === undefined ? {} : { budget_ms };
  return { findings: analyzeTrace(model, budget), summary: summarizeTrace(model, budget).text };
}

function readInto(sink: TraceSink, { descriptor, bytes }: FileRole): void {
  const reader = new VptReader(sink);
  for (const chunk of chunksOf(descriptor, bytes)) reader.push(chunk);
  reader.finish();
}

const CHUNK_BYTES = 256 * 1024;

/** The first `length` bytes of a file. */
function* chunksOf(descriptor: number, length: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let at = 0;
  while (at < length) {
    const got = readSync(descriptor, buffer, 0, Math.min(buffer.length, length - at), at);
    if (got === 0) return;
    at += got;
    yield buffer.subarray(0, got);
  }
}
