// A trace that a game writes itself, in the recording of the game.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportTrace } from '@svc/contracts/agent';
import { type FramesRecord, formatHeader, readVpt, type TraceRecord } from '@svc/trace';
import { launchProgram, recordProcess } from '../src/index.ts';
import { clientOf, startTarget, startTestAgent, temporaryFolder, until } from './harness.ts';

const PROGRAM = join(import.meta.dirname, 'tracing-program.ts');
/** Three clocks are read in whole milliseconds: at both starts, and for the mark. */
const CLOCK_MS = 3;

const framesOf = (lines: readonly TraceRecord[]): FramesRecord[] =>
  lines.filter((record) => record.type === 'frames');

const durationsOf = (lines: readonly TraceRecord[]): number[] =>
  framesOf(lines).flatMap(({ duration_ms }) => duration_ms);

function header(startedAt: number): string {
  return formatHeader({
    ...{ vpt: 1, producer: { name: 'game', version: '1' }, sources: ['native'] },
    started_at: new Date(startedAt).toISOString(),
  });
}

test('a recording has every record of the trace that the program writes, at its time', async () => {
  using folder = temporaryFolder();
  const own = join(folder.path, 'own.vpt');
  // Of an earlier run: the program writes a new one.
  writeFileSync(own, `${header(Date.now() - 10)}{"type":"mark","t":1,"name":"old"}\n`);
  const words = [process.execPath, PROGRAM, own];
  await using program = launchProgram({ words, cwd: '/', env: process.env, stdout: 'stderr' });
  const recorded = await recordProcess({
    ...{ process: program, output: join(folder.path, 'recording.vpt'), follow: own },
    ...{ capBytes: 2 ** 20, pssIntervalMs: 1000, probes: [], version: '1' },
    signal: new AbortController().signal,
    ...{ onStart: () => {}, onRun: () => {}, onSample: () => {} },
  });
  assert.deepEqual(await program.exited, { code: 0, signal: null });
  const written = readVpt(readFileSync(own));
  const merged = readVpt(readFileSync(recorded.trace.path));
  assert.equal(merged.end?.reason, 'target_exit');
  assert.deepEqual(durationsOf(merged.lines), durationsOf(written.lines));
  assert.equal(durationsOf(merged.lines).length, 101);
  assert.ok(framesOf(merged.lines).every(({ draws }) => draws?.[0] === 7));
  const asset = merged.lines.find((record) => record.type === 'asset');
  assert.deepEqual([asset?.id, asset?.name], ['1:1', 'art/rock.png']);
  const marks = merged.lines.filter((record) => record.type === 'mark');
  assert.equal(marks.length, 1);
  const [mark] = marks;
  const epochMs = Number(mark?.name.slice('epoch '.length));
  const startedAtMs = Date.parse(merged.header.started_at ?? '');
  const offMs = startedAtMs + (mark?.t ?? 0) - epochMs;
  assert.ok(Math.abs(offMs) < CLOCK_MS, `the mark is ${offMs} ms off`);
  // The samples go on beside it, and the frames are within the program's run.
  assert.ok(merged.lines.some(({ type }) => type === 'process'));
  const started = merged.lines.find(
    (record) => record.type === 'log' && record.text.startsWith('svc starts'),
  );
  assert.ok((framesOf(merged.lines)[0]?.t ?? 0) > (started?.t ?? Number.POSITIVE_INFINITY));
  // The frames, the asset and the mark.
  assert.equal(recorded.merged, 103);
  const follow = recorded.probes.find(({ id }) => id === 'follow');
  assert.notEqual(follow?.state, 'unavailable');
});

test('a session follows from Start on, says what it waits for, and merges what is written later', async () => {
  using folder = temporaryFolder();
  const follow = join(folder.path, 'own.vpt');
  await using target = await startTarget();
  await using dashboard = await startTestAgent({ pid: target.pid, follow });
  const client = clientOf(dashboard.agent);
  const state = async () =>
    (await client.call('status', {})).probes.find(({ id }) => id === 'follow');
  assert.deepEqual(await state(), { id: 'follow', state: 'off' });
  await client.call('start', {});
  const reason = 'own.vpt does not exist yet';
  assert.deepEqual(await state(), { id: 'follow', state: 'running', reason });
  writeFileSync(follow, header(Date.now()));
  await until(state, (probe) => probe?.reason === undefined, 'the trace is followed');
  appendFileSync(follow, '{"type":"frames","t":1,"duration_ms":[16,17]}\n');
  const exported = async () =>
    readVpt((await (await exportTrace(client))?.response.text()) ?? '').lines;
  await until(exported, (lines) => durationsOf(lines).length === 2, 'the frames are recorded');
  rmSync(follow);
  writeFileSync(follow, `${header(Date.now())}{"type":"mark"}\n`);
  const failed = await until(state, (probe) => probe?.state === 'failed', 'the second is invalid');
  assert.equal(
    failed?.reason,
    'Only the start of own.vpt was merged. Cannot read line 2: it has no "t"',
  );
});

test('a session without a process follows nothing, and says so', async () => {
  await using dashboard = await startTestAgent({ follow: '/nowhere/own.vpt' });
  const { probes } = await clientOf(dashboard.agent).call('status', {});
  assert.deepEqual(probes, [
    {
      ...{ id: 'follow', state: 'unavailable' },
      reason: 'No process was authorized: start with --pid PID, --name NAME or -- PROGRAM',
    },
  ]);
});

test('a trace that is larger than the storage cap ends the recording in its room', async () => {
  using folder = temporaryFolder();
  const follow = join(folder.path, 'own.vpt');
  await using target = await startTarget();
  const line = '{"type":"mark","t":1,"name":"boss"}\n';
  const ending = new AbortController();
  const output = join(folder.path, 'recording.vpt');
  const { trace } = await recordProcess({
    ...{ process: { pid: target.pid, startTicks: null }, output, follow },
    ...{ capBytes: 16_384, pssIntervalMs: 1000, probes: [], version: '1' },
    signal: ending.signal,
    onStart: () => writeFileSync(follow, `${header(Date.now())}${line.repeat(10_000)}`),
    onRun: () => {},
    onSample: () => ending.abort(),
  });
  assert.equal(trace.truncated, true);
  const { end, lines } = readVpt(readFileSync(trace.path));
  assert.equal(end?.reason, 'storage_cap');
  assert.ok(trace.bytes > 8_000 && trace.bytes <= 16_384, `${trace.bytes}`);
  assert.ok(lines.some(({ type }) => type === 'mark'));
});
