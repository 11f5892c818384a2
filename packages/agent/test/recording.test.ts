// The file of a recording: its name, its bounds, its summary, and the effect of failed writes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ENDING_RESERVE_BYTES } from '@svc/contracts/agent';
import { type NoteRecord, readVpt, type TraceRecord } from '@svc/trace';
import { type RecordingOptions, startRecording } from '../src/capture/recording.ts';
import { findLeftOver } from '../src/storage/find-left-over.ts';
import { holdRecording, isHeld } from '../src/storage/hold-recording.ts';
import { assertNothingOpen, temporaryFolder } from './harness.ts';

const TARGET = { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' };
const MARK: TraceRecord = { type: 'mark', t: 5, name: 'here' };

/** Starts a recording in a folder that is removed after its test. */
async function record(t: TestContext, more: Partial<RecordingOptions> = {}) {
  const folder = temporaryFolder();
  t.after(() => folder[Symbol.dispose]());
  const recording = await startRecording({
    place: { dataDir: folder.path },
    target: TARGET,
    startedAt: new Date('2026-02-03T04:05:06.789Z'),
    version: '1',
    capBytes: 64 * 1024,
    ...more,
  });
  t.after(() => recording.release().catch(() => {}));
  return { recording, folder: folder.path, partial: recording.written.path };
}

test('Recording: two of the same second have different names, and a finished one keeps its name', async (t) => {
  using folder = temporaryFolder();
  const options = { place: { dataDir: folder.path }, target: { ...TARGET, name: 'gam e/ä' } };
  for (const wanted of ['', '-2', '-3']) {
    const { recording } = await record(t, options);
    const { path } = await recording.finish('off', 1);
    assert.equal(basename(path), `20260203T040506Z-gam_e__-7${wanted}.vpt`);
    await recording.release();
  }
  assert.equal(readdirSync(join(folder.path, 'traces')).length, 3, 'and nothing beside them');
  for (const [name, wanted] of [
    ['x'.repeat(40), 'x'.repeat(32)],
    ['', 'process'],
  ] as const) {
    const { recording } = await record(t, { target: { ...TARGET, name } });
    assert.equal(recording.summary.name, `20260203T040506Z-${wanted}-7.vpt`);
  }
});

test('Recording: its summary while it grows, and at its end', async (t) => {
  const { recording, partial } = await record(t);
  const header = statSync(partial).size;
  assert.equal(recording.bytes, header, 'the header is on disk');
  const summary = {
    name: '20260203T040506Z-game-7.vpt',
    origin: 'capture',
    path: partial,
    sources: ['native'],
    started_at: '2026-02-03T04:05:06.789Z',
    records: 0,
    assets: 0,
    bytes: header,
    duration_ms: null,
    partial: true,
    truncated: false,
    torn_bytes: 0,
    notes_revision: 0,
  };
  assert.deepEqual(recording.summary, summary);
  recording.append({ type: 'asset', t: 9.00049, id: 1, name: 'a', kind: 'data', phase: 'load' });
  recording.append(MARK);
  const { path, bytes, truncated } = await recording.finish('off', 8);
  assert.equal(path, partial.replace('.partial', ''));
  assert.deepEqual([bytes, truncated], [statSync(path).size, false]);
  assert.deepEqual(recording.summary, {
    ...summary,
    path,
    records: 3,
    assets: 1,
    bytes,
    duration_ms: 9,
    partial: false,
  });
  const { lines, header: reported } = readVpt(readFileSync(path));
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['asset', 'mark', 'end'],
  );
  const { machine, ...others } = reported;
  assert.ok(machine !== undefined && machine.cores > 0);
  assert.deepEqual(others, {
    vpt: 1,
    producer: { name: 'svc agent', version: '1' },
    started_at: '2026-02-03T04:05:06.789Z',
    sources: ['native'],
    target: TARGET,
  });
});

