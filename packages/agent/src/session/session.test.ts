// The session alone, with a fake process: what it refuses, what it reports about probes, and what
// it releases.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AGENT_LIMITS } from '@svc/contracts/agent';
import { readVpt } from '@svc/trace';
import { until } from '../../../../scripts/until.ts';
import { within } from '../../test/within.ts';
import type { ProbeKind } from '../probes/probe-kind.ts';
import type { PinnedProcess } from '../target/pin-process.ts';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import { Session, type SessionOptions } from './session.ts';

const NO_MAP = 'There is no memory map to read';

/** A process whose PSS can't be read, so that no thread is needed for it. */
function processOf(more: Partial<PinnedProcess> = {}) {
  const calls = { exited: 0, released: 0 };
  const process: PinnedProcess = {
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    folder: '/proc/self',
    pssDenied: NO_MAP,
    read: () => ({ cpuMs: 1, rssBytes: 4096, threads: 1 }),
    exited: () => {
      calls.exited++;
      return false;
    },
    release: () => {
      calls.released++;
    },
    ...more,
  };
  return { process, calls };
}

function sessionOf(t: TestContext, more: Partial<SessionOptions> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-session-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const heard: string[] = [];
  const session = new Session({
    keys: { keyring: { available: true }, providers: [] },
    process: null,
    launched: false,
    retained: null,
    recovered: [],
    offers: [],
    follow: null,
    ttlMs: 60_000,
    limits: { ...AGENT_LIMITS },
    place: { dataDir },
    version: '1',
    capBytes: 1024 * 1024,
    pssIntervalMs: 1_000,
    startWorker: () => assert.fail('no thread is needed'),
    onChange: () => heard.push(session.status().state),
    onBusyChild: () => {},
    onEnding: () => heard.push('ending'),
    ...more,
  });
  t.after(() => session.end('signal').then(() => session.release()));
  return { session, dataDir, heard };
}

/** An imported trace, with the number of its releases. */
function importedTrace() {
  const released = { times: 0 };
  const trace: RetainedTrace = {
    summary: {
      id: '1',
      name: 'imported',
      origin: 'import',
      path: null,
      sources: [],
      started_at: null,
      records: 0,
      assets: 0,
      bytes: 0,
      duration_ms: null,
      partial: false,
      truncated: false,
      torn_bytes: 0,
      notes_revision: 0,
    },
    open: () => null,
    fileBytes: 0,
    addNotes: async () => {},
    release: async () => {
      released.times++;
    },
  };
  return { trace, released };
}

test('start rejects a process that has exited, and creates no recording', async (t) => {
  const { process } = processOf({ exited: () => true });
  const { session, dataDir } = sessionOf(t, { process });
  await assert.rejects(session.start(), { code: 'target_exited' });
  assert.equal(session.status().state, 'inactive');
  assert.deepEqual(readdirSync(dataDir), []);
});

test('a start that fails for a reason other than storage rejects with that reason, and can be repeated', async (t) => {
  const dataDir = join(tmpdir(), 'no\0path');
  const { session } = sessionOf(t, { process: processOf().process, place: { dataDir } });
  for (let times = 0; times < 2; times++) {
    await assert.rejects(session.start(), { message: /without null bytes/ });
    assert.equal(session.status().state, 'inactive');
  }
});

test('an end during the start of a capture waits for it and finishes its recording', async (t) => {
  const { process } = processOf({ pssDenied: null });
  const late = `const { parentPort } = require('node:worker_threads');
    parentPort.once('message', () => parentPort.postMessage('ready'));`;
  const worker = new Worker(late, { eval: true });
  const { session } = sessionOf(t, { process, startWorker: () => worker });
  const started = session.start();
  assert.equal(session.status().state, 'inactive');
  await assert.rejects(session.start(), { code: 'already_capturing' });
  const ended = session.end('off');
  worker.postMessage('go on');
  const { trace } = await within(ended, 'the ending');
  await started;
  assert.equal(readVpt(readFileSync(trace?.path ?? '')).end?.reason, 'off');
  assert.match(trace?.path ?? '', /\.vpt$/);
  assert.equal(session.status().state, 'ended');
});

test('every sample is reported; one that could not be taken is a loss in the recording', async (t) => {
  let readings = 0;
  const { process } = processOf({
    read: () => {
      if (readings++ === 0) throw Object.assign(new Error('no memory'), { code: 'ENOMEM' });
      return { cpuMs: 1, rssBytes: 4096, threads: 1 };
    },
  });
  const { session, heard } = sessionOf(t, { process });
  await session.start();
  assert.deepEqual(heard, ['capturing']);
  await until(
    () => heard.length,
    (count) => count === 2,
    'the sample to be heard of',
  );
  assert.equal(session.status().metric?.rss_bytes, 4096);
  const { trace } = await within(session.end('off'), 'the ending');
  const { lines } = readVpt(readFileSync(trace?.path ?? ''));
  const [loss] = lines;
  assert.ok(loss?.type === 'loss', JSON.stringify(loss));
  assert.deepEqual([loss.reason, loss.count, loss.duration_ms], ['late_sampler', 1, 1_000]);
});

