// A recording without a viewer: its trace, its end, and what is left after it.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Metric } from '@svc/contracts/agent';
import { launchProgram, type RecordProcessOptions, recordProcess } from '../src/index.ts';
import { startTarget, temporaryFolder } from './harness.ts';

const onLinux = { skip: process.platform !== 'linux' && 'kernel: it has no /proc' };

function optionsOf(
  folder: string,
  process: RecordProcessOptions['process'],
  more: Partial<RecordProcessOptions> = {},
): RecordProcessOptions {
  return {
    process,
    output: join(folder, 'game.vpt'),
    capBytes: 2 ** 20,
    pssIntervalMs: 1000,
    probes: [],
    follow: null,
    version: '1.2.3',
    signal: new AbortController().signal,
    onStart: () => {},
    onRun: () => {},
    onSample: () => {},
    ...more,
  };
}

function recordsIn(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const launch = (...words: string[]) =>
  launchProgram({ words, cwd: '/', env: process.env, stdout: 'stderr' });

test(
  'a program is recorded from before its first instruction to its exit, under its name',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    await using program = launch('sh', '-c', 'sleep 1.3; exit 4');
    const order: string[] = [];
    const run = () => {
      order.push('run');
      program.run();
    };
    const { pid, name } = program;
    const recorded = await recordProcess(
      optionsOf(folder.path, { pid, name, run }, { onStart: (target) => order.push(target.name) }),
    );
    assert.deepEqual(order, ['sh', 'run']);
    assert.equal(recorded.ended, 'exited');
    assert.equal(recorded.target.pid, pid);
    assert.ok(recorded.durationMs >= 1300, `${recorded.durationMs}`);
    assert.deepEqual(await program.exited, { code: 4, signal: null });
    const [header, ...records] = recordsIn(recorded.trace.path);
    assert.equal(recorded.trace.path, join(folder.path, 'game.vpt'));
    assert.deepEqual(header?.['target'], recorded.target);
    assert.deepEqual(header?.['producer'], { name: 'svc agent', version: '1.2.3' });
    assert.equal(records[0]?.['type'], 'process');
    assert.ok(records.some(({ text }) => text === 'svc starts sh here.'));
    assert.deepEqual(
      [records.at(-1)?.['type'], records.at(-1)?.['reason']],
      ['end', 'target_exit'],
    );
    assert.deepEqual(readdirSync(folder.path), ['game.vpt'], 'no .partial and no reserve is left');
  },
);

test('a running process is recorded until the signal, goes on, and an older trace is replaced', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget('busy');
  writeFileSync(join(folder.path, 'game.vpt'), 'older');
  const ending = new AbortController();
  const metrics: Metric[] = [];
  const recorded = await recordProcess(
    optionsOf(
      folder.path,
      { pid: target.pid, startTicks: null },
      {
        signal: ending.signal,
        onSample: (metric) => {
          metrics.push(metric);
          if (metrics.length === 2) ending.abort();
        },
      },
    ),
  );
  assert.equal(recorded.ended, 'stopped');
  assert.ok((metrics[1]?.cpu_percent ?? 0) > 0);
  assert.equal(target.child.exitCode, null, 'the process still runs');
  const records = recordsIn(recorded.trace.path);
  assert.ok(records.filter(({ type }) => type === 'process').length >= 2);
  assert.equal(records.at(-1)?.['reason'], 'stopped');
  assert.equal(
    records.some(({ type }) => type === 'log'),
    false,
  );
});

test('what cannot start leaves nothing behind', async () => {
  using folder = temporaryFolder();
  const stopped = AbortSignal.abort(new Error('stopped before'));
  await using target = await startTarget();
  const rows: [Partial<RecordProcessOptions>, object][] = [
    [
      { process: { pid: 2 ** 31 - 1, startTicks: null } },
      { code: /no_such_process|capture_unsupported/ },
    ],
    [{ signal: stopped }, { message: 'stopped before' }],
    [{ output: join(folder.path, 'missing/game.vpt') }, { code: 'ENOENT' }],
  ];
  for (const [more, error] of rows) {
    await assert.rejects(
      recordProcess(optionsOf(folder.path, { pid: target.pid, startTicks: null }, more)),
      error,
    );
  }
  assert.deepEqual(readdirSync(folder.path), []);
});

