// Loaded into every process of a run, including those that tests start: plants the mutant, or records which code runs.
//
// A mutant is never written to the disk. It replaces the source when its module is loaded.
import childProcess from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread, threadId } from 'node:worker_threads';
import { HOOK_OPTION } from './hook-option.ts';

/** The task of a process. The variable SVC_MUTATION contains the path of a file with it. */
export type Orders =
  | { readonly do: 'plant'; readonly url: string; readonly source: string }
  | {
      readonly do: 'record';
      /** The folder for the records of each process. */
      readonly folder: string;
      /** URL of the repository's root, with a trailing slash. */
      readonly root: string;
      readonly testFile: string;
    }
  | { readonly do: 'nothing' };

/** The code that a process ran during a test: ranges of each source, as `[start, end, start, end, …]`. */
export type Recorded = {
  readonly tests: readonly string[];
  readonly ran: Record<string, number[]>;
};

const FLUSH_MS = 150;

const path = process.env['SVC_MUTATION'];
/** The environment variables that child processes need. */
const VARIABLES: Readonly<Record<string, string>> = {
  SVC_MUTATION: path ?? '',
  NODE_OPTIONS: HOOK_OPTION,
};
/** Marks that NODE_OPTIONS is set only for the hook and must be hidden from the program. */
const HIDDEN = 'SVC_MUTATION_HIDDEN';

if (path !== undefined) {
  if (process.env[HIDDEN] !== undefined) {
    delete process.env['NODE_OPTIONS'];
    delete process.env[HIDDEN];
  }
  const orders = JSON.parse(readFileSync(path, 'utf8')) as Orders;
  passOn();
  steady();
  if (orders.do === 'plant') plant(orders.url, orders.source);
  if (orders.do === 'record') await record(orders);
}

function plant(url: string, source: string): void {
  registerHooks({
    load(loaded, context, next) {
      const result = next(loaded, context);
      return loaded.replace(/[?#].*$/, '') === url ? { ...result, source } : result;
    },
  });
}

/** Sets the seed of property tests, so that each run has the same values and verdict. */
function steady(): void {
  const seeded = `
import * as svcFastCheck from 'fast-check';
svcFastCheck.configureGlobal({ ...svcFastCheck.readConfigureGlobal(), seed: 1 });
`;
  registerHooks({
    load(url, context, next) {
      const result = next(url, context);
      if (!url.endsWith('.test.ts')) return result;
      const source = Buffer.from((result.source ?? '') as Uint8Array | string).toString();
      return / from 'fast-check'/.test(source) ? { ...result, source: source + seeded } : result;
    },
  });
}

/** Adds these variables to child processes that a test starts with their own environment. */
function passOn(): void {
  type Spawn = { spawn(options: { envPairs?: string[] }): unknown };
  const { prototype } = childProcess.ChildProcess as unknown as { prototype: Spawn };
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    options.envPairs?.push(...missing((name) => hasVariable(options.envPairs ?? [], name)));
    return spawn.call(this, options);
  };
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const original = childProcess[name] as (...args: unknown[]) => unknown;
    const patched = (...args: unknown[]): unknown => {
      const last = args.findLast((one) => typeof one === 'object' && !Array.isArray(one));
      const env = (last as { env?: NodeJS.ProcessEnv } | undefined)?.env;
      if (env === undefined || env === process.env) return original(...args);
      const added = missing((variable) => env[variable] !== undefined);
      const pairs = added.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]);
      const options = { ...(last as object), env: { ...env, ...Object.fromEntries(pairs) } };
      return original(...args.map((one) => (one === last ? options : one)));
    };
    Object.assign(childProcess, { [name]: patched });
  }
  syncBuiltinESMExports();
}

function hasVariable(pairs: readonly string[], name: string): boolean {
  return pairs.some((pair) => pair.startsWith(`${name}=`));
}

function missing(isThere: (name: string) => boolean): string[] {
  const pairs = Object.entries(VARIABLES)
    .filter(([name]) => !isThere(name))
    .map(([name, value]) => `${name}=${value}`);
  return isThere('NODE_OPTIONS') ? pairs : [...pairs, `${HIDDEN}=1`];
}

