// Stacks of a real C program whose functions take known shares of its time, compared with perf in
// the same run.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { SAMPLE_MS } from '../src/probes/stacks/stack-table.ts';
import { skippedWithoutBpf } from './can-observe.ts';
import { assertShare, captureStacks, SAMPLES } from './capture-stacks.ts';
import { temporaryFolder, within } from './harness.ts';
import { type RecordedStack, stacksOf, weightOf, weightUnder } from './recorded-stacks.ts';
import { hasCompiler, startNativeShares } from './targets/start-shares.ts';

test('stacks of a C program: threads, functions in their shares, and kernel frames, compared with perf', async (t) => {
  if (skippedWithoutBpf(t)) return;
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  using folder = temporaryFolder();
  await using target = await startNativeShares();
  const foldedByPerf = await startPerf(target.pid, folder.path);
  const records = await captureStacks(target.pid);
  const perf = await foldedByPerf();
  const stacks = stacksOf(records);
  const total = weightOf(stacks);

  await t.test('update takes 90 % and draw 10 %, below frame_loop', () => {
    assertShare(weightUnder(stacks, /^frame_loop$/), total, 100, 'frame_loop');
    assertShare(weightUnder(stacks, /^update$/), total, 90, 'update');
    assertShare(weightUnder(stacks, /^draw$/), total, 10, 'draw');
  });

  await t.test(
    'the thread is the outermost frame, the first thread has the category main, and native frames have none',
    () => {
      const roots = new Set(stacks.map(({ frames: [root] }) => `${root?.name} ${root?.category}`));
      assert.deepEqual([...roots].sort(), ['render ', 'shares main']);
      const categories = new Set(
        stacks.flatMap(({ frames }) =>
          frames.filter(({ name }) => name === 'update').map(({ category }) => category),
        ),
      );
      assert.deepEqual([...categories], ['']);
    },
  );

  await t.test('records follow one another in time, and each sample has its own time', () => {
    const batches = records.filter((record) => record.type === 'stacks');
    assert.ok(batches.length > 2);
    for (const [i, { t: at, duration_ms: lasts = 0, samples }] of batches.entries()) {
      assert.ok(lasts > 0 && lasts < 5_000, `a batch of ${lasts} ms`);
      // The last sample of a second lasts into the next one, in which the first one begins.
      const end = (batches[i - 1]?.t ?? 0) + (batches[i - 1]?.duration_ms ?? 0);
      assert.ok(at + 2 * SAMPLE_MS >= end, `from ${at} ms, after ${end} ms`);
      assert.ok(new Set(samples.at_ms).size > samples.node.length / 2);
    }
  });

  await t.test('at most one sample in a hundred is lost, and no path is recorded', () => {
    const losses = records.flatMap((record) => (record.type === 'loss' ? [record] : []));
    for (const { probe, reason } of losses) {
      if (probe === 'stacks') assert.equal(reason, 'stacks_lost');
    }
    // The kernel may not keep the stack of a single sample.
    const lost = losses.reduce((sum, { probe, count = 0 }) => sum + (probe ? count : 0), 0);
    assert.ok(lost <= total / 100, `${lost} of ${total + lost} samples were lost`);
    assert.doesNotMatch(JSON.stringify(records), /"\/|\/tmp\/svc-/);
  });

  await t.test('the stacks and their frequencies are those of perf, within noise', () => {
    const ours = withoutStart(foldRecorded(stacks));
    const perfs = withoutStart(perf);
    const theirs = [...perf.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(theirs > SAMPLES / 2, `perf has ${theirs} samples`);
    for (const stack of new Set([...ours.keys(), ...perfs.keys()])) {
      const mine = (ours.get(stack) ?? 0) / total;
      const other = (perfs.get(stack) ?? 0) / theirs;
      const mean = (mine + other) / 2;
      const deviation = Math.sqrt(mean * (1 - mean) * (1 / total + 1 / theirs));
      assert.ok(
        Math.abs(mine - other) <= 5 * deviation + 0.01,
        `${stack}: ${(mine * 100).toFixed(2)} % here, ${(other * 100).toFixed(2)} % by perf`,
      );
    }
  });
});

/**
 * The stacks from `frame_loop` on, below their thread. Above it is the C library, whose names
 * depend on where each tool looks for symbols.
 */
function withoutStart(folded: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [stack, count] of folded) {
    const name = stack.replace(/^([^;]+);(?:[^;]+;)*?(?=frame_loop)/, '$1;');
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}

/**
 * Records a process with perf until disposed of. Returns the stacks as perf reports them, user
 * space only.
 */
async function startPerf(pid: number, folder: string) {
  const data = join(folder, 'perf.data');
  const args = ['record', '-q', '-e', 'cpu-clock', '-F', '99', '-g', '-o', data, '-p', String(pid)];
  const recorder = spawn('perf', args, { stdio: 'inherit' });
  const exit = once(recorder, 'exit');
  return async (): Promise<Map<string, number>> => {
    recorder.kill('SIGINT');
    await within(exit, 'perf to exit');
    const fields = ['-F', 'comm,ip,sym,dso', '--no-inline'];
    const { stdout } = spawnSync('perf', ['script', '-i', data, ...fields], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    return foldPerf(stdout);
  };
}

/**
 * Folds the output of `perf script`: `comm;outermost;…;innermost` and the count, without kernel
 * frames.
 */
function foldPerf(text: string): Map<string, number> {
  const folded = new Map<string, number>();
  for (const sample of text.trim().split(/\n\n+/)) {
    const [comm = '', ...lines] = sample.split('\n');
    const frames = lines
      .map((line) => /^\s*[\da-f]+ (.*) \((.*)\)$/.exec(line))
      .filter((frame) => frame !== null && !frame[2]?.startsWith('['))
      .map((frame) => frame?.[1] ?? '');
    const stack = [comm.trim(), ...frames.reverse()].join(';');
    folded.set(stack, (folded.get(stack) ?? 0) + 1);
  }
  return folded;
}

/** Folds recorded stacks in the same way. */
function foldRecorded(stacks: readonly RecordedStack[]): Map<string, number> {
  const folded = new Map<string, number>();
  for (const { frames, weight } of stacks) {
    const user = frames.filter(({ category }) => category !== 'kernel');
    const stack = user.map(({ name }) => name).join(';');
    folded.set(stack, (folded.get(stack) ?? 0) + weight);
  }
  return folded;
}
