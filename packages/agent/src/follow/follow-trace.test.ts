// A followed trace from its start to its end: which files are followed, what is merged, and what the status says.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from '@svc/contracts/agent';
import { formatHeader, formatRecord, type Header, type TraceRecord } from '@svc/trace';
import { until } from '../../../../scripts/until.ts';
import { type FollowOptions, followTrace } from './follow-trace.ts';

const STARTED_AT_MS = Date.parse('2026-03-01T10:00:00.000Z');

function header(more: Partial<Header> = {}, afterMs = 0): string {
  return formatHeader({
    vpt: 1,
    producer: { name: 'vpt.h', version: '1' },
    started_at: new Date(STARTED_AT_MS + afterMs).toISOString(),
    sources: ['native'],
    ...more,
  });
}

const mark = (t: number, name = 'mark'): string => formatRecord({ type: 'mark', t, name });
const END = formatRecord({ type: 'end', t: 9000, reason: 'closed' });

function following(t: TestContext, more: Partial<FollowOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-follow-'));
  const path = join(folder, 'game.vpt');
  const records: TraceRecord[] = [];
  const states: string[] = [];
  /** The number of records at each end of a trace. */
  const ends: number[] = [];
  const followed = followTrace({
    path,
    startedAtMs: STARTED_AT_MS,
    processStartedAtMs: STARTED_AT_MS - 5000,
    programWaits: false,
    now: () => 10_000,
    isRunning: () => true,
    isOpen: () => true,
    append: async (some) => {
      records.push(...some);
      return some.length;
    },
    onTraceEnd: () => void ends.push(records.length),
    onChange: () => states.push(stateOf()),
    ...more,
  });
  const stateOf = (): string => {
    const { state, reason } = followed.probe;
    return reason === undefined ? state : `${state}: ${reason}`;
  };
  t.after(async () => {
    await followed.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const names = (): string[] =>
    records.map((record) => (record.type === 'mark' ? record.name : record.type));
  const becomes = (wanted: string): Promise<string> =>
    until(stateOf, (state) => state === wanted, `the state is "${wanted}"`);
  const has = (...wanted: string[]): Promise<string[]> =>
    until(names, (found) => found.join() === wanted.join(), `there are ${wanted.join()}`);
  return { path, followed, records, states, becomes, has, names, ends };
}

test('records are merged while the trace is written, whole lines only, until its end', async (t) => {
  const { path, records, states, becomes, has, ends } = following(t);
  await becomes('running: game.vpt does not exist yet');
  writeFileSync(path, header({ gpu: { name: 'llvmpipe', software: true } }, 500));
  await has('log');
  appendFileSync(path, mark(1, 'one') + mark(2, 'two').slice(0, 9));
  await has('log', 'one');
  await becomes('running');
  appendFileSync(path, mark(2, 'two').slice(9));
  await has('log', 'one', 'two');
  appendFileSync(path, mark(3, 'three') + END);
  await becomes('running: The program has ended its trace game.vpt');
  assert.deepEqual([...new Set(ends)], [0, 4], 'the last records come before the end');
  assert.deepEqual(
    records.map(({ t: at }) => at),
    [10_000, 501, 502, 503],
  );
  const [log] = records;
  assert.ok(log?.type === 'log');
  assert.equal(
    log.text,
    'svc merges game.vpt, written by vpt.h 1. Graphics: llvmpipe, which renders on the CPU.',
  );
  assert.deepEqual(states, ['running', 'running: The program has ended its trace game.vpt']);
});

test('what the program wrote before the end of the recording is in it', async (t) => {
  const { path, followed, has, names } = following(t);
  writeFileSync(path, header());
  await has('log');
  const stopped = followed.stop();
  // A writer needs up to 100 ms to write its records.
  await sleep(50);
  appendFileSync(path, mark(1, 'last'));
  await stopped;
  assert.deepEqual(names(), ['log', 'last']);
  assert.deepEqual(followed.probe, { id: 'follow', state: 'off' });
});

test('a trace that was complete before the first look is merged by a stop', async (t) => {
  const { path, followed, names } = following(t, { isRunning: () => false });
  writeFileSync(path, header() + mark(1, 'one') + END);
  await followed.stop();
  assert.deepEqual(names(), ['log', 'one']);
});

test('a trace that never came is stated at the end', async (t) => {
  const { followed, states } = following(t);
  await followed.stop();
  const reason = 'The program has not written game.vpt';
  assert.deepEqual(followed.probe, { id: 'follow', state: 'unavailable', reason });
  assert.deepEqual(states, [`unavailable: ${reason}`]);
});

test('a trace of an earlier run is not merged, and the one that replaces it is', async (t) => {
  const { path, followed, becomes, has } = following(t);
  writeFileSync(path, header({}, -6001) + mark(1, 'old'));
  await becomes(
    'running: game.vpt is of an earlier run, and the program has not written a new one yet',
  );
  const grown = (): string => {
    appendFileSync(path, `${mark(2, 'old')}not JSON\n`);
    return followed.probe.reason ?? '';
  };
  const isWritten =
    'game.vpt began before the program, but is being written: the clock was changed, or another program writes it';
  await until(grown, (reason) => reason === isWritten, 'the growth is stated');
  // The start of the process is known to the second.
  writeFileSync(path, header({}, -6000) + mark(6001, 'new'));
  await has('log', 'new');
});

test('a program that waits for its start has no trace before', async (t) => {
  const { path, followed, becomes, has, names } = following(t, {
    programWaits: true,
    startedAtMs: Date.now(),
    processStartedAtMs: Date.now(),
  });
  const started_at = new Date().toISOString();
  writeFileSync(path, header({ started_at }) + mark(1, 'of the run before'));
  await sleep(150);
  followed.programStarts();
  await becomes(
    'running: game.vpt is of an earlier run, and the program has not written a new one yet',
  );
  assert.deepEqual(names(), []);
  writeFileSync(path, header({ started_at: new Date().toISOString() }) + mark(1, 'of this run'));
  await has('log', 'of this run');
});

test('nothing is read if the recording ends before the program starts', async (t) => {
  const { path, followed, names } = following(t, { programWaits: true });
  writeFileSync(path, header() + mark(1));
  assert.equal(followed.probe.reason, 'game.vpt is read when the program runs');
  await followed.stop();
  assert.deepEqual(names(), []);
  const reason = 'The program has not written game.vpt';
  assert.deepEqual(followed.probe, { id: 'follow', state: 'unavailable', reason });
});

test('what cannot be merged is refused with the reason', async (t) => {
  const rows: [string, string][] = [
    [
      header({ sources: ['browser'] }),
      'game.vpt is not of a native game: it has records of another source',
    ],
    [
      header({ sources: ['native', 'import'] }),
      'game.vpt is not of a native game: it has records of another source',
    ],
    [
      header({ started_at: null }),
      'game.vpt does not state when it began, so its times are unknown',
    ],
    [
      header({ producer: { name: 'svc agent', version: '1' } }),
      'game.vpt is a recording of svc, and not the trace of a game',
    ],
    [
      'fps,frametime\n1,2\n',
      'game.vpt cannot be merged. Cannot read line 1: it is not a JSON object; a .vpt file begins with {"vpt":1,…',
    ],
  ];
  for (const [text, reason] of rows) {
    const { path, becomes, names } = following(t);
    writeFileSync(path, text + mark(1));
    await becomes(`failed: ${reason}`);
    assert.deepEqual(names(), []);
  }
});

test('an invalid line ends the following with a loss, and another trace is followed', async (t) => {
  const { path, followed, records, becomes, has } = following(t);
  writeFileSync(path, `${header()}${mark(1, 'one')}{"type":"mark"}\n${mark(2, 'two')}`);
  await has('log', 'one', 'loss');
  await becomes('failed: Only the start of game.vpt was merged. Cannot read line 3: it has no "t"');
  const loss = { type: 'loss', t: 10_000, reason: 'probe_lost', probe: 'follow' };
  assert.deepEqual(records.at(-1), loss);
  appendFileSync(path, mark(3, 'three'));
  await sleep(250);
  writeFileSync(path, header({}, 100) + mark(4, 'four'));
  await has('log', 'one', 'loss', 'log', 'four');
  await becomes('running');
  await followed.stop();
  // What is missing is stated, although the second trace is whole.
  const reason = 'Only the start of game.vpt was merged. Cannot read line 3: it has no "t"';
  assert.deepEqual([followed.probe.reason, followed.merged], [reason, 2]);
});

test('a file that was made larger in advance is merged as a whole', async (t) => {
  const { path, followed, has, states } = following(t, { isRunning: () => false });
  writeFileSync(path, header() + mark(1, 'one') + '\0'.repeat(8 * 1024 * 1024));
  await has('log', 'one');
  await followed.stop();
  assert.deepEqual(followed.probe, { id: 'follow', state: 'off' });
  assert.deepEqual(states, ['running', 'off']);
  await has('log', 'one');
});

test('a file of a run before that was made larger in advance, or has only a part of a header', async (t) => {
  const now = () => new Date().toISOString();
  for (const before of [`${header({ started_at: now() })}\0\0\0`, '{"vpt":1,']) {
    const waits = { programWaits: true, startedAtMs: Date.now() };
    const { path, followed, has } = following(t, waits);
    writeFileSync(path, before);
    followed.programStarts();
    await sleep(150);
    writeFileSync(
      path,
      header({ started_at: now(), producer: { name: 'b', version: '2' } }) + mark(1, 'new'),
    );
    await has('log', 'new');
  }
});

test('times in the future are left out, and the status says so', async (t) => {
  const { path, becomes, has } = following(t);
  writeFileSync(path, header({}, 3_600_000) + mark(1) + mark(2));
  await becomes(
    'running: 2 records of game.vpt left out because of times in the future. If the clock of the system was changed, start the game again',
  );
  await has('log');
});

test('what the game had at the start comes a second later, unless it writes before', async (t) => {
  const clock = { ms: 900 };
  const { path, records, has } = following(t, { now: () => clock.ms });
  const asset = { id: 1, name: 'rock', kind: 'texture', phase: 'load', gpu_bytes: 64 } as const;
  writeFileSync(path, header({}, -1000) + formatRecord({ type: 'asset', t: 1, ...asset }));
  await has('log');
  await sleep(250);
  await has('log');
  clock.ms = 1001;
  await has('log', 'asset');
  assert.deepEqual(records[1], {
    ...{ type: 'asset', t: 0, ...asset },
    ...{ id: '1:1', phase: 'named' },
  });
});

test('the same trace is not merged twice if its file is cut, copied or changed in place', async (t) => {
  const { path, has, names } = following(t);
  const whole = header() + mark(1, 'one') + mark(2, 'two');
  writeFileSync(path, `${whole}{"type":"ma`);
  await has('log', 'one', 'two');
  truncateSync(path, whole.length);
  appendFileSync(path, mark(3, 'three'));
  await has('log', 'one', 'two', 'three');
  writeFileSync(`${path}.copy`, whole + mark(3, 'three') + mark(4, 'four'));
  renameSync(`${path}.copy`, path);
  await has('log', 'one', 'two', 'three', 'four');
  const gpu = { name: 'llvmpipe', software: true };
  writeFileSync(
    path,
    header({ gpu }) +
      ['one', 'two', 'three', 'four', 'five'].map((name) => mark(1, name)).join('') +
      END,
  );
  await has('log', 'one', 'two', 'three', 'four', 'five');
  await sleep(250);
  assert.equal(names().length, 6);
});

test('times that stay behind are refused: the computer slept since the game started', async (t) => {
  const clock = { ms: 100_000 };
  const { path, followed } = following(t, { now: () => clock.ms });
  writeFileSync(path, header());
  const grown = (): Probe => {
    appendFileSync(path, mark(clock.ms - 7000));
    return followed.probe;
  };
  const { reason } = await until(grown, ({ state }) => state === 'failed', 'it is refused');
  assert.equal(
    reason,
    'The times of game.vpt are 7 s behind: the computer slept, or its clock was changed, since the game started. Start the game again',
  );
});

test('a last line without its end is merged when the recording ends, if it is complete', async (t) => {
  const { path, followed, has, names } = following(t, { isRunning: () => false });
  writeFileSync(path, header() + mark(1, 'one').trimEnd());
  await has('log');
  await followed.stop();
  assert.deepEqual(names(), ['log', 'one']);
});

test('a file that is not read in time is stated, with the time that is missing', async (t) => {
  const { path, followed, records } = following(t, {
    isRunning: () => false,
    // Each part takes half a second to be written.
    append: async (some) => {
      records.push(...some);
      await sleep(500);
      return some.length;
    },
  });
  const line = mark(1, 'x'.repeat(1000));
  writeFileSync(path, header() + line.repeat(6000));
  await followed.stop();
  const reason = 'The end of game.vpt was not merged, because svc could not read it in time';
  assert.deepEqual(followed.probe, { id: 'follow', state: 'failed', reason });
  await sleep(600);
  const loss = records.find(({ type }) => type === 'loss');
  assert.deepEqual(loss, {
    ...{ type: 'loss', t: 1, reason: 'probe_lost', duration_ms: 9999, probe: 'follow' },
  });
});

test('nothing is read any more when the recording is full', async (t) => {
  let isOpen = true;
  const { path, becomes, has, names } = following(t, { isOpen: () => isOpen });
  writeFileSync(path, header() + mark(1, 'one'));
  await has('log', 'one');
  isOpen = false;
  await becomes('failed: The rest of game.vpt is not merged, because the recording is full');
  appendFileSync(path, mark(2, 'two'));
  await sleep(250);
  assert.deepEqual(names(), ['log', 'one']);
});
