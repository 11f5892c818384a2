// Reads and checks the structure of a ZIP before any data is inflated.
import { type ByteSource, openFileSource, ShortReadError } from './byte-source.ts';
import { BuildError, type Refusal, refuse } from './findings.ts';
import { type Entry, judgeArchive } from './judge/judge-archive.ts';
import type { Listing } from './judge/listing.ts';
import { BUILD_LIMITS, type BuildLimits } from './limits.ts';
import { readCentralDirectory } from './read/central-directory.ts';
import { readEndRecord } from './read/end-record.ts';
import { findOverlap } from './read/extents.ts';
import { readLocalHeaders } from './read/local-headers.ts';

/** An archive with a safe structure, safe names and allowed sizes. Dispose of it to close the file. */
export type Archive = AsyncDisposable &
  /** All entries, in the order of their data. */
  Listing<Entry> & {
    readonly source: ByteSource;
    readonly zip_bytes: number;
  };

/**
 * Reads and checks the structure of a ZIP from its headers. Throws a {@link BuildError} with all findings. The source is closed
 * then.
 */
export async function readArchive(
  from: string | ByteSource,
  limits: Partial<BuildLimits> = {},
): Promise<Archive> {
  const source = typeof from === 'string' ? await openFileSource(from) : from;
  try {
    const all = { ...BUILD_LIMITS, ...limits };
    const { root, entries } = await readStructure(source, all);
    return {
      source,
      limits: all,
      zip_bytes: source.size,
      root,
      entries,
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error instanceof ShortReadError ? tornError(error) : error;
  }
}

async function readStructure(source: ByteSource, limits: BuildLimits) {
  refuse(findZipTooLarge(source.size, limits));
  const bounds = await readEndRecord(source);
  const directory = await readCentralDirectory(source, bounds, limits);
  const overlap = findOverlap(directory.extents, directory.offset);
  if (overlap !== null) refuse([overlap]);
  if (directory.counted > directory.entries.length) {
    const message = `The ZIP has ${directory.counted} entries or more; ${limits.files} files are allowed.`;
    const finding = { code: 'zip_too_many_entries', entry: null, rule: 'entries' } as const;
    refuse([{ ...finding, message, hint: null }]);
  }
  const sorted = directory.entries.toSorted((a, b) => a.offset - b.offset);
  const headers = await readLocalHeaders(source, sorted, directory.offset);
  return judgeArchive(headers, directory.offset, limits);
}

function findZipTooLarge(bytes: number, limits: BuildLimits): Refusal[] {
  if (bytes <= limits.zip_bytes) return [];
  const message = `The ZIP has ${bytes} bytes; ${limits.zip_bytes} are allowed.`;
  return [{ code: 'payload_too_large', entry: null, rule: 'zip_bytes', message, hint: null }];
}

function tornError(cause: ShortReadError): BuildError {
  const finding = { code: 'zip_malformed', entry: null, rule: 'bounds', hint: null } as const;
  return new BuildError([{ ...finding, message: cause.message }]);
}
