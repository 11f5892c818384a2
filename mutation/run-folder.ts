// Judges the mutants of a folder and compares the result with the lists in the repository.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMutants, type Mutant } from './find-mutants.ts';
import type { Folder } from './folders.ts';
import { Judge, type Verdict } from './judge-mutants.ts';
import {
  isInShare,
  keyOf,
  type Lists,
  mostByChance,
  percent,
  type Score,
  toListed,
} from './lists.ts';
import { type Profile, profileTests, recallProfile } from './profile-tests.ts';

export type Options = {
  /** Absolute path of the root. All other paths are relative to it. */
  readonly root: string;
  readonly lists: Lists;
  /** Parts of paths that select sources; empty for all sources. */
  readonly parts?: readonly string[];
  /** Time limit. The seed determines the order of the mutants. */
  readonly minutes?: number;
  readonly seed?: string;
  /** Judges a fixed sample of one fault in N. Default: all faults. */
  readonly share?: number;
  /** Only reports earlier verdicts, without running tests. */
  readonly onlyRecall?: boolean;
  /** The number of mutants that are judged concurrently. */
  readonly concurrency?: number;
  /** The minimum timeout of tests with a mutant. */
  readonly leastLimitMs?: number;
  /** The total time of the quick tests. */
  readonly quickMs?: number;
  readonly log?: (line: string) => void;
};

type Judged = { readonly mutant: Mutant; readonly verdict: Verdict };

export type FolderResult = {
  readonly folder: string;
  readonly score: Score;
  /** Whether all mutants of the folder were judged. */
  readonly complete: boolean;
  readonly judged: readonly Judged[];
  /** Survivors that are not listed as equivalent. */
  readonly survivors: readonly Mutant[];
  /** Test files that fail without a mutant. */
  readonly red: readonly Profile[];
  /** The reasons to fail. */
  readonly faults: readonly string[];
};

export async function runFolder(folder: Folder, options: Options): Promise<FolderResult> {
  const { root, lists, log = () => {} } = options;
  const { sources, mutants, whole } = readMutants(folder, options);
  const profiles = await profileAll(folder, options);
  const judge = new Judge(root, profiles, options);
  const equivalent = new Set(lists.equivalent.map(keyOf));
  const unnoticed = new Set(lists.unnoticed.map(keyOf));
  const row = lists.scores.find((one) => one.folder === folder.name);
  const deadline = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const judged: Judged[] = [];
  const ordered = options.seed === undefined ? mutants : shuffledBy(options.seed, mutants);
  const queue = ordered.values();
  const work = async (): Promise<void> => {
    for (const mutant of queue) {
      if (performance.now() > deadline) return;
      const source = sources.get(mutant.file) ?? '';
      const key = keyOf(mutant.id);
      // A sample judges only new survivors of the score thoroughly. A complete run judges each survivor thoroughly.
      const thoroughly =
        !equivalent.has(key) &&
        (options.minutes === undefined || (isHeld(mutant, row) && !unnoticed.has(key)));
      let verdict = judge.recall(mutant, source, thoroughly && options.onlyRecall !== true);
      if (verdict === null) {
        if (options.onlyRecall === true) continue;
        verdict = judge.isRefused(mutant, source)
          ? { state: 'refused' }
          : await judge.judge(mutant, source, thoroughly);
        if (verdict.state === 'survived' && !equivalent.has(key)) {
          log(showSurvivor(mutant));
        }
      }
      judged.push({ mutant, verdict });
    }
  };
  try {
    await Promise.all(Array.from({ length: options.concurrency ?? 1 }, work));
  } finally {
    judge.close();
  }
  return conclude(folder, options, { mutants, judged, whole, profiles });
}

/** Whether the path of a source contains one of the parts. */
export function hasSources(folder: Folder, root: string, parts: readonly string[]): boolean {
  return findSources(folder, root).some((path) => isMeant(path, parts));
}

function findSources(folder: Folder, root: string): string[] {
  return globSync([...folder.sources], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.ts$|\.d\.ts$/.test(path))
    .sort();
}

function isMeant(path: string, parts: readonly string[]): boolean {
  return parts.length === 0 || parts.some((part) => path.includes(part));
}

/** Whether a mutant counts in the folder's score. */
function isHeld({ id }: Mutant, row: Score | undefined): boolean {
  return row !== undefined && isInShare(row.share, id);
}

function readMutants(folder: Folder, { root, parts = [], share = 1 }: Options) {
  const all = findSources(folder, root);
  const files = all.filter((path) => isMeant(path, parts));
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const mutants = [...sources]
    .flatMap(([file, source]) => findMutants(file, source))
    .filter(({ id }) => isInShare(share, id));
  return { sources, mutants, whole: files.length === all.length };
}

