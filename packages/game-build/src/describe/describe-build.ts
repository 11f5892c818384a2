// Combines the descriptions of all files into the description of the build.
import type { BuildDescription } from '../build.ts';
import { comparePaths } from '../compare-paths.ts';
import { digestManifest } from '../digest.ts';
import { MAX_FINDINGS, type Warning } from '../findings.ts';
import type { Listing } from '../judge/listing.ts';
import type { DescribedFile } from './build-facts.ts';
import type { FileLoads } from './file-loads.ts';
import { missingFiles } from './missing-files.ts';
import type { PathIndex } from './path-index.ts';

const MAX_ORIGINS = 20;

/** `described` may have any order. */
export function describeBuild(
  listing: Listing,
  described: readonly DescribedFile[],
  index: PathIndex,
): BuildDescription {
  const sorted = described.toSorted((a, b) => comparePaths(a.file.path, b.file.path));
  const files = sorted.map(({ file }) => file);
  const facts = sorted.map((one) => one.facts);
  const dropped = listing.entries.filter((entry) => entry.dropped).map((entry) => entry.name);
  const threads = facts.some((one) => one.threads);
  const hosts = [...new Set(facts.flatMap((one) => one.foreignHosts))].sort();
  const loads = new Map<string, FileLoads>();
  for (const { file, facts } of sorted) if (facts.loads !== null) loads.set(file.path, facts.loads);
  const warnings = [
    ...wholeWarnings(listing.root, dropped.length),
    ...missingFiles(loads, index),
    ...facts.flatMap((one) => one.warnings),
  ];
  return {
    root: listing.root,
    dropped,
    files,
    expanded_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    file_count: files.length,
    digest: digestManifest(files),
    isolation: threads && hosts.length === 0 ? 'require-corp' : 'credentialless',
    threads,
    foreign_hosts: hosts.slice(0, MAX_ORIGINS),
    warnings: warnings.slice(0, MAX_FINDINGS),
  };
}

function wholeWarnings(root: string, droppedCount: number): Warning[] {
  const warnings: Warning[] = [];
  if (root !== '') {
    const message = `All files are in the folder "${root}", which becomes the root of the build.`;
    warnings.push({ code: 'root_folder_stripped', entry: root, rule: 'root', message, hint: null });
  }
  if (droppedCount > 0) {
    const message =
      droppedCount === 1
        ? '1 entry that an operating system left behind was dropped.'
        : `${droppedCount} entries that an operating system left behind were dropped.`;
    warnings.push({ code: 'junk_dropped', entry: null, rule: 'junk', message, hint: null });
  }
  return warnings;
}