test('Recording: the cap leaves room for the end to the byte; later records are left out', async (t) => {
  const first = await record(t);
  const header = first.recording.bytes;
  first.recording.append(MARK);
  await first.recording.finish('off', 1);
  const line = Buffer.byteLength(`${JSON.stringify(MARK)}\n`);
  const whole = header + line + ENDING_RESERVE_BYTES;
  for (const [capBytes, fits] of [
    [whole, true],
    [whole - 1, false],
  ] as const) {
    const { recording } = await record(t, { capBytes });
    recording.append(MARK);
    if (!fits) recording.append(MARK);
    const { path, truncated } = await recording.finish('off', 9);
    assert.equal(truncated, !fits, `${capBytes} bytes`);
    const { lines, end } = readVpt(readFileSync(path));
    assert.equal(end?.reason, fits ? 'off' : 'storage_cap');
    assert.deepEqual(
      lines.map(({ type }) => type),
      fits ? ['mark', 'end'] : ['loss', 'end'],
    );
  }
});

test('Recording: of records that are queued together, as many are written as the cap has room for', async (t) => {
  const first = await record(t);
  const late = { ...MARK, t: 90 };
  const lines = [late, MARK, MARK].map((one) => `${JSON.stringify(one)}\n`).join('');
  const capBytes = first.recording.bytes + Buffer.byteLength(lines) + ENDING_RESERVE_BYTES;
  const { recording } = await record(t, { capBytes });
  assert.equal(recording.isOpen, true);
  await recording.appendAll([late, MARK, MARK, MARK, MARK]);
  assert.equal(recording.isOpen, false);
  const { path, truncated } = await recording.finish('off', 99);
  const times = readVpt(readFileSync(path)).lines.map(({ type, t: at }) => [type, at]);
  // The end is not before the records.
  const wanted = [['mark', 90], ...[1, 2].map(() => ['mark', 5]), ['loss', 90], ['end', 90]];
  assert.deepEqual([times, truncated], [wanted, true]);
});

test('Recording: many records and long ones are written in parts; a line that is too long for readers is a loss', async (t) => {
  const { recording } = await record(t, { capBytes: 64 * 1024 * 1024 });
  const dims = Array.from({ length: 70_000 }, () => 9e15);
  const asset = { type: 'asset', id: 1, name: 'a', kind: 'data', phase: 'load' } as const;
  const long: TraceRecord = { ...asset, t: 6, dims };
  const fitting: TraceRecord = { ...asset, t: 7, dims: dims.slice(0, 60_000) };
  const marks = Array.from({ length: 100_000 }, () => MARK);
  await recording.appendAll([fitting, long, fitting, ...marks]);
  const { path, bytes } = await recording.finish('off', 9);
  const { lines } = readVpt(readFileSync(path));
  assert.deepEqual(
    lines.slice(0, 3).map(({ type }) => type),
    ['asset', 'loss', 'asset'],
  );
  assert.deepEqual(lines[1], { type: 'loss', t: 6, reason: 'line_too_long', count: 1 });
  assert.equal(lines.length, 3 + marks.length + 1);
  assert.equal(bytes, readFileSync(path).length);
});

/** The unchanged `write` of a handle. `length` is null for all of the bytes. */
function writeOf(handle: FileHandle) {
  return handle.write.bind(handle) as (
    bytes: Buffer,
    at: number,
    length: number | null,
    position: number,
  ) => Promise<{ bytesWritten: number; buffer: Buffer }>;
}

const note = (id: number, text = 'x'): NoteRecord => ({ type: 'note', t: 4, id, text });

test('Recording: notes are written in order with the other records, and are on disk at once', async (t) => {
  const { recording, partial } = await record(t);
  recording.append(MARK);
  const added = recording.appendNotes([{ ...note(1), duration_ms: 90 }, note(2)]);
  recording.append({ ...MARK, name: 'later' });
  await added;
  assert.deepEqual(
    readVpt(readFileSync(partial))
      .lines.slice(0, 3)
      .map(({ type }) => type),
    ['mark', 'note', 'note'],
  );
  const { records, duration_ms, bytes } = recording.summary;
  assert.deepEqual([records >= 3, duration_ms, bytes > 0], [true, MARK.t, true]);
  const last = recording.appendNotes([note(3)]);
  const { path } = await recording.finish('off', 9);
  await last;
  assert.deepEqual(
    readVpt(readFileSync(path)).lines.map(({ type }) => type),
    ['mark', 'note', 'note', 'mark', 'note', 'end'],
  );
  assert.equal(recording.summary.records, 6);
  await assert.rejects(recording.appendNotes([note(4)]), { code: 'shutting_down' });
});

