// The probe `frames` on programs of others, beside another observer, and on windows that stop or end while they draw.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stopProcess } from '../../../scripts/stop-process.ts';
import { skippedWithoutBpf } from './can-observe.ts';
import { assertTimes, type FrameSession, framesIn, startFrames } from './capture-frames.ts';
import { collectorsOf } from './collectors.ts';
import { temporaryFolder, until, within } from './harness.ts';
import { startCommanded } from './targets/commanded-program.ts';
import { type Display, hasDisplay, startDisplay } from './targets/start-display.ts';
import { type Drawer, startDrawer } from './targets/start-drawer.ts';
import { timesOf } from './targets/start-presenter.ts';
import { hasCompiler } from './targets/start-shares.ts';

const NEVERBALL = '/usr/games/neverball';
/** Software draws a big window slowly. */
const NEVERBALL_SETTINGS = [
  ...['fullscreen 0', 'width 320', 'height 240', 'multisample 0'],
  ...['reflection 0', 'shadow 0', 'background 0', 'vsync 0', ''],
].join('\n');
const LOVE_GAME = fileURLToPath(new URL('./targets/love-game', import.meta.url));

/** MangoHud logs for this time. It begins one second after the program, and the probe later on a busy machine. */
const LOG_SECONDS = 30;
/** Runs of frames that match by chance are shorter. */
const LEAST_ALIGNED = 200;
const PATIENCE_MS = 110_000;

test('frames: times are those of MangoHud in the same run', async (t) => {
  if (skipped(t, 'mangohud', 'glxgears')) return;
  using folder = temporaryFolder();
  await using display = await startDisplay();
  const settings = [
    `output_folder=${folder.path},autostart_log=1,log_duration=${LOG_SECONDS},log_interval=0`,
    'no_display,fps_limit=60',
  ];
  // The capture begins before the program.
  await using program = startProgram(
    [...display.through, `MANGOHUD_CONFIG=${settings.join()}`],
    ['sh', '-c', 'read go && exec mangohud glxgears'],
  );
  await using session = await startFrames(program.pid);
  await session.becomes((probe) => probe.state === 'running');
  program.write('go\n');
  const log = await until(
    () => mangohudLog(folder.path),
    (rows) => (rows.at(-1)?.elapsedMs ?? 0) > (LOG_SECONDS - 2) * 1000,
    'the log of MangoHud',
    PATIENCE_MS,
  );
  const records = await session.records();
  assert.deepEqual(lossesIn(records), []);
  const own = framesIn(records).map(({ from, to }) => to - from);
  const { differences, offset } = align(
    log.map(({ frameMs }) => frameMs),
    own,
  );
  const [p50, p99] = [quantile(differences, 0.5), quantile(differences, 0.99)];
  t.diagnostic(
    `${differences.length} frames at offset ${offset}: differences p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`,
  );
  // MangoHud reads its clock shortly before the call that the probe sees. If the thread loses its processor in between,
  // the times differ by that. On a busy machine, this is one frame in a hundred, so only the median is asserted.
  assert.ok(p50 < 0.2, `half of the differences are below ${p50} ms`);
});

test('frames: a game of LÖVE has each of its frames, and the hitches that it made', async (t) => {
  if (skipped(t, 'love')) return;
  using folder = temporaryFolder();
  await using display = await startDisplay();
  const command = [...display.through, `HOME=${folder.path}`, 'love', LOVE_GAME];
  await using game = startCommanded(command, folder.path, () => {});
  await game.obey('sleep:1');
  await using session = await startFrames(game.pid);
  await session.becomes((probe) => probe.state === 'running');
  const steady = Array.from({ length: 120 }, () => 'sleep:8');
  const times = timesOf(
    await game.obey([...steady, 'work:300', ...steady, 'sleep:200', ...steady].join(' ')),
  );
  const frames = await session.frames(3 * 120 + 2 - 1);
  assertTimes(frames, times);
  const longest = frames
    .map(({ from, to }, index) => ({ index, ms: to - from }))
    .toSorted((a, b) => b.ms - a.ms);
  t.diagnostic(`longest frames: ${JSON.stringify(longest.slice(0, 4))}`);
  const msOf = (index: number): number => longest.find((one) => one.index === index)?.ms ?? 0;
  assert.ok(msOf(119) >= 300 && msOf(240) >= 200, 'the hitches are where the game made them');
  assert.deepEqual(lossesIn(await session.records()), []);
});

