import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  convertedLog,
  counterOf,
  framesOf,
  recordsOf,
  rejectionOf,
} from '../testing/converted-log.ts';

const ABOUT =
  '[HasHeaderRowAtEnd],1,[platform],Windows,[config],Development,[engineversion],5.5.4-40574608,[os],Windows 11 [10.0.26100.4061] ,[loginid],9e9cf9e0,[starttimestamp],1748095037,[commandline]," "E:\\\\Projects\\\\Secret.uproject" -a,b""';

const PROFILE = [
  'EVENTS,FrameTime,GameThreadTime,GPUTime,RenderThreadTime,RHI/DrawCalls,RHI/PrimitivesDrawn,PhysicalUsedMB',
  ',0,0,0,0,0,0,0',
  ',16,12,9,8,1200,500000,800',
  'Level/Load;Boss fight,16.5,12.5,9,8,1210,500100,800',
  'Boss.Spawned##0.0325,82.25,80.5,9.5,8,1300,510000,810,60.25,0.5,30',
  ',16,12,0,8,1200.4,500000,810,0.2,9.5,30',
  'EVENTS,FrameTime,GameThreadTime,GPUTime,RenderThreadTime,RHI/DrawCalls,RHI/PrimitivesDrawn,PhysicalUsedMB,Exclusive/GameThread/LoadPackage,GPU/ShadowDepths,Exclusive/AllWorkers/Physics,RHI/DrawCalls',
  ABOUT,
].join('\n');

test('frames, threads, draws and memory of a capture', () => {
  const log = convertedLog(PROFILE);
  assert.equal(log.format, 'unreal');
  assert.deepEqual([log.torn, log.unreadable], [false, 0]);
  assert.deepEqual(framesOf(log), [
    { t: 0, ms: 16 },
    { t: 16, ms: 16.5 },
    { t: 32.5, ms: 82.25 },
    { t: 114.75, ms: 16 },
  ]);
  const [frames] = recordsOf(log, 'frames');
  assert.deepEqual(frames?.main_ms, [12, 12.5, 80.5, 12]);
  // The time of the GPU is 0 in a frame for which it is missing.
  assert.deepEqual(frames?.gpu_ms, [9, 9, 9.5, null]);
  assert.deepEqual(frames?.draws, [1200, 1210, 1300, 1200]);
  assert.deepEqual(frames?.triangles, [500000, 500100, 510000, 500000]);
  assert.deepEqual(
    recordsOf(log, 'process').map(({ rss_bytes }) => rss_bytes),
    [805 * 2 ** 20],
  );
  assert.deepEqual(counterOf(log, 'RenderThreadTime'), [8]);
  assert.equal(log.header.started_at, '2025-05-24T13:57:17.000Z');
});

test('a start that no record can have is unknown', () => {
  const startOf = (seconds: string) =>
    convertedLog(PROFILE.replace('1748095037', seconds)).header.started_at;
  assert.equal(startOf('253402300799'), '9999-12-31T23:59:59.000Z');
  for (const seconds of ['253402300800', '9e15', '0', '-1', 'x']) {
    assert.equal(startOf(seconds), null, seconds);
  }
});

test('the costly parts of a long frame are spans, also of columns that were added meanwhile', () => {
  const log = convertedLog(PROFILE);
  assert.deepEqual(
    recordsOf(log, 'span').map(({ t, duration_ms, name, track }) => ({
      t,
      duration_ms,
      name,
      track,
    })),
    [{ t: 32.5, duration_ms: 60.25, name: 'LoadPackage', track: 'GameThread' }],
  );
});

test('an event after the last frame is a mark at its end', () => {
  const log = convertedLog('EVENTS,FrameTime,GameThreadTime\n,16,9\n,20,9\nStop,0,0\n');
  assert.deepEqual(
    recordsOf(log, 'mark').map(({ t, name }) => [t, name]),
    [[36, 'Stop']],
  );
});

