// The files of a build before their bytes are read: from the headers of a ZIP, from a folder, or as a client lists them.
import { comparePaths } from '../compare-paths.ts';
import { entryFinding, type Refusal, refuse } from '../findings.ts';
import type { BuildLimits } from '../limits.ts';
import { ENTRIES_PER_FILE } from '../limits.ts';
import { findRoot, isJunk } from '../names/build-root.ts';
import { collisionFinding, findCollisions } from '../names/collisions.ts';
import { findLengthFault, findPathFault } from '../names/paths.ts';

/** An entry with a safe name and an allowed size. Its bytes are not checked yet. */
export type ListedEntry = {
  /** The name in the ZIP or folder. The name of a folder ends in `/`. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** Whether the entry is not kept. See `isJunk`. */
  readonly dropped: boolean;
  /** Relative to the build's root. Empty for dropped entries, for the root itself and for folders beside it. */
  readonly path: string;
  readonly bytes: number;
  /** The SHA-256 that the content must have, as 64 lower-case hex digits. Null if it is not known before it is read. */
  readonly sha256: string | null;
};

/** A list of entries whose names and sizes are checked. */
export type Listing<One extends ListedEntry = ListedEntry> = {
  readonly limits: BuildLimits;
  /** See {@link Build.root}. */
  readonly root: string;
  readonly entries: readonly One[];
};

/** A file as a client lists it. `path` is its name in the folder or ZIP, which may have a single folder at the top. */
export type ListedFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string | null;
};

/**
 * Checks the names and sizes of files by the rules for a ZIP of the same files. Sorts the entries by the bytes of their names, as
 * in a packed ZIP. Throws a {@link BuildError} with all findings.
 */
export function judgeListing(listed: readonly ListedFile[], limits: BuildLimits): Listing {
  refuse(findTooMany(listed.length, limits));
  const files = listed.toSorted((a, b) => comparePaths(a.path, b.path));
  const kept = files.filter(({ path }) => !isJunk(path));
  const root = findRoot(kept.map(({ path }) => path));
  const names = files.map(({ path }) => path);
  const faults = names.map((name) => findNameFault(name, limits));
  refuse([
    ...faults.flatMap((fault) => fault ?? []),
    ...findCollisions(names.filter((_, at) => faults[at] === null)).map(collisionFinding),
    ...findLimitFaults(files.map(toSized), kept.map(toSized), limits),
    ...(typeof root === 'string' ? [] : [root]),
  ]);
  const prefix = typeof root === 'string' ? root : '';
  return {
    limits,
    root: prefix.slice(0, -1),
    entries: files.map(({ path: name, bytes, sha256 }) => {
      const dropped = isJunk(name);
      const path = dropped ? '' : name.slice(prefix.length);
      return { name, kind: 'file', dropped, path, bytes, sha256 };
    }),
  };
}

/** The finding for a list with more entries than a ZIP may have. */
function findTooMany(count: number, { files }: BuildLimits): Refusal[] {
  if (count <= files * ENTRIES_PER_FILE) return [];
  const message = `The build has ${count} entries; ${files} files are allowed.`;
  return [{ code: 'zip_too_many_entries', entry: null, rule: 'entries', message, hint: null }];
}

function findNameFault(name: string, limits: BuildLimits): Refusal | null {
  const code = 'zip_path_invalid';
  if (!name.isWellFormed()) {
    const what = 'has a name that is not valid Unicode.';
    const hint = 'Rename it to plain letters.';
    return entryFinding(name, { code, rule: 'path_not_utf8', what, hint });
  }
  if (name.endsWith('/')) {
    const what = 'is named as a folder.';
    return entryFinding(name, { code: 'zip_entry_type', rule: 'kind', what });
  }
  const found = findPathFault(name) ?? (isJunk(name) ? null : findLengthFault(name, limits));
  return found === null ? null : entryFinding(name, { code, ...found });
}

type Sized = { readonly name: string; readonly bytes: number };

function toSized({ path, bytes }: ListedFile): Sized {
  return { name: path, bytes };
}

/** Findings for sizes and counts over a limit. Reading checks that the data has the sizes. */
export function findLimitFaults(
  all: readonly Sized[],
  files: readonly Sized[],
  limits: BuildLimits,
): Refusal[] {
  const findings: Refusal[] = [];
  if (files.length > limits.files) {
    const message = `The build has ${files.length} files; ${limits.files} are allowed.`;
    findings.push({
      code: 'zip_too_many_entries',
      entry: null,
      rule: 'files',
      message,
      hint: 'Combine small files into archives of your engine.',
    });
  }
  for (const { name, bytes } of all) {
    if (bytes <= limits.file_bytes) continue;
    const what = `has ${bytes} bytes; ${limits.file_bytes} are allowed.`;
    const hint = 'Split the file, or load a part of it later.';
    findings.push(
      entryFinding(name, { code: 'zip_file_too_large', rule: 'file_bytes', what, hint }),
    );
  }
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limits.expanded_bytes) {
    const message = `All files together have ${total} bytes; ${limits.expanded_bytes} are allowed.`;
    const rule = 'expanded_bytes';
    findings.push({ code: 'zip_expansion_limit', entry: null, rule, message, hint: null });
  }
  return findings;
}
