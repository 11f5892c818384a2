// Decides whether the tests notice a mutant: runs the tests that execute its code, the most likely and quickest first.
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Compiler } from './compiler.ts';
import { applyMutant, type Mutant } from './find-mutants.ts';
import { digestTests, hasRun, type Profile } from './profile-tests.ts';
import { runTests, type TestRun } from './run-tests.ts';

export type Verdict =
  | { readonly state: 'noticed'; readonly by: string; readonly how: 'failed' | 'timeout' }
  | { readonly state: 'survived'; readonly tried: readonly string[] }
  /** The compiler rejects it. */
  | { readonly state: 'refused' }
  /** It survived, but test files that could notice it also fail without a mutant. */
  | { readonly state: 'unjudged'; readonly red: readonly string[] };

/** Tests of a file that execute the mutant's code. `names` is null for all tests of the file. */
type Candidate = {
  readonly profile: Profile;
  readonly names: readonly string[] | null;
  readonly ms: number;
};

const FORM = '2';
/** Timeout of the tests as a multiple of their time without a mutant. */
const SLOWER = 6;

export class Judge {
  readonly #root: string;
  readonly #profiles: readonly Profile[];
  readonly #compiler: Compiler;
  readonly #leastLimitMs: number;
  /** Quick tests are selected up to this total time without a mutant. */
  readonly #quickMs: number;
  readonly #kept: Map<string, Verdict>;
  readonly #keptPath: string;
  readonly #found = new WeakMap<Mutant, readonly Candidate[]>();
  /** Whether selected tests pass without a mutant and without the other tests of their file. */
  readonly #green = new Map<string, Promise<boolean>>();

  constructor(
    root: string,
    profiles: readonly Profile[],
    limits: { readonly leastLimitMs?: number; readonly quickMs?: number } = {},
  ) {
    this.#leastLimitMs = limits.leastLimitMs ?? 10_000;
    this.#quickMs = limits.quickMs ?? 10_000;
    this.#root = root;
    this.#profiles = profiles;
    this.#compiler = new Compiler(root);
    this.#keptPath = join(root, '.cache/mutation/verdicts.jsonl');
    this.#kept = readVerdicts(this.#keptPath);
  }

  /**
   * The verdict of an earlier run, if its source and tests have not changed. With `thoroughly`, a survivor is returned
   * only if whole files have judged it.
   */
  recall(mutant: Mutant, source: string, thoroughly: boolean): Verdict | null {
    const base = baseOf(mutant, source);
    for (const { profile } of this.#wholeFiles(mutant)) {
      const verdict = this.#kept.get(this.#keyOf(base, [profile]));
      if (verdict?.state === 'noticed') return verdict;
    }
    const survived = this.#kept.get(this.#survivorKey(mutant, base, true));
    return (
      survived ??
      (thoroughly ? null : this.#kept.get(this.#survivorKey(mutant, base, false))) ??
      null
    );
  }

  #quickTests(mutant: Mutant): readonly Candidate[] {
    let found = this.#found.get(mutant);
    if (found === undefined) {
      found = findQuickTests(mutant, this.#profiles, this.#quickMs);
      this.#found.set(mutant, found);
    }
    return found;
  }

  /** Whether the mutant does not compile. */
  isRefused(mutant: Mutant, source: string): boolean {
    return this.#compiler.rejects(mutant.file, applyMutant(source, mutant));
  }

  close(): void {
    this.#compiler.close();
  }

  /** The test files that execute the mutant's code, each with all its tests. */
  #wholeFiles(mutant: Mutant): Candidate[] {
    return this.#profiles
      .filter((profile) => testsAt(mutant, profile).length > 0)
      .map((profile) => ({ profile, names: null, ms: profile.ms }));
  }

  /**
   * Judges a mutant by the most likely and quickest tests. With `thoroughly`, a survivor is then judged by all test files
   * that execute its code, without a time limit.
   */
  async judge(mutant: Mutant, source: string, thoroughly: boolean): Promise<Verdict> {
    const mutated = applyMutant(source, mutant);
    const base = baseOf(mutant, source);
    const quick = this.#quickTests(mutant);
    const ranWhole = new Set(quick.filter(({ names }) => names === null).map((one) => one.profile));
    const rest = this.#wholeFiles(mutant).filter(({ profile }) => !ranWhole.has(profile));
    const red = new Set(
      this.#profiles
        .filter(({ green, loaded }) => !green && loaded.includes(mutant.file))
        .map(({ testFile }) => testFile),
    );
    const tried = new Set<string>();
    for (const candidate of thoroughly ? [...quick, ...rest] : quick) {
      const { profile } = candidate;
      const outcome = await this.#try(candidate, mutant, mutated);
      if (outcome === 'red') red.add(profile.testFile);
      else if (outcome === 'passed') tried.add(profile.testFile);
      else {
        const verdict = { state: 'noticed', by: profile.testFile, how: outcome } as const;
        return this.#keep(this.#keyOf(base, [profile]), verdict);
      }
    }
    if (red.size > 0) return { state: 'unjudged', red: [...red] };
    const verdict = { state: 'survived', tried: [...tried] } as const;
    return this.#keep(this.#survivorKey(mutant, base, thoroughly), verdict);
  }

