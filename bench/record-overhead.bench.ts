// The cost of `svc record` for a game whose frames do a fixed amount of work of about 8 ms, with and without functions, compared
// with the same browser without a recording. The three run in turns. On a busy machine, the processor time of the work is more
// exact than its duration. SVC_BENCH_ROUNDS=1 takes less than a minute, the default of six rounds about four.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../packages/recorder/src/browser/find-browser.ts';
import { type Launched, launchBrowser } from '../packages/recorder/src/browser/launch-browser.ts';
import { loadPage, openPage } from '../packages/recorder/src/browser/open-page.ts';
import { recordGame } from '../packages/recorder/src/record-game.ts';
import { modelOf } from '../packages/trace/src/index.ts';
import { percentile } from './collector/percentile.ts';
import { serveIsolated } from './collector/serve-isolated.ts';
import { gameScript } from './recorder/overhead-game.ts';
import { cpuMs, findPageProcess, putFirst } from './recorder/page-thread.ts';

const ROUNDS = Number(process.env['SVC_BENCH_ROUNDS'] ?? 6);
const TARGET_MS = 8;
const WARM_UP_FRAMES = 90;
const FRAMES = 400;
/** The aim for the time of a frame with functions. */
const AIM = 1.03;
const HTML =
  '<!doctype html><link rel="icon" href="data:,"><canvas width="64" height="64"></canvas><script src="/game.js"></script>';

const MODES = ['plain', 'no stacks', 'stacks'] as const;
type Mode = (typeof MODES)[number];

type Run = {
  /** The time of the work of each frame, in ms. */
  readonly work: readonly number[];
  /** Processor time of the page's main thread for the work of a frame, in ms, without a pause. Null if it is unknown. */
  readonly busy: number | null;
  /** The same for a whole frame of 60 per second, with everything that the thread does until the next one. */
  readonly frame: number | null;
  /** The mean time between two samples, in µs. Null without functions. */
  readonly interval: number | null;
};

const OPTIONS = {
  browser: findBrowser(undefined, { platform: process.platform, env: process.env }),
  headless: true,
  size: { width: 640, height: 480 },
  isRoot: process.getuid?.() === 0,
  mobile: false,
  cpuSlowdown: 1,
} as const;

async function main(): Promise<void> {
  const { version, units } = await calibrate();
  console.log(
    `${version}, ${units} units of work in a frame, ${FRAMES} frames in each of ${ROUNDS} rounds`,
  );
  const runs: Record<Mode, Run[]> = { plain: [], 'no stacks': [], stacks: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < MODES.length; turn++) {
      const mode = MODES[(round + turn) % MODES.length] ?? 'plain';
      runs[mode].push(await measure(mode, units));
    }
  }
  for (const mode of MODES) report(mode, runs);
  reportAim(runs);
}

/** Finds the number of units that take the time of a frame's work, without a recording. */
async function calibrate(): Promise<{ version: string; units: number }> {
  await using game = await serveGame(
    `?target=${TARGET_MS}&units=100&warmup=${WARM_UP_FRAMES}&frames=60`,
  );
  await using launched = await launchBrowser(OPTIONS);
  await openPlain(launched, game.url);
  const { units } = await game.done;
  return { version: await launched.browser.version(), units };
}