test('Recording: notes leave the room for the end to the byte; if they do not fit, none is written and the recording continues', async (t) => {
  const first = await record(t);
  const lines = Buffer.byteLength(`${JSON.stringify(note(1))}\n`) * 2;
  const whole = first.recording.bytes + lines + ENDING_RESERVE_BYTES;
  const fits = await record(t, { capBytes: whole });
  await fits.recording.appendNotes([note(1), note(2)]);
  assert.equal(fits.recording.summary.records, 2);
  const { recording } = await record(t, { capBytes: whole - 1 });
  await assert.rejects(recording.appendNotes([note(1), note(2)]), {
    code: 'storage_full',
    message: /has no room for them/,
  });
  await recording.appendNotes([note(3)]);
  recording.append({ ...MARK, name: 'too long'.repeat(10) });
  await assert.rejects(recording.appendNotes([note(4)]), {
    code: 'storage_full',
    message: /has ended for lack of room/,
  });
  const { path, truncated } = await recording.finish('off', 9);
  const { lines: kept, end } = readVpt(readFileSync(path));
  assert.deepEqual(
    kept.map(({ type }) => type),
    ['note', 'loss', 'end'],
  );
  assert.deepEqual([end?.reason, truncated], ['storage_cap', true]);
});

test('Recording: notes that a full disk rejects are not written in part, and the recording continues', async (t) => {
  for (const [code, refused] of [
    ['ENOSPC', { code: 'storage_full', message: 'Cannot add notes: the disk is full' }],
    ['EBADF', { code: 'EBADF' }],
  ] as const) {
    const { recording } = await record(t);
    const { handle } = recording;
    const write = writeOf(handle);
    let calls = 0;
    const { mock } = t.mock.method(
      handle,
      'write',
      async (bytes: Buffer, at: number, _all: null, position: number) => {
        calls++;
        if (calls === 1) return write(bytes, at, bytes.length - 10, position);
        throw Object.assign(new Error(code), { code });
      },
    );
    await assert.rejects(recording.appendNotes([note(1), note(2)]), refused);
    mock.restore();
    recording.append(MARK);
    await recording.appendNotes([note(3)]);
    const { path, truncated } = await recording.finish('off', 9);
    const { lines, torn_bytes } = readVpt(readFileSync(path));
    assert.deepEqual([truncated, torn_bytes], [false, 0], code);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['mark', 'note', 'end'],
    );
  }
});

test('Recording: a partial write is continued with the rest of the line', async (t) => {
  const { recording } = await record(t);
  const { handle } = recording;
  const write = writeOf(handle);
  t.mock.method(handle, 'write', (bytes: Buffer, at: number, _all: null, position: number) =>
    write(bytes, at, Math.min(7, bytes.length - at), position),
  );
  recording.append(MARK);
  const { path } = await recording.finish('off', 9);
  const { lines, torn_bytes } = readVpt(readFileSync(path));
  assert.deepEqual([lines[0], lines.length, torn_bytes], [MARK, 2, 0]);
});