  /** Runs the candidate's tests with the mutant. The verdict is `red` if they also fail without it. */
  async #try(
    candidate: Candidate,
    mutant: Mutant,
    mutated: string,
  ): Promise<'passed' | 'failed' | 'timeout' | 'red'> {
    const { profile, names } = candidate;
    const url = pathToFileURL(join(this.#root, mutant.file)).href;
    const plant = (limitMs: number): Promise<TestRun> =>
      this.#run(candidate, { do: 'plant', url, source: mutated }, limitMs);
    const limitMs = Math.max(this.#leastLimitMs, candidate.ms * SLOWER);
    let { outcome, failed } = await plant(limitMs);
    if (outcome === 'passed') return 'passed';
    if (outcome === 'timeout') {
      const without = await this.#run(candidate, { do: 'nothing' }, limitMs * SLOWER);
      if (without.outcome !== 'passed') return this.#fallBack(candidate, mutant, mutated);
      // The machine can be slower now than when the limit was measured.
      if (without.ms * (SLOWER - 1) > limitMs) {
        ({ outcome, failed } = await plant(without.ms * SLOWER));
      }
      return outcome;
    }
    if (names === null) return outcome;
    if (await this.#isGreen(profile, failed === null ? names : [failed], limitMs)) return outcome;
    return this.#fallBack(candidate, mutant, mutated);
  }

  /** If selected tests fail without the other tests of their file, the whole file runs. */
  #fallBack(candidate: Candidate, mutant: Mutant, mutated: string) {
    if (candidate.names === null) return 'red' as const;
    return this.#try({ ...candidate, names: null, ms: candidate.profile.ms }, mutant, mutated);
  }

  #run(
    { profile: { testFile }, names }: Candidate,
    orders: { do: 'plant'; url: string; source: string } | { do: 'nothing' },
    limitMs: number,
  ): Promise<TestRun> {
    return runTests({ root: this.#root, testFile, names, orders, limitMs });
  }

  async #isGreen(profile: Profile, names: readonly string[], limitMs: number): Promise<boolean> {
    const key = JSON.stringify([profile.testFile, names]);
    let green = this.#green.get(key);
    if (green === undefined) {
      const candidate = { profile, names, ms: 0 };
      green = this.#run(candidate, { do: 'nothing' }, limitMs * SLOWER).then(
        ({ outcome }) => outcome === 'passed',
      );
      this.#green.set(key, green);
    }
    return green;
  }

  #keep(key: string, verdict: Verdict): Verdict {
    this.#kept.set(key, verdict);
    mkdirSync(dirname(this.#keptPath), { recursive: true });
    appendFileSync(this.#keptPath, `${JSON.stringify([key, verdict])}\n`);
    return verdict;
  }

  #survivorKey(mutant: Mutant, base: string, thoroughly: boolean): string {
    const deciding = thoroughly ? this.#wholeFiles(mutant) : this.#quickTests(mutant);
    const profiles = deciding.map(({ profile }) => profile);
    return this.#keyOf(`${base} ${thoroughly ? 'whole files' : 'quick tests'}`, profiles);
  }

  /** The inputs of a verdict: source, mutant, and content of the test files that decided. */
  #keyOf(base: string, deciding: readonly Profile[]): string {
    const files = deciding.map((one) => `${one.testFile} ${digestTests(this.#root, one)}`);
    return `${base} ${files.join(' ')}`;
  }
}

function baseOf({ file, start, end, text }: Mutant, source: string): string {
  return digest([FORM, file, source, start, end, text]);
}

/**
 * The tests that execute the mutant's code: those next to its source, then the quickest, up to a total time. Code that
 * hundreds of tests execute is therefore judged by the quick ones.
 */
function findQuickTests(mutant: Mutant, profiles: readonly Profile[], mostMs: number): Candidate[] {
  const own = mutant.file.replace(/\.ts$/, '.');
  const tests = profiles
    .flatMap((profile) => {
      const beside = profile.testFile.startsWith(own) ? 0 : 1;
      return testsAt(mutant, profile).map((test) => ({ ...test, profile, beside }));
    })
    .sort((a, b) => a.beside - b.beside || a.ms - b.ms);
  let time = 0;
  const byFile = new Map<Profile, { names: string[]; ms: number }>();
  for (const { profile, name, ms } of tests) {
    if (time > mostMs) break;
    time += ms;
    const chosen = byFile.get(profile) ?? { names: [], ms: 0 };
    byFile.set(profile, { names: [...chosen.names, name], ms: chosen.ms + ms });
  }
  return [...byFile].map(([profile, { names, ms }]) => ({
    profile,
    names: names.length === profile.tests.length ? null : names.sort(),
    ms: ms + startOf(profile),
  }));
}

/** The time of the file's process without its tests. */
function startOf({ ms, tests }: Profile): number {
  return Math.max(
    0,
    tests.reduce((left, test) => left - test.ms, ms),
  );
}

/** The tests of the file that execute the mutant's code; all tests if it runs outside of them. */
function testsAt(mutant: Mutant, profile: Profile): Profile['tests'] {
  if (!profile.green) return [];
  if (profile.ran === null) return profile.loaded.includes(mutant.file) ? profile.tests : [];
  const byTest = Object.entries(profile.ran[mutant.file] ?? {});
  const running = byTest.filter(([, pieces]) => hasRun(pieces, mutant.start));
  if (running.length === 0) return [];
  // A test that ran any function of the module can have used a table that only its functions use.
  const names = (mutant.seenByFunctions ? byTest : running).map(([test]) => test);
  if (names.includes('') && !mutant.seenByFunctions) return profile.tests;
  return profile.tests.filter(({ name }) => names.includes(name));
}

function readVerdicts(path: string): Map<string, Verdict> {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // There is no earlier verdict.
  }
  const verdicts = new Map<string, Verdict>();
  for (const line of text.split('\n')) {
    try {
      const [key, verdict] = JSON.parse(line) as [string, Verdict];
      verdicts.set(key, verdict);
    } catch {
      // The last line, or a line that was cut by a kill.
    }
  }
  return verdicts;
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
