import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ConvertedLog,
  convertedLog,
  counterOf,
  framesOf,
  recordsOf,
  rejectionOf,
} from '../testing/converted-log.ts';

const SYSTEM = 'os,cpu,gpu,ram,kernel,driver,cpuscheduler\n';
const MACHINE = 'Debian,Ryzen 7,Radeon RX 9060,32768000,6.1,,performance\n';
const COLUMNS_12 =
  'fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,elapsed';
const COLUMNS_14 = COLUMNS_12.replace('elapsed', 'swap_used,process_rss,elapsed');
const COLUMNS_15 = COLUMNS_14.replace('cpu_load,', 'cpu_load,cpu_power,');
const COLUMNS_16 = COLUMNS_15.replace('elapsed', 'cpu_mhz,elapsed');

/** The frames of every test: a hitch of 80 ms after frames of 10 and 12.5 ms. */
const FRAMES = [10, 12.5, 80, 10];
/** The log starts within the first frame. */
const BEGUN_MS = 4;

/** The rows of `header` for FRAMES. `unit` is the number of units of the frame time in a ms. */
function rowsOf(header: string, unit: number): string {
  let elapsed = -BEGUN_MS;
  return FRAMES.map((ms) => {
    elapsed += ms;
    const cells: Record<string, number> = {
      fps: 1000 / ms,
      frametime: ms * unit,
      gpu_load: 50,
      gpu_vram_used: 0.5,
      process_rss: 0.25,
      elapsed: elapsed * 1e6,
    };
    return `${header
      .split(',')
      .map((name) => cells[name] ?? 0)
      .join(',')}\n`;
  }).join('');
}

function check(log: ConvertedLog): void {
  assert.equal(log.format, 'mangohud');
  assert.deepEqual(framesOf(log), [
    { t: 0, ms: 10 },
    { t: 10, ms: 12.5 },
    { t: 22.5, ms: 80 },
    { t: 102.5, ms: 10 },
  ]);
  assert.deepEqual(counterOf(log, 'GPU load'), [50]);
  assert.deepEqual(counterOf(log, 'GPU memory in use'), [2 ** 29]);
  assert.equal(log.unreadable, 0);
  assert.equal(log.torn, false);
}

for (const [version, header, unit] of [
  ['0.6.2 to 0.6.8, frame times in µs', COLUMNS_12, 1000],
  ['0.6.9', COLUMNS_12, 1],
  ['0.7.1, with the memory of the process', COLUMNS_14, 1],
  ['0.7.2, with the power of the CPU', COLUMNS_15, 1],
  ['0.8.1, with the clock of the CPU', COLUMNS_16, 1],
] as const) {
  test(`a log of version ${version}`, () => {
    const log = convertedLog(`${SYSTEM}${MACHINE}${header}\n${rowsOf(header, unit)}`);
    check(log);
    assert.deepEqual(log.header.gpu, { name: 'Radeon RX 9060', software: false });
    const memory = recordsOf(log, 'process').map(({ rss_bytes }) => rss_bytes);
    assert.deepEqual(memory, header.includes('process_rss') ? [2 ** 28] : []);
  });
}

test('a log of glxgears by MangoHud 0.6.8 has the frame rates of its summary', () => {
  const read = (name: string): string =>
    readFileSync(join(import.meta.dirname, '../../fixtures/frame-logs', name), 'utf8');
  const log = convertedLog(read('mangohud-0.6.8.csv'));
  const frames = framesOf(log);
  assert.equal(frames.length, 289);
  const [slowest = '', slow = ''] =
    read('mangohud-0.6.8_summary.csv').split('\n')[1]?.split(',') ?? [];
  // MangoHud takes the mean of the frame rates of the slowest 0.1 % and 1 %.
  const rates = frames.map(({ ms }) => 1000 / ms).sort((a, b) => a - b);
  const meanOf = (count: number): number =>
    rates.slice(0, count).reduce((sum, rate) => sum + rate, 0) / count;
  assert.deepEqual([meanOf(1).toFixed(1), meanOf(3).toFixed(1)], [slowest, slow]);
  const seconds = recordsOf(log, 'counter').filter(({ name }) => name === 'RAM in use');
  assert.deepEqual(seconds.length, 5);
  assert.equal(recordsOf(log, 'loss').length, 0);
});

test('a log with the version of MangoHud before the system, and one with only some columns', () => {
  const system = `v1\n0.8.2.r5.gecb895f\n${'-'.repeat(21)}SYSTEM INFO${'-'.repeat(21)}\n${SYSTEM}${MACHINE}`;
  const metrics = `${'-'.repeat(20)}FRAME METRICS${'-'.repeat(20)}\n`;
  check(convertedLog(`${system}${metrics}${COLUMNS_16}\n${rowsOf(COLUMNS_16, 1)}`));
  const few = 'fps,frametime,gpu_load,gpu_vram_used,elapsed';
  check(convertedLog(`${few}\n${rowsOf(few, 1)}`));
});

test('the unit of frame times is found although `fps` is an average of other frames', () => {
  const rows = ['175.839,5185', '175.253,6322', '177.03,6289', '174.1,5210'];
  let elapsed = 0;
  const text = rows.map((row) => {
    elapsed += Number(row.split(',')[1]) * 1000;
    return `${row},${elapsed}\n`;
  });
  const log = convertedLog(`fps,frametime,elapsed\n${text.join('')}`);
  assert.deepEqual(
    framesOf(log).map(({ ms }) => ms),
    [5.185, 6.322, 6.289, 5.21],
  );
});