test('events are marks, and the description of the capture names no person and no path', () => {
  const log = convertedLog(PROFILE);
  assert.deepEqual(
    recordsOf(log, 'mark').map(({ t, name }) => [t, name]),
    [
      [16, 'Level/Load'],
      [16, 'Boss fight'],
      [32.5, 'Boss.Spawned'],
    ],
  );
  assert.deepEqual(
    recordsOf(log, 'log').map(({ text }) => text),
    ['Unreal Engine 5.5.4-40574608, Development, Windows'],
  );
  assert.doesNotMatch(JSON.stringify(log), /9e9cf9e0|Secret|Projects/);
});

test('an event in brackets or with the name of a column is an event, and a late column is a counter', () => {
  const rows = [
    'EVENTS,FrameTime,GameThreadTime',
    ',16,9',
    '[LoadMap],900,890',
    'FrameTime,16,9,7,1234',
  ];
  const cut = convertedLog(`${rows.join('\n')}\n`);
  assert.deepEqual(
    framesOf(cut).map(({ ms }) => ms),
    [16, 900, 16],
  );
  assert.equal(cut.torn, true);
  assert.deepEqual(
    recordsOf(cut, 'mark').map(({ name }) => name),
    ['[LoadMap]', 'FrameTime'],
  );
  const end =
    'EVENTS,FrameTime,GameThreadTime,GPUTime,RHI/DrawCalls,GPUTime\n[HasHeaderRowAtEnd],1';
  const whole = convertedLog(`${rows.join('\n')}\n${end}`);
  assert.deepEqual([counterOf(whole, 'GPUTime'), counterOf(whole, 'RHI/DrawCalls')], [[7], [1234]]);
  assert.equal(whole.torn, false);
});

test('parts of one thread follow each other, and other threads begin with the frame', () => {
  const parts =
    'Exclusive/GameThread/LoadPackage,Exclusive/GameThread/GarbageCollection,Exclusive/RenderThread/EventWait';
  const log = convertedLog(
    `EVENTS,FrameTime,GameThreadTime,${parts}\n,16,9,1,0,2\n,100,95,45,40,68\n`,
  );
  assert.deepEqual(
    recordsOf(log, 'span').map(({ t, duration_ms, name }) => [t, duration_ms, name]),
    [
      [16, 68, 'EventWait'],
      [16, 45, 'LoadPackage'],
      [61, 40, 'GarbageCollection'],
    ],
  );
});

test('a capture that did not end is torn, and one of version 4.19 has no end', () => {
  const torn = convertedLog(`${PROFILE.split('\n').slice(0, 5).join('\n')}\n,16,1`);
  assert.deepEqual([torn.torn, framesOf(torn).length], [true, 3]);
  const old = convertedLog(
    'FrameTime,GameThreadTime,MemoryFreeMB,EVENTS\n16,12,900,\n17,12,900,a\n',
  );
  assert.deepEqual([old.torn, framesOf(old).length, recordsOf(old, 'mark').length], [false, 2, 1]);
  assert.deepEqual(counterOf(old, 'MemoryFree'), [900 * 2 ** 20]);
});

test('a capture without frames is rejected with the next step', () => {
  assert.match(rejectionOf(`EVENTS,FrameTime\n${ABOUT}`), /csvprofile start/);
});

test('of more than five hundred long frames, the longest have spans, each of its eight most costly parts', () => {
  const parts = Array.from({ length: 12 }, (_, i) => `Exclusive/GameThread/P${i}`);
  const rows = Array.from({ length: 1200 }, (_, row) => {
    const ms = 100 + row;
    return `,${ms},${ms},${parts.map((_, i) => i).join(',')}`;
  });
  const header = `EVENTS,FrameTime,GameThreadTime,${parts.join(',')}`;
  const log = convertedLog(`${[header, ...rows, header, ABOUT].join('\n')}`);
  const spans = recordsOf(log, 'span');
  assert.equal(spans.length, 500 * 8);
  const [first] = framesOf(log).slice(700);
  assert.equal(Math.min(...spans.map(({ t }) => t)), first?.t);
  assert.ok(!spans.some(({ name }) => ['P0', 'P1', 'P2', 'P3'].includes(name)));
});