test(
  'a probe that cannot run is reported with its reason, and the limit of the file is kept',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    await using program = launch('sleep', '0.3');
    const nothing = { text: '#!/bin/sh\nexit 1\n', path: null };
    const recorded = await recordProcess(
      optionsOf(folder.path, program, {
        probes: ['files'],
        probePrograms: { helper: nothing, perf: nothing },
        capBytes: 8192,
      }),
    );
    const files = recorded.probes.find(({ id }) => id === 'files');
    assert.equal(files?.state, 'unavailable');
    assert.notEqual(files.reason, undefined);
    assert.ok(recorded.trace.bytes <= 8192);
  },
);

test(
  'a launcher that leaves the work to a child is reported, with the child',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    const burn = 'for (const end = Date.now() + 60000; Date.now() < end; );';
    await using program = launch('sh', '-c', `"${process.execPath}" -e "${burn}"; :`);
    const ending = new AbortController();
    const { signal } = ending;
    let samples = 0;
    const onSample = (): void => {
      // A child is found after about 4 s, and later on a busy machine.
      if (
        ++samples === 60 ||
        readFileSync(join(folder.path, 'game.vpt.partial'), 'utf8').includes('is idle')
      )
        ending.abort();
    };
    const { busyChild, trace } = await recordProcess(
      optionsOf(folder.path, program, { signal, onSample }),
    );
    assert.equal(busyChild?.name, 'node');
    assert.ok(busyChild.cpu_percent >= 20);
    const log = recordsIn(trace.path).find(({ level }) => level === 'warn');
    assert.match(
      String(log?.['text']),
      new RegExp(
        `^sh is idle\\. Its child node, PID ${busyChild.pid}, uses \\d+ % of a core and is not recorded\\.$`,
      ),
    );
  },
);

test('a second recording to the same file is refused, and the first one stays whole', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const process = { pid: target.pid, startTicks: null };
  const ending = new AbortController();
  const first = Promise.withResolvers<void>();
  const { signal } = ending;
  const recording = recordProcess(
    optionsOf(folder.path, process, { signal, onSample: () => first.resolve() }),
  );
  await first.promise;
  await assert.rejects(recordProcess(optionsOf(folder.path, process)), {
    code: 'output_in_use',
    message: /^Cannot write "game\.vpt": another svc records into it; name another file with -o$/,
  });
  ending.abort();
  const records = recordsIn((await recording).trace.path);
  assert.equal(records.at(-1)?.['type'], 'end');
  assert.deepEqual(readdirSync(folder.path), ['game.vpt']);
});

test('what a killed recording left is replaced, and nothing else with that name', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const partial = join(folder.path, 'game.vpt.partial');
  const precious = join(folder.path, 'precious');
  writeFileSync(precious, 'mine');
  const record = async () => {
    const ending = new AbortController();
    return await recordProcess(
      optionsOf(
        folder.path,
        { pid: target.pid, startTicks: null },
        {
          signal: ending.signal,
          onRun: () => ending.abort(),
        },
      ),
    );
  };
  symlinkSync(precious, partial);
  await assert.rejects(record(), { code: 'output_in_use', message: /is not a file; name another/ });
  rmSync(partial);
  mkdirSync(partial);
  await assert.rejects(record(), { code: 'output_in_use' });
  rmSync(partial, { recursive: true });
  writeFileSync(partial, 'left behind');
  const { trace } = await record();
  assert.equal(recordsIn(trace.path).at(-1)?.['type'], 'end');
  assert.equal(readFileSync(precious, 'utf8'), 'mine');
  assert.deepEqual(readdirSync(folder.path).sort(), ['game.vpt', 'precious']);
});

test(
  'a signal before the program runs leaves no trace, and the program does not run',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'game.vpt'), 'older');
    const ran = join(folder.path, 'ran');
    await using program = launch('touch', ran);
    const ending = new AbortController();
    const stopped = new Error('stopped');
    const { signal } = ending;
    const onStart = (): void => ending.abort(stopped);
    await assert.rejects(
      recordProcess(optionsOf(folder.path, program, { signal, onStart })),
      stopped,
    );
    assert.deepEqual(readdirSync(folder.path), ['game.vpt']);
    assert.equal(readFileSync(join(folder.path, 'game.vpt'), 'utf8'), 'older');
  },
);

test('another process with the id of the chosen one is not recorded', onLinux, async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const chosen = { pid: target.pid, startTicks: 1 };
  await assert.rejects(recordProcess(optionsOf(folder.path, chosen)), { code: 'no_such_process' });
});