test('Recording: a write that fails within a line ends the file with its reason, in whole lines', async (t) => {
  for (const [code, reason] of [
    ['ENOSPC', 'disk_full'],
    ['EDQUOT', 'disk_full'],
    ['EIO', 'write_failed'],
  ] as const) {
    const { recording } = await record(t);
    const { handle } = recording;
    const write = writeOf(handle);
    recording.append(MARK);
    let calls = 0;
    const { mock } = t.mock.method(
      handle,
      'write',
      async (bytes: Buffer, at: number, _all: null, position: number) => {
        calls++;
        if (calls === 2) return write(bytes, at, 1_500, position);
        if (calls === 3) throw Object.assign(new Error(code), { code });
        return write(bytes, at, null, position);
      },
    );
    recording.append({ ...MARK, name: 'x'.repeat(2_000) });
    recording.append({ ...MARK, name: 'too late' });
    const { path, truncated, bytes } = await recording.finish('off', 9);
    mock.restore();
    assert.deepEqual([truncated, bytes], [true, statSync(path).size], code);
    const { lines, end, torn_bytes } = readVpt(readFileSync(path));
    assert.deepEqual([end?.reason, torn_bytes], [reason, 0]);
    assert.deepEqual(
      lines.map((line) => (line.type === 'loss' ? line.reason : line.type)),
      ['mark', reason, 'end'],
    );
    assert.equal(recording.summary.partial, false, 'it has its end');
  }
});

test('Recording: if not even its end can be written, it stays partial', async (t) => {
  const { recording, partial } = await record(t);
  const header = readFileSync(partial, 'utf8');
  t.mock.method(recording.handle, 'write', () =>
    Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })),
  );
  const { path, bytes, truncated } = await recording.finish('off', 9);
  assert.deepEqual([bytes, truncated], [header.length, true]);
  assert.equal(readFileSync(path, 'utf8'), header);
  assert.deepEqual([recording.summary.partial, recording.summary.records], [true, 0]);
});

test("Recording: a file that can't be synced is reported as truncated", async (t) => {
  const { recording } = await record(t);
  const { mock } = t.mock.method(recording.handle, 'sync', () => Promise.reject(new Error('EIO')));
  assert.equal((await recording.finish('off', 9)).truncated, true);
  assert.equal(mock.callCount(), 1);
});

test('Recording: a file that has its final name meanwhile is not replaced, and the recording keeps its partial name', async (t) => {
  const { recording, partial } = await record(t);
  const taken = partial.replace('.partial', '');
  writeFileSync(taken, 'another file');
  const { path, truncated } = await recording.finish('off', 9);
  assert.deepEqual([path, truncated], [partial, false]);
  assert.equal(readVpt(readFileSync(path)).end?.reason, 'off');
  assert.equal(readFileSync(taken, 'utf8'), 'another file');

  const moved = await record(t);
  const there = join(moved.folder, 'mine.vpt.partial');
  renameSync(moved.partial, there);
  writeFileSync(join(moved.folder, 'mine.vpt'), 'another file');
  assert.equal((await moved.recording.finish('off', 9)).path, there);
  assert.equal(readFileSync(join(moved.folder, 'mine.vpt'), 'utf8'), 'another file');
});

test('Recording: a deleted recording is written again, but never over another file', async (t) => {
  const { recording, partial } = await record(t);
  recording.append(MARK);
  rmSync(partial);
  const { path, bytes, truncated } = await recording.finish('off', 9);
  assert.deepEqual([path, truncated], [partial.replace('.partial', ''), false]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(path).size, bytes);
  assert.equal(readVpt(readFileSync(path)).records, 2);

  const other = await record(t);
  rmSync(other.partial);
  const taken = other.partial.replace('.partial', '');
  writeFileSync(taken, 'another file');
  const lost = await other.recording.finish('off', 9);
  assert.deepEqual([lost.path, lost.truncated], [other.partial, true]);
  assert.equal(readFileSync(taken, 'utf8'), 'another file');
});

test('Recording: a link at the old path of a moved recording is not taken for it', async (t) => {
  const { recording, partial, folder } = await record(t);
  renameSync(partial, join(folder, 'kept.vpt.partial'));
  writeFileSync(join(folder, 'other'), 'not this one');
  symlinkSync(join(folder, 'other'), partial);
  const { path } = await recording.finish('off', 9);
  assert.equal(path, join(folder, 'kept.vpt'));
  assert.equal(readFileSync(partial, 'utf8'), 'not this one');
});

test('Recording: it is held until release, and leaves nothing open', async (t) => {
  const { recording, folder } = await record(t);
  const { path } = await recording.finish('off', 9);
  assert.equal(await isHeld(path), true);
  assert.equal(readFileSync(path, 'utf8').includes('"end"'), true);
  await recording.release();
  assert.equal(await isHeld(path), false);
  await assertNothingOpen(folder);
  assert.deepEqual(readdirSync(folder), ['traces']);
});