async function measure(mode: Mode, units: number): Promise<Run> {
  await using game = await serveGame(`?units=${units}&warmup=${WARM_UP_FRAMES}&frames=${FRAMES}`);
  if (mode === 'plain') {
    await using launched = await launchBrowser(OPTIONS);
    await openPlain(launched, game.url);
    return { ...(await game.done), interval: null };
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-record-'));
  try {
    const output = join(folder, 'game.vpt');
    const ending = new AbortController();
    const recorded = recordGame({
      ...OPTIONS,
      url: game.url,
      base: null,
      digest: null,
      output,
      stacks: mode === 'stacks',
      version: 'bench',
      signal: ending.signal,
    });
    const done = await Promise.race([game.done, recorded.then(() => failed(mode))]);
    ending.abort();
    await recorded;
    return { ...done, interval: mode === 'stacks' ? intervalOf(output) : null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failed(mode: Mode): never {
  throw new Error(`The recording (${mode}) ended before the game did`);
}

async function openPlain({ browser }: Launched, url: string): Promise<void> {
  const page = await openPage(browser, OPTIONS);
  await loadPage(page, url, () => true);
}

type Done = Omit<Run, 'interval'> & { readonly units: number };

/** Serves the game, and resolves `done` with its times at its end. */
async function serveGame(
  query: string,
): Promise<AsyncDisposable & { readonly url: string; readonly done: Promise<Done> }> {
  const { promise, resolve } = Promise.withResolvers<Done>();
  const script = gameScript();
  let page: number | null = null;
  /** The processor time at the start of the frames, at the start of the tasks, and at the end. */
  const cpu: (number | null)[] = [];
  const server = await serveIsolated((path) => {
    const [, action, units, times = ''] = path.split('/');
    if (path === '/') return { type: 'text/html', body: HTML };
    if (path === '/game.js') return { type: 'text/javascript', body: script };
    if (action === 'frames') {
      page = findPageProcess();
      if (page !== null) putFirst(page);
    }
    cpu.push(page === null ? null : cpuMs(page));
    if (action === 'done') {
      const work = times.split(',').map((us) => Number(us) / 1000);
      const spent = (from: number): number | null => {
        const [before, after] = [cpu[from] ?? null, cpu[from + 1] ?? null];
        return before === null || after === null ? null : (after - before) / work.length;
      };
      resolve({ units: Number(units), work, frame: spent(0), busy: spent(1) });
    }
    return { type: 'text/plain', body: '' };
  });
  return {
    url: `${server.origin}/${query}`,
    done: promise,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The mean time between two samples of working threads, in µs. */
function intervalOf(trace: string): number {
  const { stacks } = modelOf(readFileSync(trace, 'utf8'));
  let [samples, us] = [0, 0];
  for (const { times } of stacks) {
    const perMs = times?.weight_per_ms ?? null;
    if (times?.at_ms == null || perMs === null) continue;
    for (let i = 0; i < times.node.length; i++) us += (Number(times.weight.at(i)) / perMs) * 1000;
    samples += times.node.length;
  }
  return us / samples;
}

function report(mode: Mode, runs: Readonly<Record<Mode, readonly Run[]>>): void {
  const work = runs[mode].flatMap((run) => run.work);
  const at = (share: number): string => percentile(work, share).toFixed(2);
  const intervals = runs[mode].flatMap(({ interval }) => interval ?? []);
  console.log(
    [
      `${mode}: work of a frame p10 ${at(0.1)} ms, p50 ${at(0.5)}, p99 ${at(0.99)}`,
      `processor time ${medianText(runs[mode].map(({ busy }) => busy))} of the work, ${medianText(runs[mode].map(({ frame }) => frame))} of a frame at 60 per second`,
      ...(intervals.length > 0
        ? [`a sample every ${percentile(intervals, 0.5).toFixed(0)} µs`]
        : []),
    ].join('; '),
  );
}

function medianText(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? 'unknown' : `${percentile(known, 0.5).toFixed(2)} ms`;
}

const WAYS: Readonly<Record<string, (run: Run) => number | null>> = {
  'median work': ({ work }) => percentile(work, 0.5),
  'processor time of the work': ({ busy }) => busy,
};

function reportAim(runs: Readonly<Record<Mode, readonly Run[]>>): void {
  for (const mode of MODES.slice(1)) {
    const found = Object.entries(WAYS).map(([name, of]) => ({
      name,
      values: ratios(runs, mode, of),
    }));
    const texts = found.map(({ name, values }) => `${name} ${rangeText(values)}`);
    const lowest = lowestOf(runs[mode]) / lowestOf(runs.plain);
    console.log(`${mode} / plain: ${texts.join(', ')}, its lowest ${lowest.toFixed(3)}`);
    if (mode !== 'stacks') continue;
    const worst = Math.max(...found.map(({ values }) => percentile(values, 0.5)));
    console.log(`The aim of less than 3 % with functions is ${worst < AIM ? 'met' : 'missed'}.`);
  }
}

/** The lowest processor time of a round, which other programs disturbed least. */
function lowestOf(runs: readonly Run[]): number {
  return Math.min(...runs.map(({ busy }) => busy ?? Number.NaN));
}

/** The ratio to the plain browser in each round. Empty without values. */
function ratios(
  runs: Readonly<Record<Mode, readonly Run[]>>,
  mode: Mode,
  of: (run: Run) => number | null,
): number[] {
  return runs[mode].flatMap((run, round) => {
    const plain = runs.plain[round];
    const [now, before] = [of(run), plain === undefined ? null : of(plain)];
    return now === null || before === null ? [] : [now / before];
  });
}

/** The median of the rounds, and the lowest and highest. */
function rangeText(values: readonly number[]): string {
  if (values.length === 0) return 'unknown';
  const at = (share: number): string => percentile(values, share).toFixed(3);
  return `${at(0.5)} (${at(0)} to ${at(1)})`;
}

await main();