test('a pause between two rows is a gap, and not a frame', () => {
  const many = Array.from(
    { length: 100 },
    (_, i) => `100,10,${(i * 10 + (i < 50 ? 10 : 510)) * 1e6}\n`,
  );
  const paused = framesOf(convertedLog(`fps,frametime,elapsed\n${many.join('')}`));
  assert.deepEqual(paused.slice(48, 52), [
    { t: 480, ms: 10 },
    { t: 490, ms: 10 },
    { t: 1000, ms: 10 },
    { t: 1010, ms: 10 },
  ]);
});

test('a log at an interval has counters and a warning, and no frames', () => {
  const rows = Array.from({ length: 25 }, (_, i) => `60,16.6667,${(i + 1) * 100e6}\n`);
  const log = convertedLog(`fps,frametime,elapsed\n${rows.join('')}`);
  assert.deepEqual(framesOf(log), []);
  assert.deepEqual(counterOf(log, 'frame time'), [16.667, 16.667, 16.667]);
  const [warning] = recordsOf(log, 'log');
  assert.match(warning?.text ?? '', /log_interval=0/);
  for (const [interval, frametime] of [
    [100, 66.6],
    [10, 16.6667],
  ] as const) {
    const lines = Array.from(
      { length: 50 },
      (_, i) => `${1000 / frametime},${frametime},${(i + 1) * interval * 1e6}\n`,
    );
    const other = convertedLog(`fps,frametime,elapsed\n${lines.join('')}`);
    assert.deepEqual(framesOf(other), [], `${interval} ms`);
  }
});

test('the logs without a header have counters', () => {
  const old =
    'os,cpu,gpu,ram,kernel,driver\nDebian,Threadripper,,131894576,5.6.0,4.6$ Mesa$ 20.1.2\n';
  const log = convertedLog(
    `${old}88.3473,12,100,169\n88.1573,12,100,100229\n88.2238,12,100,200286\n`,
  );
  assert.deepEqual(counterOf(log, 'frame rate'), [88.243]);
  assert.deepEqual(counterOf(log, 'GPU load'), [100]);
  assert.match(recordsOf(log, 'log')[0]?.text ?? '', /^This version of MangoHud did not log/);
  const header =
    'fps,cpu_load,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,ram_used,elapsed';
  const named = convertedLog(
    `${old}${header}\n60,12,70,0,0,0,0,0,0,1000\n60,12,70,0,0,0,0,0,0,1001000\n`,
  );
  assert.deepEqual(counterOf(named, 'GPU load'), [70]);
});

test('two recordings in one file follow each other', () => {
  const one = `${SYSTEM}${MACHINE}${COLUMNS_12}\n${rowsOf(COLUMNS_12, 1)}`;
  const frames = framesOf(convertedLog(one + one));
  assert.equal(frames.length, 2 * FRAMES.length);
  assert.deepEqual(frames[4], { t: 112.5, ms: 10 });
  const slow = (header: string, cells: string): string =>
    `${header}\n${[1, 2].map((i) => `1,1000,${cells},${i * 1e9}\n`).join('')}`;
  const mixed = convertedLog(
    slow('fps,frametime,cpu_load,elapsed', '50') +
      slow('fps,frametime,gpu_temp,cpu_load,elapsed', '70,40'),
  );
  assert.deepEqual(counterOf(mixed, 'CPU load'), [50, 40, 40]);
  assert.deepEqual(counterOf(mixed, 'GPU temperature'), [70, 70]);
});

test('a last row that was cut off is left out, and other rows are counted', () => {
  const whole = `${SYSTEM}${MACHINE}${COLUMNS_12}\n${rowsOf(COLUMNS_12, 1)}`;
  const cut = convertedLog(whole.slice(0, -30));
  assert.deepEqual([framesOf(cut).length, cut.torn], [3, true]);
  assert.equal(recordsOf(cut, 'end').length, 0);
  const odd = convertedLog(`${whole}inf,0,0,0,0,0,0,0,0,0,0,9\nx\n`);
  assert.deepEqual([framesOf(odd).length, odd.unreadable], [4, 2]);
});

test('the first frame of a new window, which MangoHud measures since the start of the machine, lasts since the row before', () => {
  const rows = ['100,10,10', '0.0001,7200000,22', '100,10,32', '100,10,42'];
  const text = rows.map((row) => `${row}000000\n`).join('');
  assert.deepEqual(
    framesOf(convertedLog(`fps,frametime,elapsed\n${text}`)).map(({ ms }) => ms),
    [10, 12, 10, 10],
  );
});

test('a summary and an empty log are rejected with the next step', () => {
  const summary =
    '0.1% Min FPS,1% Min FPS,97% Percentile FPS,Average FPS,GPU Load,CPU Load\n55.1,56,61,60,50,20';
  for (const [text, reason] of [
    [summary, /: this is its summary\. Convert the log itself/],
    [`${SYSTEM}${MACHINE}`, /: it has no frames\. Record again/],
    [`${SYSTEM}${MACHINE}${COLUMNS_12}\n`, /: it has no frames\. Record again/],
    [`${SYSTEM}${MACHINE}88,12,100\n`, /: it has no frames\. Record again/],
  ] as const) {
    assert.match(rejectionOf(text), reason);
  }
});