async function profileAll(
  folder: Folder,
  { root, onlyRecall, log = () => {} }: Options,
): Promise<Profile[]> {
  const files = globSync([...folder.tests], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.long.test.ts') && !path.includes('node_modules'))
    .sort();
  const profiles: Profile[] = [];
  for (const file of files) {
    if (onlyRecall === true) {
      const kept = recallProfile(root, file);
      if (kept !== null) profiles.push(kept);
      continue;
    }
    let profile = await profileTests(root, file);
    if (!profile.green) profile = await profileTests(root, file);
    if (!profile.green) log(`${file} fails without a mutant: ${profile.errors}`);
    profiles.push(profile);
  }
  return profiles;
}

function conclude(
  folder: Folder,
  { lists, onlyRecall, minutes, parts = [], share = 1 }: Options,
  found: { mutants: Mutant[]; judged: Judged[]; whole: boolean; profiles: Profile[] },
): FolderResult {
  const { judged } = found;
  const refused = new Set(
    judged.filter(({ verdict }) => verdict.state === 'refused').map(({ mutant }) => mutant),
  );
  const mutants = found.mutants.filter((mutant) => !refused.has(mutant));
  const equivalent = new Set(lists.equivalent.map(keyOf));
  const unnoticed = new Set(lists.unnoticed.map(keyOf));
  const row = lists.scores.find((one) => one.folder === folder.name);
  const isEquivalent = ({ id }: Mutant): boolean => equivalent.has(keyOf(id));
  const noticed = judged.filter(({ verdict }) => verdict.state === 'noticed');
  const survivors = judged
    .filter(({ mutant, verdict }) => verdict.state === 'survived' && !isEquivalent(mutant))
    .map(({ mutant }) => mutant);
  const red = found.profiles.filter(({ green }) => !green);
  const score = {
    folder: folder.name,
    share,
    mutants: mutants.length,
    noticed: noticed.filter(({ mutant }) => !isEquivalent(mutant)).length,
    equivalent: mutants.filter(isEquivalent).length,
  };
  const complete =
    found.whole &&
    judged.length === found.mutants.length &&
    judged.every(({ verdict }) => verdict.state !== 'unjudged');
  const faults: string[] = [];
  if (row?.share === share && complete && percent(score) < percent(row)) {
    faults.push(`${folder.name}: the score sank from ${percent(row)} to ${percent(score)}`);
  }
  if (onlyRecall !== true) {
    const unlisted = survivors.filter((one) => isHeld(one, row) && !unnoticed.has(keyOf(one.id)));
    // Faults of an edited line have new ids, so a sample can have as many unlisted survivors as the score makes probable.
    const allowed = minutes === undefined ? 0 : mostByChance(judged.length, row);
    if (unlisted.length > allowed) {
      for (const mutant of unlisted) {
        faults.push(`no test notices this unlisted fault:\n${showSurvivor(mutant)}`);
      }
    }
  }
  const known = new Set(mutants.map(({ id }) => keyOf(id)));
  const noticedKeys = new Set(noticed.map(({ mutant }) => keyOf(mutant.id)));
  const files = new Set(mutants.map(({ file }) => file));
  for (const one of lists.equivalent) {
    const isHere = found.whole ? belongsTo(one.file, folder) : files.has(one.file);
    if (!isHere || (parts.length > 0 && !files.has(one.file))) continue;
    const place = `${one.file}, ${one.within}: ${one.from} => ${one.to}`;
    if (!known.has(keyOf(one)) && isInShare(share, one))
      faults.push(`listed as equivalent, but does not exist: ${place}`);
    if (noticedKeys.has(keyOf(one))) {
      faults.push(`listed as equivalent, but a test notices it: ${place}`);
    }
  }
  return { folder: folder.name, score, complete, judged, survivors, red, faults };
}

function belongsTo(file: string, { name }: Folder): boolean {
  return file === name || file.startsWith(`${name}/`);
}

/** The lists after a complete run, with its row and its survivors. */
export function updateLists(lists: Lists, { folder, score, survivors }: FolderResult): Lists {
  const others = lists.unnoticed.filter(
    ({ file }) => !belongsTo(file, { name: folder, sources: [], tests: [] }),
  );
  return {
    scores: [...lists.scores.filter((row) => row.folder !== folder), score],
    equivalent: lists.equivalent,
    unnoticed: [...others, ...survivors.map(({ id }) => toListed(id))],
  };
}

export function showSurvivor({ file, line, kind, id }: Mutant): string {
  const within = id.within === '' ? '' : ` in ${id.within}`;
  return `${file}:${line} ${kind}${within}\n    ${id.line}\n  - ${id.from}\n  + ${id.to}`;
}

function shuffledBy(seed: string, mutants: readonly Mutant[]): Mutant[] {
  const rank = ({ id }: Mutant): string =>
    createHash('sha256')
      .update(`${seed}\0${keyOf(id)}`)
      .digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
}
