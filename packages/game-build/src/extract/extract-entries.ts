// Inflates, verifies, hashes and describes the entries of a checked archive.
import type { Build } from '../build.ts';
import type { BuildFacts } from '../describe/build-facts.ts';
import type { Archive } from '../read-archive.ts';
import { inflateEntry } from './inflate-entry.ts';
import { type BuildSink, type ExtractOptions, readFiles } from './read-files.ts';

/** A build, with what was found in each of its files. */
export type ExtractedBuild = { readonly build: Build; readonly facts: BuildFacts };

/** Inflates each entry once and checks its size and CRC-32. Otherwise as {@link readFiles}. */
export async function extractBuild(
  archive: Archive,
  sink: BuildSink | null,
  options: ExtractOptions = {},
): Promise<ExtractedBuild> {
  const { build, facts } = await readFiles(
    {
      listing: archive,
      read: (entry, buffers, onChunk) => inflateEntry(archive.source, entry, buffers, onChunk),
      sink,
      before: null,
    },
    options,
  );
  return { build: { ...build, zip_bytes: archive.zip_bytes }, facts };
}

/** As {@link extractBuild}. Returns only the build. */
export async function extractEntries(
  archive: Archive,
  sink: BuildSink | null,
  options: ExtractOptions = {},
): Promise<Build> {
  return (await extractBuild(archive, sink, options)).build;
}
