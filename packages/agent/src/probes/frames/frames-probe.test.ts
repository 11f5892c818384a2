// The reader of the program that reports frames, from lines to records, without a kernel.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../../target/pin-process.ts';
import { framesProbe } from './frames-probe.ts';

const MS = 1_000_000;

/** The line of a call at a time in ms. */
function lineOf(call: number, ms: number, tid = 7): string {
  return `@a[${tid}, ${call}]: (${Math.round(ms * MS)}, 1, 2)`;
}

function openReader(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-frames-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const records: TraceRecord[] = [];
  const frameThreads = new Set([7]);
  const work = { cpuMs: 0, fails: false };
  const process: Pick<LinuxProcess, 'folder' | 'target' | 'read'> = {
    folder,
    target: { pid: 7, name: 'game', started_at: '' },
    read: () => {
      if (work.fails) throw new Error('no memory');
      return { cpuMs: work.cpuMs, rssBytes: 0, threads: 1 };
    },
  };
  const reader = framesProbe.open({
    process: process as LinuxProcess,
    frameThreads,
    append: (record) => records.push(record),
    toTraceMs: (ns) => ns / MS,
  });
  let call = 0;
  const swap = (ms: number, tid = 7): void => reader.line(lineOf(++call, ms, tid));
  /** Seconds without a frame, with the CPU time and the bytes from storage that each has. */
  const pass = (from: number, seconds: number, { cpuMs = 0, bytes = 0 } = {}): void => {
    for (let second = 1; second <= seconds; second++) {
      work.cpuMs += cpuMs;
      writeFileSync(join(folder, 'io'), `rchar: 5\nread_bytes: ${bytes * second}\n`);
      reader.tick(from + second * 1000);
    }
  };
  const losses = () => records.filter(({ type }) => type === 'loss');
  const durations = () =>
    records.flatMap((record) => (record.type === 'frames' ? record.duration_ms : []));
  return { reader, records, frameThreads, work, swap, pass, losses, durations };
}

test('frames: lines become frames, and the threads that present are known to the other probes', (t) => {
  const { reader, records, frameThreads, swap } = openReader(t);
  reader.ready?.(0);
  swap(100);
  swap(116);
  reader.line(lineOf(1, 140, 9));
  reader.line('@calls[7]: 3');
  reader.tick(1000);
  assert.deepEqual(records, [{ type: 'frames', t: 100, duration_ms: [16, 24] }]);
  assert.deepEqual([...frameThreads], [7, 9]);
});

test('frames: a frame in which a call was lost is not recorded, and the loss names the probe', (t) => {
  const { reader, records } = openReader(t);
  for (const [call, ms] of [
    [1, 10],
    [2, 20],
    [4, 40],
    [5, 50],
  ] as const) {
    reader.line(lineOf(call, ms));
  }
  reader.tick(1000);
  reader.tick(2000);
  assert.deepEqual(records, [
    { type: 'frames', t: 10, duration_ms: [10] },
    { type: 'frames', t: 40, duration_ms: [10] },
    { type: 'loss', t: 2000, reason: 'frames_lost', count: 1, probe: 'frames' },
  ]);
});

test('frames: the calls of several threads count in the order of their times', (t) => {
  const { reader, durations } = openReader(t);
  for (const [call, ms, tid] of [
    [1, 10, 7],
    [2, 50, 7],
    [1, 30, 9],
    [2, 70, 9],
  ] as const) {
    reader.line(lineOf(call, ms, tid));
  }
  reader.tick(1000);
  assert.deepEqual(durations(), [20, 20, 20]);
});

test('frames: what waits at the end is recorded', async (t) => {
  const { reader, durations } = openReader(t);
  for (const [call, ms] of [
    [1, 10],
    [3, 30],
    [4, 40],
  ] as const) {
    reader.line(lineOf(call, ms));
  }
  await reader.end(500);
  assert.deepEqual(durations(), [10]);
});

test('frames: a restarted collector counts from 1, and the time between is no frame', (t) => {
  const { reader, durations } = openReader(t);
  reader.ready?.(0);
  reader.line(lineOf(1, 10));
  reader.line(lineOf(2, 20));
  reader.ready?.(900);
  reader.line(lineOf(1, 910));
  reader.line(lineOf(2, 920));
  reader.tick(1000);
  assert.deepEqual(durations(), [10, 10]);
});