test('a hurried ending does not wait for the last batch of a probe', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { process } = processOf();
  const kind: ProbeKind = { id: 'stacks', open: () => ({ line() {}, tick() {}, end() {} }) };
  // It continues although its input has ended, and no timer of this test ends it.
  const script = 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000';
  const folder = mkdtempSync(join(tmpdir(), 'svc-collector-'));
  const pid = join(folder, 'pid');
  t.after(() => {
    if (existsSync(pid)) globalThis.process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const command = {
    file: 'env',
    args: [`--chdir=${folder}`, 'sh', '-c', script],
    env: { PATH: globalThis.process.env['PATH'] ?? '' },
    announces: true,
  };
  const offer = {
    id: 'stacks',
    capability: { available: true },
    start: { kind, command },
  } as const;
  const { session } = sessionOf(t, { process, offers: [offer] });
  await session.start();
  const end = performance.now() + 60_000;
  for await (const _ of setInterval(20)) {
    if (existsSync(pid)) break;
    assert.ok(performance.now() < end, 'the collector runs');
  }
  const ended = session.end('off');
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.equal(over, false, 'it waits for the batch');
  const hurried = await within(session.endAtOnce('signal'), 'the ending at once', 15_000);
  assert.deepEqual(hurried, { ending: await ended, finished: true });
  assert.equal(hurried.ending.reason, 'off');
});

test("probes: off until the start, then running; each that can't run has a reason before and after", async (t) => {
  const { process } = processOf();
  const reason = 'bpftrace is not installed';
  const offer = { id: 'stacks', capability: { available: false, reason }, start: null } as const;
  const pss = { id: 'pss', state: 'unavailable', reason: NO_MAP };
  const stacks = { id: 'stacks', state: 'unavailable', reason };
  const { session } = sessionOf(t, { process, offers: [offer] });
  assert.deepEqual(session.status().probes, [{ id: 'process', state: 'off' }, pss, stacks]);
  await session.start();
  const { probes, capabilities } = session.status();
  assert.deepEqual(probes, [{ id: 'process', state: 'running' }, pss, stacks]);
  assert.deepEqual(capabilities.pss, { available: false, reason: NO_MAP });
  assert.deepEqual(capabilities.stacks, { available: false, reason });
  assert.equal((await within(session.end('off'), 'the ending')).reason, 'off');
  const other = processOf({ pssDenied: null });
  const files = { id: 'files', capability: { available: true }, start: null } as const;
  const readable = sessionOf(t, { process: other.process, offers: [files] }).session.status();
  assert.deepEqual(readable.probes[1], { id: 'pss', state: 'off' });
  assert.deepEqual(readable.probes[2], { id: 'files', state: 'off' });
  assert.deepEqual(readable.capabilities.pss, { available: true });
});

test('an import replaces the previous trace, which is released; during a capture the import is released', async (t) => {
  const [one, two, late] = [importedTrace(), importedTrace(), importedTrace()];
  const { process, calls } = processOf();
  const { session, heard } = sessionOf(t, { process, retained: one.trace });
  await session.retainImport(two.trace);
  assert.equal(session.retained, two.trace);
  assert.deepEqual([one.released.times, two.released.times], [1, 0]);
  assert.deepEqual(heard, ['inactive'], 'Status has changed');
  await session.start();
  await assert.rejects(session.retainImport(late.trace), { code: 'capturing' });
  assert.equal(late.released.times, 1);
  await within(session.end('off'), 'the ending');
  assert.equal(session.retained?.summary.origin, 'capture');
  assert.equal(two.released.times, 1);
  assert.equal(calls.released, 0, 'it can be read until the session lets go');
  await session.release();
  assert.equal(calls.released, 1);
});

test('the id of a recording stays the same until the end, and differs from the id of the trace before', async (t) => {
  const { process } = processOf();
  const { session } = sessionOf(t, { process, retained: importedTrace().trace });
  const before = session.status().trace?.id;
  await session.start();
  const growing = await until(
    () => session.status().trace,
    (trace) => trace?.origin === 'capture',
  );
  await until(
    () => session.status().trace?.bytes,
    (bytes) => bytes !== growing?.bytes,
    'a second sample',
  );
  assert.equal(session.status().trace?.id, growing?.id);
  await within(session.end('off'), 'the ending');
  const ended = session.status().trace;
  assert.notEqual(ended?.path, growing?.path, 'it is renamed');
  assert.equal(ended?.id, growing?.id);
  assert.notEqual(ended?.id, before);
});

test('the session ends when its time is over, and watches nothing after that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { process, calls } = processOf();
  const { session, heard } = sessionOf(t, { process, ttlMs: 10_000 });
  session.watch();
  t.mock.timers.tick(9_999);
  assert.equal(session.isEnding, false);
  assert.ok(calls.exited > 10, 'the target is looked at');
  t.mock.timers.tick(1);
  assert.deepEqual(await within(session.ended, 'the ending'), { reason: 'ttl', trace: null });
  assert.deepEqual(heard, ['ending', 'ended'], 'reported before the flush and after it');
  const looks = calls.exited;
  t.mock.timers.tick(60_000);
  assert.equal(calls.exited, looks);
});

test('abandon releases the process and the trace, and nothing ends later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { process, calls } = processOf();
  const { trace, released } = importedTrace();
  const { session } = sessionOf(t, { process, retained: trace, ttlMs: 10_000 });
  session.watch();
  await session.abandon();
  assert.deepEqual([calls.released, released.times], [1, 1]);
  t.mock.timers.tick(60_000);
  assert.deepEqual([calls.exited, session.isEnding], [0, false]);
});
