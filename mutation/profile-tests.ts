// The code that each test of a file runs: recorded with V8's coverage, and cached until a loaded file changes.
import { createHash } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Recorded } from './hook.ts';
import { makeFolder, runTests } from './run-tests.ts';

/** The run of a test file without a mutant. */
export type Profile = {
  readonly testFile: string;
  /** Digest of all loaded files and of the tool. */
  readonly digest: string;
  /** False if the file fails without a mutant. Then it can't notice one. */
  readonly green: boolean;
  readonly errors: string;
  readonly ms: number;
  /** The top-level tests with their times. */
  readonly tests: readonly { readonly name: string; readonly ms: number }[];
  /** All files of the repository that were loaded. */
  readonly loaded: readonly string[];
  /** The code that ran; null if it could not be recorded. */
  readonly ran: Ran | null;
};

/** By source, then by test (`''`: outside of tests): the ranges that ran, `[start, end, start, end, …]`. */
type Ran = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

const FORM = '1';
const LIMIT_MS = 15 * 60_000;

/** The profile of a test file, from the cache if no loaded file has changed. */
export async function profileTests(root: string, testFile: string): Promise<Profile> {
  const path = keptPath(root, testFile);
  const kept = readKept(path);
  if (kept?.green === true && kept.digest === digestOf(root, kept.loaded)) return kept;
  const profile = await record(root, testFile);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(profile));
  renameSync(`${path}.${process.pid}`, path);
  return profile;
}

/** Digest of the test's own files, which decide whether it notices a mutant. */
export function digestTests(root: string, profile: Profile): string {
  let digest = testDigests.get(profile);
  if (digest === undefined) {
    digest = digestOf(
      root,
      profile.loaded.filter((path) => !isProduct(path)),
    );
    testDigests.set(profile, digest);
  }
  return digest;
}

const testDigests = new WeakMap<Profile, string>();

function isProduct(path: string): boolean {
  return /(?:^|\/)src\//.test(path) && !/\.test\.tsx?$/.test(path);
}

/** Whether a test of the profile ran the code. */
export function hasRun(pieces: readonly number[], place: number): boolean {
  let [low, high] = [0, pieces.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle * 2 + 1] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low * 2 < pieces.length && (pieces[low * 2] ?? 0) <= place;
}

/** The last cached profile, even if files have changed; null if there is none. */
export function recallProfile(root: string, testFile: string): Profile | null {
  return readKept(keptPath(root, testFile));
}

async function record(root: string, testFile: string): Promise<Profile> {
  const folder = makeFolder('record-');
  try {
    const orders = {
      do: 'record',
      folder,
      root: `${pathToFileURL(root).href}/`,
      testFile: join(root, testFile),
    } as const;
    const run = await runTests({ root, testFile, names: null, orders, limitMs: LIMIT_MS });
    const tests = run.tests.map(({ name, ms }) => ({ name, ms }));
    const names = tests.map(({ name }) => name);
    const loaded = readLoaded(root, folder);
    const digest = digestOf(root, loaded);
    if (run.outcome === 'passed' && names.length > 0) {
      const ran = readRan(root, folder, names);
      return { testFile, digest, green: true, errors: '', ms: run.ms, tests, loaded, ran };
    }
    return { digest, loaded, ...(await recordRoughly(root, testFile)) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The profile of tests that fail while they are recorded, for example because they count file descriptors: each test may run all loaded code. */
async function recordRoughly(
  root: string,
  testFile: string,
): Promise<Omit<Profile, 'digest' | 'loaded'>> {
  const orders = { do: 'nothing' } as const;
  const run = await runTests({ root, testFile, names: null, orders, limitMs: LIMIT_MS });
  const tests = run.tests.map(({ name, ms }) => ({ name, ms }));
  const green = run.outcome === 'passed' && tests.length > 0;
  const errors = run.failed === null ? run.errors : `"${run.failed}" fails\n${run.errors}`;
  return { testFile, green, errors: green ? '' : errors, ms: run.ms, tests, ran: null };
}

function readLoaded(root: string, folder: string): string[] {
  const paths = globSync('*.loaded', { cwd: folder }).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'),
  );
  return [...new Set(paths)].map((path) => relative(root, path)).sort();
}

function readRan(root: string, folder: string, tests: readonly string[]): Ran {
  const ran = new Map<string, Map<string, number[][]>>();
  for (const file of globSync('*.ran', { cwd: folder })) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    // A killed process can leave an incomplete line.
    for (const line of lines.slice(0, -1)) {
      const recorded = JSON.parse(line) as Recorded;
      const owners = new Set(recorded.tests.map((name) => topLevelOf(name, tests)));
      for (const [path, pieces] of Object.entries(recorded.ran)) {
        const source = relative(root, path);
        const byTest = ran.get(source) ?? new Map<string, number[][]>();
        ran.set(source, byTest);
        for (const owner of owners) byTest.set(owner, [...(byTest.get(owner) ?? []), pieces]);
      }
    }
  }
  return Object.fromEntries(
    [...ran].map(([source, byTest]) => [
      source,
      Object.fromEntries([...byTest].map(([test, pieces]) => [test, union(pieces)])),
    ]),
  );
}

/** The top-level test that contains a test; `''` if there is none. */
function topLevelOf(fullName: string, tests: readonly string[]): string {
  const around = tests.filter((test) => fullName === test || fullName.startsWith(`${test} > `));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

function union(lists: readonly (readonly number[])[]): number[] {
  const pairs = lists
    .flatMap((list) => list.flatMap((start, i) => (i % 2 === 0 ? [[start, list[i + 1] ?? 0]] : [])))
    .sort(([a = 0], [b = 0]) => a - b);
  const merged: number[] = [];
  for (const [start = 0, end = 0] of pairs) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last) merged[merged.length - 1] = Math.max(last, end);
    else merged.push(start, end);
  }
  return merged;
}

function digestOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256').update(`${FORM}\0${process.version}\0`);
  for (const path of ['package-lock.json', ...paths]) {
    hash.update(`${path}\0${digestFile(join(root, path))}\0`);
  }
  return hash.digest('hex');
}

const digests = new Map<string, string>();

/** Digest of a file's content. The file is read again only if its time or size has changed. */
function digestFile(path: string): string {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
  const state = `${path}\0${mtimeMs}\0${size}`;
  let digest = digests.get(state);
  if (digest === undefined) {
    digest = createHash('sha256').update(readText(path)).digest('hex');
    digests.set(state, digest);
  }
  return digest;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function keptPath(root: string, testFile: string): string {
  const name = createHash('sha256').update(testFile).digest('hex');
  return join(root, '.cache/mutation/profiles', `${name}.json`);
}

function readKept(path: string): Profile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Profile;
  } catch {
    return null;
  }
}
