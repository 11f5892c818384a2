import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  convertedLog,
  counterOf,
  framesOf,
  recordsOf,
  rejectionOf,
} from '../testing/converted-log.ts';

const MONITORS = [
  'time/fps,time/process,time/physics_process,memory/static,object/nodes,object/orphan_nodes',
  '60.0,0.0021,0.0005,41943040.0,120.0,0.0',
  '61.0,0.0022,0.0005,41943050.0,121.0,0.0',
  '59.0,0.0023,0.0005,41943060.0,122.0,0.0',
];
const FRAMES = [
  'categ::physics,category_frame_time,physics_time,process_time,physics_frame_time,script_functions,res://player.gd::12::_process,res://ui/hud.tscn::1::30::_draw,"res://a,b.gd::7::run",categ::audio::mix,categ::audio',
  '0.0001,0.016683,0.00021,0.001412,0.016667,0.00031,0.00029,,0.0,0,0',
  '0.0001,1.5,0.02,0.4,0.016667,0.39,0.35,0.03,0.002,0.25,0.3',
  ',0.033402,0.00041,0.001455,0.016667,0.00033,0.00031,,,0,0',
];

function measures(...tables: readonly (readonly string[])[]): string {
  return `${tables.map((rows) => `${rows.join('\n')}\n`).join('\n')}`;
}

test('frames, and the parts and functions of long frames, in ms', () => {
  const log = convertedLog(measures(MONITORS, FRAMES));
  assert.equal(log.format, 'godot');
  assert.deepEqual(framesOf(log), [
    { t: 0, ms: 16.683 },
    { t: 16.683, ms: 1500 },
    { t: 1516.683, ms: 33.402 },
  ]);
  const spans = recordsOf(log, 'span').filter(({ t }) => t < 1516);
  assert.deepEqual(
    spans.map(({ name, track, duration_ms }) => [track, name, duration_ms]),
    [
      ['main loop', 'process', 400],
      ['script functions', '_process player.gd:12', 350],
      ['servers', 'audio', 300],
      ['servers', 'audio mix', 250],
      ['script functions', '_draw hud.tscn:30', 30],
      ['main loop', 'physics', 20],
      ['script functions', 'run a,b.gd:7', 2],
    ],
  );
  // Servers and functions may contain each other, so each begins with its frame. The rest of the main loop follows.
  const begun = new Map(spans.map(({ name, t }) => [name, t]));
  assert.deepEqual(
    ['audio', 'audio mix', 'process', 'physics'].map((name) => begun.get(name)),
    [16.683, 16.683, 16.683, 416.683],
  );
  assert.deepEqual([log.torn, log.unreadable], [false, 0]);
});

test('monitors are counters of each second before the end of the frames', () => {
  const log = convertedLog(measures(MONITORS, FRAMES));
  const rates = recordsOf(log, 'counter').filter(({ name }) => name === 'time/fps');
  assert.deepEqual(
    rates.map(({ t, value, unit }) => [t, value, unit]),
    [
      [550.085, 61, 'fps'],
      [1550.085, 59, 'fps'],
    ],
  );
  assert.deepEqual(counterOf(log, 'memory/static'), [41943050, 41943060]);
  assert.deepEqual(counterOf(log, 'object/orphan_nodes'), []);
});

test('the sum of all frames, which the editor may append, is no frame', () => {
  const total = '0.0003,1.55,0.021,0.403,0.05,0.4,0.36,0.03,0.002';
  assert.equal(framesOf(convertedLog(measures(MONITORS, [...FRAMES, total]))).length, 3);
});

test('monitors without frames are counters with a warning, and frames need no monitors', () => {
  const log = convertedLog(measures(MONITORS, ['']));
  assert.deepEqual(counterOf(log, 'time/fps'), [60, 61, 59]);
  assert.match(
    recordsOf(log, 'log')[0]?.text ?? '',
    /^The file has no frames, because the Profiler did not run/,
  );
  assert.equal(framesOf(convertedLog(measures(FRAMES))).length, 3);
});

test('empty measures are rejected with the next step', () => {
  assert.match(
    rejectionOf(measures([MONITORS[0] ?? ''], [''])),
    /Start the Profiler in the Debugger panel/,
  );
});