test('frames: the frames of Neverball are recorded while it draws its title', async (t) => {
  if (skipped(t, NEVERBALL)) return;
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, '.neverball'));
  writeFileSync(join(folder.path, '.neverball/neverballrc'), NEVERBALL_SETTINGS);
  await using display = await startDisplay();
  await using program = startProgram([...display.through, `HOME=${folder.path}`], [NEVERBALL]);
  await using session = await startFrames(program.pid);
  const records = await until(
    () => session.records(),
    (all) => framesIn(all).length >= 50,
    '50 frames',
    PATIENCE_MS,
  );
  const frames = framesIn(records);
  for (const { from, to } of frames) assert.ok(to > from, `a frame from ${from} to ${to} ms`);
  const ms = (frames.at(-1)?.to ?? 0) - (frames[0]?.from ?? 0);
  t.diagnostic(`${frames.length} frames in ${ms.toFixed(0)} ms`);
  await session.becomes(({ state, reason }) => state === 'running' && reason === undefined);
  await assertEnds(session, program.pid, () => program.kill('SIGKILL'));
});

test('frames: a program that is killed while it draws has its frames and leaves no collector', async (t) => {
  if (skipped(t, 'glxgears')) return;
  await using display = await startDisplay();
  await using program = startProgram(display.through, ['glxgears']);
  await using session = await startFrames(program.pid);
  await untilFrames(session, 200);
  await assertEnds(session, program.pid, () => program.kill('SIGKILL'));
});

test('frames: a program whose display ends while it draws has its frames and leaves no collector', async (t) => {
  if (skipped(t, 'glxgears')) return;
  let display: Display | null = await startDisplay();
  try {
    await using program = startProgram(display.through, ['glxgears']);
    await using session = await startFrames(program.pid);
    await untilFrames(session, 200);
    await assertEnds(session, program.pid, async () => {
      await display?.[Symbol.asyncDispose]();
      display = null;
    });
  } finally {
    await display?.[Symbol.asyncDispose]();
  }
});

test('frames: a program that is stopped for some seconds has one frame as long, and after a long stop none', async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skipped(t)) return;
  await using display = await startDisplay();
  await using program = startDrawer(display, 'sdl');
  await program.obey('draw 1 0'); // it has opened its window when it answers
  await using session = await startFrames(program.pid);
  await session.becomes((probe) => probe.state === 'running');

  const short = program.obey('draw 1000 5000');
  await untilFrames(session, 100);
  await stopFor(program, 3000);
  const times = await short;
  const frames = await session.frames(999);
  assertTimes(frames, times);
  assert.equal(frames.filter(({ from, to }) => to - from >= 3000).length, 1);
  assert.deepEqual(lossesIn(await session.records()), []);

  const long = program.obey('draw 1000 5000');
  await untilFrames(session, 1100);
  await stopFor(program, 20_000);
  times.push(...(await long));
  const all = await session.frames(1998);
  const pause = times.findIndex(
    ({ after }, i) => ((times[i + 1]?.before ?? 0) - after) / 1e6 >= 20_000,
  );
  assertTimes(all.slice(0, pause), times.slice(0, pause + 1));
  assertTimes(all.slice(pause), times.slice(pause + 1));
  assert.deepEqual(lossesIn(await session.records()), ['not_drawing']);
  await assertEnds(session, program.pid, () => program.kill('SIGKILL'));
});

