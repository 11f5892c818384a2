// Reads, verifies, hashes and describes the files of a build in one pass, several at once.
import type { BuildDescription, BuildFile } from '../build.ts';
import {
  type BuildFacts,
  collectFacts,
  type DescribedFile,
  findReusable,
} from '../describe/build-facts.ts';
import { describeBuild } from '../describe/describe-build.ts';
import {
  chooseTexts,
  type DescribeContext,
  FileDescriber,
  type FileFacts,
} from '../describe/describe-file.ts';
import { countInner } from '../describe/encoding.ts';
import { PathIndex } from '../describe/path-index.ts';
import { BuildError, entryFinding, MAX_FINDINGS, type Refusal, refuse } from '../findings.ts';
import type { ListedEntry, Listing } from '../judge/listing.ts';
import { ContentHash } from './content-hash.ts';
import { LaneBuffers } from './lane-buffers.ts';
import { WHOLE_BYTES } from './read-source.ts';

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

/**
 * Reads an entry and passes its bytes to `onChunk` in order. A chunk is valid until `onChunk` returns, the last one until the
 * buffers are used again. Throws a {@link BuildError} if the entry is damaged or has another size.
 */
export type EntryReader<Entry extends ListedEntry> = (
  entry: Entry,
  buffers: LaneBuffers,
  onChunk: (chunk: Buffer) => Promise<void>,
) => Promise<void>;

/** The entries of a build, and how they are read. */
export type Reading<Entry extends ListedEntry> = {
  readonly listing: Listing<Entry>;
  /** Called for each entry, also for folders and dropped ones. */
  readonly read: EntryReader<Entry>;
  readonly sink: BuildSink | null;
  /** What was found in a similar build. Files with the same content are not read again if that still holds. */
  readonly before: BuildFacts | null;
  /**
   * Whether texts are searched for what they load and need. Without it, the build has neither warnings about that nor threads of
   * scripts. The default is true.
   */
  readonly searchTexts?: boolean;
};

/** A build that was read. */
export type ReadBuild = { readonly build: BuildDescription; readonly facts: BuildFacts };

/** The state that all lanes share. */
type Run<Entry extends ListedEntry> = {
  readonly reading: Reading<Entry>;
  readonly options: ExtractOptions;
  readonly context: DescribeContext;
  readonly reusable: ReadonlyMap<string, DescribedFile>;
  readonly findings: Refusal[];
  readonly described: DescribedFile[];
  /** An error other than a finding: the sink's error or the signal's reason. Ends all lanes. */
  failure: { readonly error: unknown } | null;
  bytes: number;
  files: number;
};

/**
 * Reads each entry once, verifies and describes it, and passes its bytes to the sink, if there is one. Stops at the first byte
 * beyond the declared size. Memory is bounded for any build. Throws a {@link BuildError} with all findings, the sink's error, or
 * the signal's reason. Every open writer is aborted before; the sink discards finished files itself. After the first finding
 * nothing more is written. The sink does not get files that are not read again.
 */
export async function readFiles<Entry extends ListedEntry>(
  reading: Reading<Entry>,
  options: ExtractOptions = {},
): Promise<ReadBuild> {
  const { listing, before, searchTexts = true } = reading;
  const kept = listing.entries.filter((entry) => entry.kind === 'file' && !entry.dropped);
  const { file_bytes, expanded_bytes } = listing.limits;
  const texts = searchTexts ? chooseTexts(kept) : new Set<string>();
  const run: Run<Entry> = {
    reading,
    options,
    context: {
      index: new PathIndex(kept.map((entry) => entry.path)),
      innerLimit: { file_bytes, bytesLeft: expanded_bytes },
      texts,
    },
    reusable: before === null ? new Map() : findReusable(before, kept, texts),
    findings: [],
    described: [],
    failure: null,
    bytes: 0,
    files: 0,
  };
  const queue = listing.entries.values();
  const lanes = Math.max(1, options.concurrency ?? CONCURRENCY);
  await Promise.all(Array.from({ length: lanes }, () => runLane(run, queue)));
  if (run.failure !== null) throw run.failure.error;
  refuse(inListedOrder(run));
  return {
    build: describeBuild(listing, run.described, run.context.index),
    facts: collectFacts(run.described),
  };
}