test('holdRecording identifies the file, however its path is written; a second hold is refused', async (t) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.vpt.partial');
  const other = join(folder.path, 'b.vpt.partial');
  writeFileSync(path, 'x');
  writeFileSync(other, 'x');
  symlinkSync(path, join(folder.path, 'link'));
  assert.equal(await isHeld(path), false);
  const hold = await holdRecording(path);
  t.after(() => hold[Symbol.asyncDispose]());
  assert.equal(await isHeld(join(folder.path, 'link')), true);
  assert.equal(await isHeld(other), false);
  await assert.rejects(holdRecording(path), { code: 'EADDRINUSE' });
  await hold[Symbol.asyncDispose]();
  assert.equal(await isHeld(path), false);
});

test('holdRecording: on a system whose addresses are files, one that was left behind is removed', async (t) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.vpt.partial');
  const sockets = join(folder.path, '.local/share/svc');
  writeFileSync(path, 'x');
  actAs(t, 'darwin', folder.path);
  assert.equal(await isHeld(path), false);
  const hold = await holdRecording(path);
  t.after(() => hold[Symbol.asyncDispose]());
  assert.equal(await isHeld(path), true);
  await assert.rejects(holdRecording(path), { code: 'EADDRINUSE' });
  const [name = ''] = readdirSync(sockets);
  await hold[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(sockets), []);

  leaveBehind(join(sockets, name));
  assert.equal(await isHeld(path), false);
  assert.deepEqual(readdirSync(sockets), []);
  leaveBehind(join(sockets, name));
  const both = await Promise.allSettled([holdRecording(path), holdRecording(path)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(await isHeld(path), true);
  for (const one of both) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(sockets), []);
});

/** Leaves a socket as a program does that was killed while it listened. */
function leaveBehind(address: string): void {
  const listen = `require('node:net').createServer().listen(${JSON.stringify(address)}, () => process.kill(process.pid, 'SIGKILL'))`;
  assert.equal(spawnSync(process.execPath, ['-e', listen]).signal, 'SIGKILL');
  assert.ok(existsSync(address));
}

/** Makes the program believe that it runs on another system, with another home folder. */
function actAs(t: TestContext, platform: string, home: string): void {
  const own = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  const { HOME } = process.env;
  Object.defineProperty(process, 'platform', { ...own, value: platform });
  process.env['HOME'] = home;
  t.after(() => {
    Object.defineProperty(process, 'platform', own);
    if (HOME === undefined) delete process.env['HOME'];
    else process.env['HOME'] = HOME;
  });
}

test('findLeftOver: newest first, with size and time, and without those that are held', async (t) => {
  using folder = temporaryFolder();
  const traces = join(folder.path, 'traces');
  mkdirSync(traces);
  const times = { 'b.vpt.partial': 2_000, 'a.vpt.partial': 3_000, 'c.vpt.partial': 1_000 };
  for (const [name, seconds] of Object.entries(times)) {
    writeFileSync(join(traces, name), 'x'.repeat(seconds / 1_000));
    utimesSync(join(traces, name), seconds, seconds);
  }
  const wanted = ['a', 'b', 'c'].map((letter, at) => ({
    name: `${letter}.vpt.partial`,
    path: join(traces, `${letter}.vpt.partial`),
    bytes: 3 - at,
    modified_at: new Date((3 - at) * 1e6).toISOString(),
  }));
  assert.deepEqual(await findLeftOver(folder.path), wanted);
  const hold = await holdRecording(join(traces, 'b.vpt.partial'));
  t.after(() => hold[Symbol.asyncDispose]());
  const names = (await findLeftOver(folder.path)).map(({ name }) => name);
  assert.deepEqual(names, ['a.vpt.partial', 'c.vpt.partial']);
  assert.ok(existsSync(join(traces, 'b.vpt.partial')), 'nothing is deleted');
});