/** Skips the test if a program is missing or BPF can't observe, and then returns true. */
function skipped(t: TestContext, ...programs: readonly string[]): boolean {
  const missing = programs.filter(
    (one) => spawnSync('sh', ['-c', 'command -v "$0"', one]).status !== 0,
  );
  if (!hasDisplay()) missing.push('Xvfb');
  if (missing.length > 0) t.skip(`not installed: ${missing.join(', ')}`);
  return missing.length > 0 || skippedWithoutBpf(t);
}

type Program = AsyncDisposable & {
  readonly pid: number;
  write(text: string): void;
  kill(signal: NodeJS.Signals): boolean;
};

function startProgram(through: readonly string[], command: readonly string[]): Program {
  const [file = '', ...args] = [...through, ...command];
  const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const { pid } = child;
  assert.ok(pid !== undefined, `${file} runs`);
  return {
    pid,
    write: (text) => {
      child.stdin.write(text);
    },
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await within(exit, 'the program to exit');
    },
  };
}

/** Stops a program for at least as many ms. */
async function stopFor({ pid, kill }: Pick<Drawer, 'pid' | 'kill'>, ms: number): Promise<void> {
  stopProcess({ pid, kill });
  const end = performance.now() + ms;
  while (performance.now() < end) await sleep(end - performance.now());
  kill('SIGCONT');
}

async function untilFrames(session: FrameSession, count: number): Promise<void> {
  await until(
    async () => framesIn(await session.records()).length,
    (found) => found >= count,
    `${count} frames`,
    PATIENCE_MS,
  );
}

/** Asserts that the session ends with the program, with a valid trace, and leaves no collector. */
async function assertEnds(session: FrameSession, pid: number, end: () => unknown): Promise<void> {
  const before = framesIn(await session.records()).length;
  assert.notDeepEqual(collectorsOf(pid), []);
  await end();
  const { reason, trace } = await session.ended();
  assert.equal(reason, 'target_exit');
  assert.deepEqual([trace.end?.reason, trace.torn_bytes], ['target_exit', 0]);
  assert.ok(framesIn(trace.lines).length >= before, 'no frame is lost');
  assert.deepEqual(
    lossesIn(trace.lines).filter((one) => one !== 'not_drawing'),
    [],
  );
  await until(
    () => collectorsOf(pid),
    (left) => left.length === 0,
    'no collector is left',
  );
}

/** The reasons of the losses of the probe. */
function lossesIn(records: Awaited<ReturnType<FrameSession['records']>>): string[] {
  return records.flatMap((one) =>
    one.type === 'loss' && one.probe === 'frames' ? [one.reason] : [],
  );
}

type LogRow = { readonly frameMs: number; readonly elapsedMs: number };

/** The rows of the log of MangoHud that are complete. Empty before it writes them. */
function mangohudLog(folder: string): LogRow[] {
  const name = readdirSync(folder).find((one) => /(?<!_summary)\.csv$/.test(one));
  if (name === undefined) return [];
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
  const names = lines[2]?.split(',') ?? [];
  return lines.slice(3).map((line) => {
    const cells = line.split(',');
    const cell = (column: string): number => Number(cells[names.indexOf(column)]);
    // Version 0.6.8 logs frame times in µs, and later ones in ms. The frame rate is that of this frame.
    return { frameMs: 1e3 / cell('fps'), elapsedMs: cell('elapsed') / 1e6 };
  });
}

/** The differences of two observations of one run, which began at different frames, where their median is least. */
function align(theirs: readonly number[], own: readonly number[]) {
  let best = { median: Number.POSITIVE_INFINITY, offset: 0, differences: [] as number[] };
  for (let offset = LEAST_ALIGNED - theirs.length; offset <= own.length - LEAST_ALIGNED; offset++) {
    const differences = theirs.flatMap((ms, i) => {
      const other = own[offset + i];
      return other === undefined ? [] : [Math.abs(ms - other)];
    });
    const median = quantile(differences, 0.5);
    if (differences.length >= LEAST_ALIGNED && median < best.median) {
      best = { median, offset, differences };
    }
  }
  return best;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