test('frames: a pause in which the program does nothing is no frame', (t) => {
  const { pass, swap, losses, durations, reader } = openReader(t);
  swap(0);
  swap(10);
  pass(0, 13, { cpuMs: 20 });
  swap(13_500);
  swap(13_510);
  reader.tick(14_000);
  assert.deepEqual(durations(), [10, 10]);
  assert.deepEqual(losses(), [
    { type: 'loss', t: 10, reason: 'not_drawing', duration_ms: 13_490, probe: 'frames' },
  ]);
});

test('frames: a long frame in which the program works, reads, or is idle for less than ten seconds, is a frame', (t) => {
  for (const [seconds, work] of [
    [13, { cpuMs: 60 }],
    [13, { bytes: 4096 }],
    [10, { cpuMs: 20 }],
  ] as const) {
    const { pass, swap, losses, durations, reader } = openReader(t);
    swap(0);
    swap(10);
    pass(0, seconds, work);
    swap(13_500);
    reader.tick(14_000);
    assert.deepEqual(durations(), [10, 13_490], JSON.stringify(work));
    assert.deepEqual(losses(), []);
  }
});

test('frames: idle seconds between seconds of work are no pause', (t) => {
  const { pass, swap, losses, durations, reader } = openReader(t);
  swap(0);
  swap(10);
  for (let second = 0; second < 60; second += 5) {
    pass(second * 1000, 4, { cpuMs: 1000 });
    pass((second + 4) * 1000, 1);
  }
  swap(60_500);
  reader.tick(61_000);
  assert.deepEqual(durations(), [10, 60_490]);
  assert.deepEqual(losses(), []);
});

test('frames: a second in which the process cannot be read does not count as idle', (t) => {
  const { pass, swap, durations, work, reader } = openReader(t);
  swap(0);
  pass(0, 6);
  work.fails = true;
  pass(6000, 1);
  work.fails = false;
  pass(7000, 5);
  swap(13_500);
  reader.tick(14_000);
  assert.deepEqual(durations(), [13_500]);
});

test('frames: more calls than a second can have are lost, and the next second counts again', (t) => {
  const { reader, swap, losses, durations } = openReader(t);
  for (let i = 0; i < 50_002; i++) swap(i / 100);
  reader.tick(1000);
  assert.equal(durations().length, 49_999);
  swap(1100);
  swap(1110);
  reader.tick(2000);
  reader.tick(3000);
  assert.deepEqual(losses(), [
    { type: 'loss', t: 3000, reason: 'frames_lost', count: 2, probe: 'frames' },
  ]);
  assert.deepEqual(durations().slice(49_999), [10]);
});

test('frames: the note says why no frames come', (t) => {
  const { reader, swap } = openReader(t);
  assert.equal(reader.note?.(), null);
  reader.waiting?.('none');
  assert.match(reader.note?.() ?? '', /has not loaded OpenGL or EGL/);
  reader.waiting?.('vulkan');
  assert.match(reader.note?.() ?? '', /Vulkan.*MangoHud/);
  reader.ready?.(0);
  for (let second = 1; second <= 2; second++) reader.tick(second * 1000);
  assert.equal(reader.note?.(), null);
  reader.tick(3000);
  assert.match(reader.note?.() ?? '', /has presented no frame/);
  swap(3500);
  reader.tick(4000);
  assert.equal(reader.note?.(), null);
});

test('frames: the errors that bpftrace reports without tracefs do not explain an end', (t) => {
  const { reader } = openReader(t);
  const isExpected = (text: string) => reader.complaint?.(text);
  assert.equal(
    isExpected('open(/sys/kernel/tracing/uprobe_events): No such file or directory'),
    true,
  );
  assert.equal(isExpected('ERROR: failed to detach probe: uprobe:/lib/x:glXSwapBuffers'), true);
  assert.equal(isExpected('ERROR: Could not resolve symbol: /lib/x:glXSwapBuffers'), false);
});
