// A process that is watched by a sampler, with samplers that are small programs.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../../scripts/until.ts';
import type { PinnedProcess } from '../pin-process.ts';
import { pinBySampler } from './pin-by-sampler.ts';
import type { Sampler, SamplerEvent } from './sampler.ts';

const RUNNING = process.pid;
/** Above the largest id that Linux gives to a process. */
const MISSING = 2 ** 22;
const ABOUT = { kind: 'about', name: 'game', startedAt: '2026-01-01T00:00:00.000Z' } as const;
const reading = (cpuMs: number) =>
  ({ kind: 'reading', cpuMs, rssBytes: 4096, threads: 2 }) as const;

/** A sampler that prints events as JSON lines, and then does what the script says. */
function samplerOf(events: readonly SamplerEvent[], then = 'setInterval(() => {}, 1000)'): Sampler {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return {
    system: 'Test',
    command: () => ({
      file: process.execPath,
      args: ['-e', `process.stdout.write(${JSON.stringify(lines)}); ${then}`],
    }),
    reader: () => (line) => (line.startsWith('{') ? JSON.parse(line) : null),
  };
}

async function pinned(t: TestContext, sampler: Sampler) {
  const process = await pinBySampler(RUNNING, sampler);
  t.after(() => process.release());
  return process;
}

test('pinBySampler: the process, and its latest reading', async (t) => {
  const then = `setTimeout(() => console.log(${JSON.stringify(JSON.stringify(reading(30)))}), 100); setInterval(() => {}, 1000)`;
  const process = await pinned(t, samplerOf([ABOUT, reading(10)], then));
  assert.deepEqual(process.target, { pid: RUNNING, name: 'game', started_at: ABOUT.startedAt });
  assert.equal(process.folder, null);
  assert.equal(process.pssDenied, 'Test does not report PSS');
  const first = process.read();
  assert.equal(first?.cpuMs, 10);
  const next = await until(
    () => process.read(),
    (now) => now?.cpuMs === 30,
    'the next reading',
  );
  assert.ok((next?.atMs ?? 0) > (first?.atMs ?? 0));
  assert.equal(process.exited(), false);
});

test('pinBySampler: the exit of the process', async (t) => {
  const then = 'setTimeout(() => console.log(\'{"kind":"exited"}\'), 100)';
  const process = await pinned(t, samplerOf([ABOUT, reading(10)], then));
  await until(() => process.exited(), Boolean, 'the exit');
  assert.equal(process.read(), null);
});

/** Waits until a reading fails, and returns why. */
async function failureOf(process: PinnedProcess): Promise<string> {
  const fail = (): string => {
    try {
      process.read();
      return '';
    } catch (error) {
      return String(error);
    }
  };
  return await until(fail, (said) => said !== '', 'a reading fails');
}

test('pinBySampler: a sampler that ends or hangs is no exit of the process; its readings fail', async (t) => {
  const ends = samplerOf([ABOUT, reading(10)], 'setTimeout(() => process.exit(), 50)');
  const ended = await pinned(t, ends);
  assert.match(await failureOf(ended), /The sampler for Test has ended/);
  assert.equal(ended.exited(), false);
  const hung = await pinned(t, samplerOf([ABOUT, reading(10)]));
  assert.match(await failureOf(hung), /The sampler for Test does not answer/);
  assert.equal(hung.exited(), false);
});

test('pinBySampler: the exit is noticed also after the sampler has ended', async (t) => {
  const ends = samplerOf([ABOUT, reading(10)], 'setTimeout(() => process.exit(), 50)');
  const process = await pinBySampler(MISSING, ends);
  t.after(() => process.release());
  assert.equal(process.exited(), false);
  await until(() => process.exited(), Boolean, 'the exit');
  assert.equal(process.read(), null);
});

test('pinBySampler: no process, no permission', async () => {
  const refused = (pid: number, code: 'no_such_process' | 'process_forbidden') =>
    pinBySampler(pid, samplerOf([{ kind: 'refused', code }]));
  await assert.rejects(refused(RUNNING, 'no_such_process'), { code: 'no_such_process' });
  await assert.rejects(refused(RUNNING, 'process_forbidden'), { code: 'process_forbidden' });
  await assert.rejects(refused(MISSING, 'process_forbidden'), { code: 'no_such_process' });
  await assert.rejects(pinBySampler(RUNNING, samplerOf([ABOUT, { kind: 'exited' }])), {
    code: 'no_such_process',
  });
});

test('pinBySampler: a sampler that cannot be used says why', async () => {
  const failing = (script: string) => pinBySampler(RUNNING, samplerOf([ABOUT], script));
  await assert.rejects(failing('console.error("blocked by policy"); process.exitCode = 3'), {
    code: 'capture_unsupported',
    message:
      /the sampler for Test cannot be used: it ended \(exit code 3\): blocked by policy; opening traces/,
  });
  await assert.rejects(failing('process.exit(0)'), {
    message: /it ended \(exit code 0\); opening/,
  });
  await assert.rejects(failing('process.stderr.write("x".repeat(1000)); process.exitCode = 1'), {
    message: /: x{198}; opening/,
  });
  const started = (file: string) =>
    pinBySampler(RUNNING, { ...samplerOf([]), command: () => ({ file, args: [] }) });
  await assert.rejects(started('/nowhere/x'), { code: 'capture_unsupported', message: /ENOENT/ });
  // Node refuses to start this one at once, without an event.
  await assert.rejects(started('a\0b'), { code: 'capture_unsupported', message: /null bytes/ });
});

test('pinBySampler: an abort ends the start with its reason, also if the sampler ends first', async () => {
  const reason = new Error('stopped');
  const silent = samplerOf([]);
  await assert.rejects(pinBySampler(RUNNING, silent, AbortSignal.abort(reason)), reason);
  const later = new AbortController();
  setTimeout(() => later.abort(reason), 50);
  await assert.rejects(pinBySampler(RUNNING, silent, later.signal), reason);
  const both = new AbortController();
  const ending: Sampler = {
    ...samplerOf([ABOUT], 'process.exit(1)'),
    reader: () => () => {
      both.abort(reason);
      return null;
    },
  };
  await assert.rejects(pinBySampler(RUNNING, ending, both.signal), reason);
});

test('pinBySampler: after release the sampler is gone', async () => {
  const process = await pinBySampler(RUNNING, samplerOf([ABOUT, reading(1)]));
  process.release();
  assert.match(await failureOf(process), /The sampler for Test has ended/);
});