async function record(orders: Orders & { do: 'record' }): Promise<void> {
  const own = `${orders.folder}/${process.pid}-${threadId}`;
  registerHooks({
    load(url, context, next) {
      if (url.startsWith(orders.root) && !url.includes('/node_modules/')) {
        append(`${own}.loaded`, fileURLToPath(url.replace(/[?#].*$/, '')));
      }
      return next(url, context);
    },
  });
  const takeRan = startCoverage(orders.root);
  const keep = (tests: readonly string[]): void => {
    const ran = takeRan();
    if (Object.keys(ran).length === 0) return;
    append(`${own}.ran`, JSON.stringify({ tests, ran } satisfies Recorded));
  };
  if (isMainThread && process.argv[1] === orders.testFile) await recordTests(orders.folder, keep);
  else recordProgram(orders.folder, keep);
}

function append(file: string, line: string): void {
  try {
    appendFileSync(file, `${line}\n`);
  } catch {
    // A test can use up all file descriptors. Then the record is skipped and the program continues.
  }
}

/** In the process of a test file, records after each test which code ran since the previous one. */
async function recordTests(
  folder: string,
  keep: (tests: readonly string[]) => void,
): Promise<void> {
  const { afterEach, beforeEach } = await import('node:test');
  let begun = false;
  beforeEach((t) => {
    if (!begun) keep(['']);
    begun = true;
    writeFileSync(`${folder}/now`, nameOf(t));
  });
  afterEach((t) => keep([nameOf(t)]));
  process.on('exit', () => keep(['']));
}

function nameOf(test: unknown): string {
  return (test as { fullName?: string }).fullName ?? '';
}

/** In a program or a worker, records at intervals, because a killed process can't write a record at its end. */
function recordProgram(folder: string, keep: (tests: readonly string[]) => void): void {
  let before = readNow(folder);
  const flush = (): void => {
    const now = readNow(folder);
    keep(before === now ? [now] : [before, now]);
    before = now;
  };
  setInterval(flush, FLUSH_MS).unref();
  process.on('exit', flush);
}

function readNow(folder: string): string {
  try {
    return readFileSync(`${folder}/now`, 'utf8');
  } catch {
    return '';
  }
}

type Range = { startOffset: number; endOffset: number; count: number };
type Script = { url: string; functions: { ranges: Range[] }[] };

/** Starts V8's coverage. The returned function returns the code that ran since its last call. */
function startCoverage(root: string): () => Record<string, number[]> {
  const session = new Session();
  session.connect();
  let scripts: Script[] = [];
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return () => {
    session.post('Profiler.takePreciseCoverage', (_, taken) => {
      scripts = (taken?.result ?? []) as Script[];
    });
    const own = scripts.filter(
      ({ url }) => url.startsWith(root) && /(?:^|\/)src\//.test(url.slice(root.length)),
    );
    const ran: Record<string, number[]> = {};
    for (const script of own) {
      const pieces = piecesThatRan(script.functions.flatMap((one) => one.ranges));
      if (pieces.length > 0) ran[fileURLToPath(script.url)] = pieces;
    }
    return ran;
  };
}

/** Flattens V8's nested ranges to the ranges that ran. The innermost range decides. */
function piecesThatRan(ranges: readonly Range[]): number[] {
  const sorted = ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  );
  const pieces: number[] = [];
  const open: Range[] = [];
  let at = 0;
  const advance = (to: number): void => {
    if (to > at && (open.at(-1)?.count ?? 0) > 0) {
      if (pieces.at(-1) === at) pieces[pieces.length - 1] = to;
      else pieces.push(at, to);
    }
    at = Math.max(at, to);
  };
  const closeUntil = (offset: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= offset; ) {
      advance(last.endOffset);
      open.pop();
      last = open.at(-1);
    }
  };
  for (const range of sorted) {
    closeUntil(range.startOffset);
    advance(range.startOffset);
    open.push(range);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return pieces;
}