async function runLane<Entry extends ListedEntry>(
  run: Run<Entry>,
  queue: Iterator<Entry>,
): Promise<void> {
  const buffers = new LaneBuffers(WHOLE_BYTES);
  for (let next = queue.next(); next.done !== true; next = queue.next()) {
    if (run.failure !== null || run.findings.length >= MAX_FINDINGS) return;
    try {
      run.options.signal?.throwIfAborted();
      await readOne(run, next.value, buffers);
    } catch (error) {
      if (error instanceof BuildError) run.findings.push(...error.findings);
      else run.failure ??= { error };
    }
  }
}

/** Sorts the findings by entry, so that the order does not depend on the lanes. */
function inListedOrder({
  reading,
  findings,
}: Pick<Run<ListedEntry>, 'findings'> & { readonly reading: { readonly listing: Listing } }) {
  const order = new Map(reading.listing.entries.map((entry, i) => [entry.name, i]));
  return findings.toSorted(
    (a, b) => (order.get(a.entry ?? '') ?? 0) - (order.get(b.entry ?? '') ?? 0),
  );
}

async function readOne<Entry extends ListedEntry>(
  run: Run<Entry>,
  entry: Entry,
  buffers: LaneBuffers,
): Promise<void> {
  const known = entry.dropped ? undefined : run.reusable.get(entry.path);
  if (known !== undefined) return reuse(run, known);
  if (entry.kind === 'folder' || entry.dropped || isOver(run)) {
    return verifyOnly(run, entry, buffers);
  }
  const describer = new FileDescriber(entry.path, entry.bytes, run.context);
  const hash = new ContentHash(entry.bytes);
  const { sink, read } = run.reading;
  const writer = new GuardedWriter(
    (await sink?.({ path: entry.path, bytes: entry.bytes })) ?? null,
  );
  try {
    await read(entry, buffers, async (chunk) => {
      stopIfEnded(run);
      if (isOver(run)) await writer.abort();
      await all([writer.write(chunk), hash.update(chunk), describer.push(chunk)]);
      run.bytes += chunk.length;
    });
    const facts = await describer.finish();
    const file = toFile(entry, hash.digest(), facts);
    checkHash(entry, file.sha256);
    if (isOver(run)) return await writer.abort();
    await writer.finish(file);
    run.described.push({ file, facts, searched: run.context.texts.has(entry.path) });
    buffers.takeBack();
  } catch (error) {
    describer.abort();
    await writer.abort();
    throw error;
  }
  run.options.onProgress?.({ bytes: run.bytes, files: ++run.files });
}

/** Takes the description of a file from before, and counts its decoded size. */
function reuse<Entry extends ListedEntry>(run: Run<Entry>, known: DescribedFile): void {
  const { file } = known;
  if (file.inner_bytes !== null) countInner(run.context.innerLimit, file.path, file.inner_bytes);
  run.described.push(known);
  run.bytes += file.bytes;
  run.options.onProgress?.({ bytes: run.bytes, files: ++run.files });
}

function checkHash({ name, sha256 }: ListedEntry, found: string): void {
  if (sha256 === null || sha256 === found) return;
  const what = `has the SHA-256 ${found}; ${sha256} is declared.`;
  const hint = 'The file was changed or damaged on the way. Send the build again.';
  throw new BuildError([
    entryFinding(name, { code: 'zip_crc_mismatch', rule: 'sha256', what, hint }),
  ]);
}

/** Throws if the caller aborted, or if another lane has failed. */
function stopIfEnded({ options, failure }: Pick<Run<ListedEntry>, 'options' | 'failure'>): void {
  options.signal?.throwIfAborted();
  if (failure !== null) throw failure.error;
}

/** Waits for all steps, so that none is still running afterwards. Then throws the first error. */
async function all(steps: readonly Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) {
    if (step.status === 'rejected') throw step.reason;
  }
}

/** After a finding, entries are only verified. */
function isOver({ findings, failure }: Pick<Run<ListedEntry>, 'findings' | 'failure'>): boolean {
  return findings.length > 0 || failure !== null;
}

async function verifyOnly<Entry extends ListedEntry>(
  run: Run<Entry>,
  entry: Entry,
  buffers: LaneBuffers,
): Promise<void> {
  await run.reading.read(entry, buffers, async (chunk) => {
    stopIfEnded(run);
    run.bytes += chunk.length;
  });
}

function toFile(entry: ListedEntry, sha256: string, facts: FileFacts): BuildFile {
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
