// Inflates, verifies, hashes and describes the entries of a checked archive in one pass, several at once.
import type { Build, BuildFile } from '../build.ts';
import { describeBuild } from '../describe/describe-build.ts';
import {
  chooseTexts,
  type DescribeContext,
  FileDescriber,
  type FileFacts,
} from '../describe/describe-file.ts';
import { PathIndex } from '../describe/path-index.ts';
import { BuildError, MAX_FINDINGS, type Refusal, refuse } from '../findings.ts';
import type { Entry } from '../judge/judge-archive.ts';
import type { Archive } from '../read-archive.ts';
import { ContentHash } from './content-hash.ts';
import { inflateEntry, WHOLE_BYTES } from './inflate-entry.ts';
import { LaneBuffers } from './lane-buffers.ts';

/** Receives the bytes of one file. Each call is awaited before the next. */
export type FileWriter = {
  /** The chunk is valid until this returns. The last chunk is valid until `finish` or `abort` returns. */
  write(chunk: Buffer): Promise<void> | void;
  /** The file is complete, and its size and CRC-32 are verified. */
  finish(file: BuildFile): Promise<void> | void;
  /** The file or another one is rejected: discard the written bytes. Called at most once, and never after `finish` has returned. */
  abort(): Promise<void> | void;
};

/** Opens a writer for each kept file, up to `concurrency` at once. A file with another size than `bytes` is aborted. */
export type BuildSink = (file: {
  readonly path: string;
  readonly bytes: number;
}) => Promise<FileWriter> | FileWriter;

export type ExtractOptions = {
  /** The number of entries processed at once. The default is 4. Each takes up to 4 MiB of memory. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Called after each verified entry, with the bytes inflated so far. */
  readonly onProgress?: (done: { readonly bytes: number; readonly files: number }) => void;
};

const CONCURRENCY = 4;

/** The state that all lanes share. */
type Run = {
  readonly archive: Archive;
  readonly sink: BuildSink | null;
  readonly options: ExtractOptions;
  readonly context: DescribeContext;
  readonly findings: Refusal[];
  readonly described: { readonly file: BuildFile; readonly facts: FileFacts }[];
  /** An error other than a finding: the sink's error or the signal's reason. Ends all lanes. */
  failure: { readonly error: unknown } | null;
  bytes: number;
  files: number;
};

/**
 * Inflates each entry once, verifies its size and CRC-32, hashes and describes it, and passes its bytes to the sink, if there is
 * one. Stops at the first byte beyond the declared size. Memory is bounded for any archive. Throws a {@link BuildError} with
 * all findings, the sink's error, or the signal's reason. Every open writer is aborted before; the sink discards finished files
 * itself. After the first finding nothing more is written.
 */
export async function extractEntries(
  archive: Archive,
  sink: BuildSink | null,
  options: ExtractOptions = {},
): Promise<Build> {
  const kept = archive.entries.filter((entry) => entry.kind === 'file' && !entry.dropped);
  const { file_bytes, expanded_bytes } = archive.limits;
  const run: Run = {
    archive,
    sink,
    options,
    context: {
      index: new PathIndex(kept.map((entry) => entry.path)),
      innerLimit: { file_bytes, bytesLeft: expanded_bytes },
      texts: chooseTexts(kept),
    },
    findings: [],
    described: [],
    failure: null,
    bytes: 0,
    files: 0,
  };
  const queue = archive.entries.values();
  const lanes = Math.max(1, options.concurrency ?? CONCURRENCY);
  await Promise.all(Array.from({ length: lanes }, () => runLane(run, queue)));
  if (run.failure !== null) throw run.failure.error;
  refuse(inArchiveOrder(run));
  return describeBuild(archive, run.described, run.context.index);
}

async function runLane(run: Run, queue: Iterator<Entry>): Promise<void> {
  const buffers = new LaneBuffers(WHOLE_BYTES);
  for (let next = queue.next(); next.done !== true; next = queue.next()) {
    if (run.failure !== null || run.findings.length >= MAX_FINDINGS) return;
    try {
      run.options.signal?.throwIfAborted();
      await extractOne(run, next.value, buffers);
    } catch (error) {
      if (error instanceof BuildError) run.findings.push(...error.findings);
      else run.failure ??= { error };
    }
  }
}

/** Sorts the findings by entry, so that the order does not depend on the lanes. */
function inArchiveOrder({ archive, findings }: Run): Refusal[] {
  const order = new Map(archive.entries.map((entry, i) => [entry.name, i]));
  return findings.toSorted(
    (a, b) => (order.get(a.entry ?? '') ?? 0) - (order.get(b.entry ?? '') ?? 0),
  );
}

async function extractOne(run: Run, entry: Entry, buffers: LaneBuffers): Promise<void> {
  if (entry.kind === 'folder' || entry.dropped || isOver(run)) {
    return verifyOnly(run, entry, buffers);
  }
  const describer = new FileDescriber(entry.path, entry.bytes, run.context);
  const hash = new ContentHash(entry.bytes);
  const writer = new GuardedWriter(
    (await run.sink?.({ path: entry.path, bytes: entry.bytes })) ?? null,
  );
  try {
    await inflateEntry(run.archive.source, entry, buffers, async (chunk) => {
      stopIfEnded(run);
      if (isOver(run)) await writer.abort();
      await all([writer.write(chunk), hash.update(chunk), describer.push(chunk)]);
      run.bytes += chunk.length;
    });
    const facts = await describer.finish();
    const file = toFile(entry, hash.digest(), facts);
    if (isOver(run)) return await writer.abort();
    await writer.finish(file);
    run.described.push({ file, facts });
    buffers.takeBack();
  } catch (error) {
    describer.abort();
    await writer.abort();
    throw error;
  }
  run.options.onProgress?.({ bytes: run.bytes, files: ++run.files });
}

/** Throws if the caller aborted, or if another lane has failed. */
function stopIfEnded(run: Run): void {
  run.options.signal?.throwIfAborted();
  if (run.failure !== null) throw run.failure.error;
}

/** Waits for all steps, so that none is still running afterwards. Then throws the first error. */
async function all(steps: readonly Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) {
    if (step.status === 'rejected') throw step.reason;
  }
}

/** After a finding, entries are only verified. */
function isOver(run: Run): boolean {
  return run.findings.length > 0 || run.failure !== null;
}

async function verifyOnly(run: Run, entry: Entry, buffers: LaneBuffers): Promise<void> {
  await inflateEntry(run.archive.source, entry, buffers, async (chunk) => {
    stopIfEnded(run);
    run.bytes += chunk.length;
  });
}

function toFile(entry: Entry, sha256: string, facts: FileFacts): BuildFile {
  const { type, encoding, inner_bytes, compressible } = facts;
  return {
    path: entry.path,
    sha256,
    bytes: entry.bytes,
    type,
    encoding,
    inner_bytes,
    compressible,
  };
}

/** Forwards calls to a writer until it is finished or aborted. */
class GuardedWriter {
  #writer: FileWriter | null;

  constructor(writer: FileWriter | null) {
    this.#writer = writer;
  }

  async write(chunk: Buffer): Promise<void> {
    await this.#writer?.write(chunk);
  }

  async finish(file: BuildFile): Promise<void> {
    await this.#writer?.finish(file);
    this.#writer = null;
  }

  async abort(): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    await writer?.abort();
  }
}
