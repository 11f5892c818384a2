// The limit of each rule: a trace just below it, and one at it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeTrace, modelOf } from '../src/index.ts';
import { traceFromText } from '../src/testing/trace-from-text.ts';

/** With this budget a slow frame takes more than 15 ms. */
const BUDGET = 10;
const MIB = 1_048_576;

function findingOf(rule: string, lines: readonly string[]) {
  const model = modelOf(traceFromText(lines.join('\n')));
  return analyzeTrace(model, { budget_ms: BUDGET }).find(({ id }) => id === rule);
}

type Lines = readonly string[];
/** The rule, its limit, a trace on which it does not fire, and one on which it fires. */
type Row = readonly [rule: string, limit: string, silent: Lines, speaks: Lines];

/** A slow frame of 20 ms at each of the times. */
const slowAt = (...times: number[]): string[] => times.map((t) => `${t} frames 20`);
/** Values in MiB, each with its time or one per second. */
const heap = (points: readonly (readonly [number, number])[]): string[] => [
  'browser',
  ...points.map(([t, mib]) => `${t} counter js_heap_bytes bytes ${mib * MIB}`),
];
const rss = (values: readonly number[], step = 1000): string[] => [
  'native',
  ...values.map((mib, i) => `${i * step} process rss=${mib * MIB}`),
];
const cpu = (values: string): string[] => ['native', `0 process cpu ${values}`];
const stacks = (samples: string): string[] => ['native', `1000 stacks ${samples}`];
/** Bytes per pixel by the format names of WebGL and WebGPU. */
const PIXEL_BYTES = {
  'r8 r8unorm r8ui': 1,
  'rg8 rg8unorm r16f r16float rgb565 rgb5-a1 rgba4': 2,
  'RGBA8 rgba srgb8-alpha8 SRGB8_ALPHA8 rgba8unorm-srgb bgra8unorm rgb8 srgb8 RGB srgb': 4,
  'rgb10-a2 rgb10a2unorm rgb9-e5 rgb9e5ufloat r11f-g11f-b10f rg11b10ufloat r32f r32float rg16f': 4,
  'RGBA16F rgba16float rgba16ui rgb16f rg32f rg32float': 8,
  'rgba32f rgba32float rgb32f': 16,
};

const texture = (id: number, fields: string): string =>
  `${id} asset ${id} t${id}.png texture upload ${fields}`;

/** One asset whose work delays one frame. */
const delayed = (frame: number, work: number): string[] => [
  'browser',
  `0 frames ${frame}`,
  `0 asset 1 rock.png texture upload main_thread_ms=${work}`,
];
const onMain = (phase: string, ...times: number[]): string[] => [
  'browser',
  ...times.map((ms, i) => `${i * 1000} asset ${i} a${i} data ${phase} main_thread_ms=${ms}`),
];
/** Three loads during play, the first with these values, each followed by a slow frame after this time. */
const loads = (first: string, after = 180, t = 5000): string[] => [
  'browser',
  `${t} asset 1 a data load ${first}`,
  '7000 asset 2 b data load duration_ms=30',
  '9000 asset 3 c data load duration_ms=30',
  ...slowAt(t + after, 7180, 9180),
];
/** Loads that end at these times, and slow frames at these. */
const ended = (ends: number[], slow: number[], duration = 10_000, phase = 'load'): string[] => [
  'browser',
  ...ends.map((end, i) => `${end - 20} asset ${i} a${i} data ${phase} duration_ms=20`),
  ...slowAt(...slow),
  `${duration} mark end`,
];
const tasks = (...durations: (number | string)[]): string[] => [
  'browser',
  ...durations.map((ms, i) => `${i * 2000} longtask ${ms}`),
  '10000 mark end',
];
/** Memory that grows by `inc` MiB per step. `middle` is the median after start-up. */
const growth = (samples: number, inc: number, middle: number, step = 1000): string[] => {
  const warm = Math.floor(samples * 0.2);
  const at = (samples - 1 + warm) / 2;
  return rss(
    Array.from({ length: samples }, (_, i) => Math.round((middle + (i - at) * inc) * MIB) / MIB),
    step,
  );
};
const burst = (count: number): string => `1000 frames ${`20*${count}`}`;
const lost = (ms: number, reason = 'paused'): string[] => [
  'browser',
  `1000 loss ${reason} ${ms}`,
  '10000 mark end',
];
const over = (slow: number, fine: number): string[] => [
  'browser',
  `0 frames ${slow > 0 ? `20*${slow} ` : ''}10*${fine}`,
];
const flat = (side: number, bytes: number, ids: number[], format = 'RGBA8'): string[] => [
  'browser',
  ...ids.map((id, i) =>
    texture(id, `gpu_bytes=${bytes} dims=${side}x512 format=${format}`).replace(/^\d+/, String(i)),
  ),
];

const ROWS: readonly Row[] = [
  ['asset_hitches', 'time: two budgets', delayed(29.9, 25), delayed(30, 25)],
  ['asset_hitches', 'own time: two budgets', delayed(200, 19.9), delayed(200, 20)],
  [
    'main_thread_decode',
    'time: three budgets',
    onMain('decode', 15, 14.9),
    onMain('decode', 15, 15),
  ],
  ['main_thread_decode', 'phase: decode', onMain('upload', 40), onMain('decode', 40)],
  ['main_thread_decode', 'phase: compile', onMain('load', 40), onMain('compile', 40)],
  ['main_thread_reads', 'time: three budgets', onMain('read', 15, 14.9), onMain('read', 15, 15)],
  ['main_thread_reads', 'phase: read', onMain('load', 40), onMain('read', 40)],
  [
    'late_loads',
    'start: 5 s',
    loads('duration_ms=30', 180, 4999),
    loads('duration_ms=30', 180, 5000),
  ],
  ['late_loads', 'length: 30 ms', loads('duration_ms=29.9', 170), loads('duration_ms=30', 170)],
  ['late_loads', 'after its end: 150 ms', loads('duration_ms=30', 181), loads('duration_ms=30')],
  [
    'late_loads',
    'a slow frame that reaches in',
    loads('duration_ms=30', -20),
    loads('duration_ms=30', -19.9),
  ],
  [
    'late_loads',
    'only loads',
    loads('duration_ms=30').map((line) => line.replace(' load ', ' decode ')),
    loads('duration_ms=30'),
  ],
  ['late_loads', 'not cached', loads('duration_ms=30 cached='), loads('duration_ms=30')],
  [
    'hitches_after_loads',
    'after a load: 150 ms',
    ended([1000, 3000, 5000, 7000], [1150, 3150, 5150, 7151]),
    ended([1000, 3000, 5000, 7000], [1150, 3150, 5150, 7150]),
  ],
  [
    'hitches_after_loads',
    'a load that ends within the frame',
    ended([1021, 3000, 5000, 7000], [1000, 3000, 5000, 7000]),
    ended([1020, 3000, 5000, 7000], [1000, 3000, 5000, 7000]),
  ],
  [
    'hitches_after_loads',
    'phase: read',
    ended([1000, 3000, 5000, 7000], [1000, 3000, 5000, 7000], 10_000, 'decode'),
    ended([1000, 3000, 5000, 7000], [1000, 3000, 5000, 7000], 10_000, 'read'),
  ],
  [
    'hitches_after_loads',
    'share of slow frames: 60 %',
    ended([1000, 2000, 3000, 4000], [1000, 2000, 3000, 4000, 6000, 7000, 8000]),
    ended(
      [1000, 1500, 2000, 2500, 3000, 3500],
      [1000, 1500, 2000, 2500, 3000, 3500, 6000, 7000, 8000, 9000],
    ),
  ],
  [
    'hitches_after_loads',
    'time after loads: 30 %',
    ended([100, 500, 900, 1300], [100, 500, 900, 1300], 1999),
    ended([100, 500, 900, 1300], [100, 500, 900, 1300], 2000),
  ],
  [
    'hitches_after_loads',
    'time after loads that overlap, or reach past the end, counts once',
    ended([100, 150, 500, 900, 1300], [100, 500, 900, 1300], 2165),
    ended([100, 150, 500, 900, 1300], [100, 500, 900, 1300], 2168),
  ],
  [
    'hitches_after_loads',
    'a load that began before those that it outlasts',
    [
      'browser',
      '0 asset 9 long data load duration_ms=7021',
      ...ended([1000, 3000, 5000], [1000, 3000, 5000, 7000]).slice(1),
    ],
    [
      'browser',
      '0 asset 9 long data load duration_ms=7020',
      ...ended([1000, 3000, 5000], [1000, 3000, 5000, 7000]).slice(1),
    ],
  ],
  [
    'periodic_hitches',
    'hitches: six, those within 200 ms being one',
    ['browser', ...slowAt(0, 1000, 2000, 3000, 4000, 4200)],
    ['browser', ...slowAt(0, 1000, 2000, 3000, 4000, 4201)],
  ],
  [
    'periodic_hitches',
    'intervals: within 15 % of the middle',
    ['browser', ...slowAt(0, 1000, 2000, 3000, 4151, 5302)],
    ['browser', ...slowAt(0, 1000, 2000, 3000, 4150, 5300)],
  ],
  [
    'heap_sawtooth',
    'a fall: 15 % of the heap',
    heap([100, 86, 100, 86, 100, 86, 100, 86].map((mib, i) => [i * 1000, mib])),
    heap([100, 84.9, 100, 84.9, 100, 84.9, 100, 84.9].map((mib, i) => [i * 1000, mib])),
  ],
  [
    'heap_sawtooth',
    'a fall: 2 MiB',
    heap([10, 8.1, 10, 8.1, 10, 8.1, 10, 8.1].map((mib, i) => [i * 100, mib])),
    heap([10, 8, 10, 8, 10, 8, 10, 8].map((mib, i) => [i * 100, mib])),
  ],
  [
    'heap_sawtooth',
    'falls: four',
    heap([100, 80, 100, 80, 100, 80].map((mib, i) => [i * 1000, mib])),
    heap([100, 80, 100, 80, 100, 80, 100, 80].map((mib, i) => [i * 1000, mib])),
  ],
  [
    'heap_sawtooth',
    'garbage: 4 MiB a second',
    heap([
      ...[100, 84, 100, 84, 100, 84, 100, 84].map((mib, i) => [i, mib] as const),
      [12_001, 84],
    ]),
    heap([
      ...[100, 84, 100, 84, 100, 84, 100, 84].map((mib, i) => [i, mib] as const),
      [12_000, 84],
    ]),
  ],
  ['long_tasks', 'blocked: 2 % of the time', tasks(117, 117, 115), tasks(117, 117, 116)],
  ['long_tasks', 'tasks: three', tasks(400, 400, 50), tasks(400, 400, 50.1)],
  [
    'long_tasks',
    'what a record says of blocking comes first',
    tasks('500 blocking_ms=60', '500 blocking_ms=60', '500 blocking_ms=79'),
    tasks('500 blocking_ms=60', '500 blocking_ms=60', '500 blocking_ms=80'),
  ],
  [
    'memory_growth',
    'samples: 24 after start-up',
    growth(28, 2, 100, 2000),
    growth(29, 2, 100, 2000),
  ],
  ['memory_growth', 'time: 30 s after start-up', growth(37, 2, 100), growth(38, 2, 100)],
  ['memory_growth', 'growth: 8 MiB', growth(41, 0.249, 50), growth(41, 0.251, 50)],
  ['memory_growth', 'growth: 8 % of its middle value', growth(41, 1, 401), growth(41, 1, 399)],
  [
    'memory_growth',
    'growth in the second half too',
    rss(Array.from({ length: 60 }, (_, i) => 100 + 2 * Math.min(i, 34))),
    rss(Array.from({ length: 60 }, (_, i) => 100 + 2 * i)),
  ],
  [
    'memory_swings',
    'a fall: 25 % of the peak',
    rss([200, 151, 200, 151]),
    rss([200, 150, 200, 150]),
  ],
  ['memory_swings', 'a fall: 32 MiB', rss([100, 69, 100, 69]), rss([100, 68, 100, 68])],
  ['memory_swings', 'falls: two', rss([200, 100]), rss([200, 100, 200, 100])],
  [
    'memory_swings',
    'a rise that ends a fall: 16 MiB',
    rss([200, 100, 115, 60]),
    rss([200, 100, 116, 60]),
  ],
  ['single_thread_limit', 'samples: ten', cpu('100*9'), cpu('100*10')],
  ['single_thread_limit', 'one core: 90 %', cpu('90*5 89.9*5'), cpu('90*6 89.9*4')],
  ['single_thread_limit', 'one core: 118 %', cpu('118*8 118.1*2'), cpu('118*9 118.1')],
  ['single_thread_limit', 'time above it: 10 %', cpu('100*17 200*3'), cpu('100*18 200*2')],
  ['cpu_saturation', 'samples: ten', cpu('200*9'), cpu('200*10')],
  ['cpu_saturation', 'use: 180 %', cpu('179.9*10'), cpu('180*10')],
  [
    'cpu_saturation',
    'its ceiling: 95 % of its highest',
    cpu('400 379*5 10*4'),
    cpu('400 380*5 10*4'),
  ],
  ['cpu_saturation', 'time at the ceiling: 60 %', cpu('400*5 10*5'), cpu('400*6 10*4')],
  ['hot_function', 'samples: 50', stacks('a 30 | b 19'), stacks('a 30 | b 20')],
  [
    'hot_function',
    'share: a fifth',
    stacks('a 10 | b 9 | c 8 | d 8 | e 8 | f 8'),
    stacks('a 10 | b 8 | c 8 | d 8 | e 8 | f 8'),
  ],
  ['kernel_time', 'samples: 50', stacks('k_[k] 25 | a 24'), stacks('k_[k] 25 | a 25')],
  ['kernel_time', 'share: a quarter', stacks('k_[k] 24 | a 76'), stacks('k_[k] 25 | a 75')],
  ['kernel_time', 'the innermost frame', stacks('k_[k];a 50 | a 50'), stacks('a;k_[k] 50 | a 50')],
  [
    'texture_memory',
    'uncompressed: 64 MiB',
    ['browser', texture(1, `gpu_bytes=${64 * MIB - 1} format=RGBA8`)],
    ['browser', texture(1, `gpu_bytes=${64 * MIB} format=RGBA8`)],
  ],
  [
    'texture_memory',
    'the latest size of each texture',
    [
      'browser',
      ...[64, 63].map(
        (mib, t) => `${t} asset 1 t texture upload gpu_bytes=${mib * MIB} format=RGBA8`,
      ),
    ],
    [
      'browser',
      ...[63, 64].map(
        (mib, t) => `${t} asset 1 t texture upload gpu_bytes=${mib * MIB} format=RGBA8`,
      ),
    ],
  ],
  [
    'texture_memory',
    'a format that is known',
    ['browser', texture(1, `gpu_bytes=${64 * MIB}`)],
    [
      'browser',
      texture(1, `gpu_bytes=${32 * MIB} format=RGBA8`),
      texture(2, `gpu_bytes=${32 * MIB} format=R8`),
    ],
  ],
  [
    'texture_memory',
    'width: 4096',
    ['browser', texture(1, 'gpu_bytes=9 format=BC7 dims=4096x1')],
    ['browser', texture(1, 'gpu_bytes=9 format=BC7 dims=4097x1')],
  ],
  [
    'texture_memory',
    'height: 4096',
    ['browser', texture(1, 'gpu_bytes=9 format=BC7 dims=1x4096')],
    ['browser', texture(1, 'gpu_bytes=9 format=BC7 dims=1x4097')],
  ],
  [
    'duplicate_assets',
    'too much: 1 MiB',
    ['browser', ...[1, 2].map((id) => `${id} asset ${id} a data load transfer_bytes=${MIB - 1}`)],
    ['browser', ...[1, 2].map((id) => `${id} asset ${id} a data load transfer_bytes=${MIB}`)],
  ],
  [
    'duplicate_assets',
    'uploads: under several ids',
    ['browser', ...[1, 1, 2].map((id, t) => `${t} asset ${id} a mesh upload gpu_bytes=${MIB}`)],
    ['browser', ...[1, 2, 3].map((id, t) => `${t} asset ${id} a mesh upload gpu_bytes=${MIB}`)],
  ],
  [
    'duplicate_assets',
    'loads: under the same id too, but not from the cache',
    [
      'browser',
      ...['', ' cached='].map((end) => `1 asset 1 a data load transfer_bytes=${MIB}${end}`),
    ],
    ['browser', ...['', ''].map((end) => `1 asset 1 a data load transfer_bytes=${MIB}${end}`)],
  ],
  [
    'duplicate_assets',
    'of one source',
    [
      'browser native',
      ...['browser', 'native'].map(
        (source) => `1 ${source}:asset 1 a data load transfer_bytes=${MIB}`,
      ),
    ],
    [
      'browser native',
      ...['browser', 'browser'].map(
        (source) => `1 ${source}:asset 1 a data load transfer_bytes=${MIB}`,
      ),
    ],
  ],
  [
    'missing_mips',
    'side: 512',
    flat(511, 511 * 512 * 4, [1, 2, 3, 4]),
    flat(512, 512 * 512 * 4, [1, 2, 3, 4]),
  ],
  [
    'missing_mips',
    'textures: four',
    flat(512, 512 * 512 * 4, [1, 2, 3, 3]),
    flat(512, 512 * 512 * 4, [1, 2, 3, 4]),
  ],
  [
    'missing_mips',
    'exactly one level',
    flat(512, 512 * 512 * 4 + 1, [1, 2, 3, 4]),
    flat(600, 600 * 512 * 4, [1, 2, 3, 4], 'bgra8unorm'),
  ],
  [
    'missing_mips',
    'bytes of a format',
    flat(512, 512 * 512, [1, 2, 3, 4], 'bc7'),
    [
      'browser',
      ...[1, 2, 3, 4].map((id) =>
        texture(id, `gpu_bytes=${512 * 512 * 4 * 3} dims=512x512x3 format=srgb8_alpha8`),
      ),
    ],
  ],
  ...Object.entries(PIXEL_BYTES).flatMap(([formats, bytes]) =>
    formats
      .split(' ')
      .map(
        (format): Row => [
          'missing_mips',
          `bytes of ${format}`,
          flat(512, 512 * 512 * bytes * 2, [1, 2, 3, 4], format),
          flat(512, 512 * 512 * bytes, [1, 2, 3, 4], format),
        ],
      ),
  ),
  ['frames_over_budget', 'frames: 120', over(60, 59), over(60, 60)],
  ['frames_over_budget', 'share: over 5 %', over(6, 114), over(7, 113)],
  [
    'frames_over_budget',
    'slow: over half a budget more',
    ['browser', '0 frames 15*60 10*60'],
    ['browser', '0 frames 15.1*60 10*60'],
  ],
  [
    'hitch_bursts',
    'frames: six',
    ['browser', burst(5), '10000 mark end'],
    ['browser', burst(6), '10000 mark end'],
  ],
  [
    'hitch_bursts',
    'gaps: 500 ms',
    ['browser', burst(5), ...slowAt(1601), '10000 mark end'],
    ['browser', burst(5), ...slowAt(1600), '10000 mark end'],
  ],
  [
    'hitch_bursts',
    'share of slow frames: 60 %',
    ['browser', burst(6), ...slowAt(3000, 4000, 5000, 6000, 7000), '10000 mark end'],
    ['browser', burst(6), ...slowAt(3000, 4000, 5000, 6000), '10000 mark end'],
  ],
  [
    'hitch_bursts',
    'share of the time: 20 %',
    ['browser', '0 frames 20*6', '599 mark end'],
    ['browser', '0 frames 20*6', '600 mark end'],
  ],
  ['losses', 'time: 5 %', lost(499), lost(500)],
  ['losses', 'cut short: storage_cap', lost(1), lost(1, 'storage_cap')],
  ['losses', 'cut short: disk_full', lost(1), lost(1, 'disk_full')],
  [
    'short_trace',
    'time: 10 s',
    ['browser', '0 frames 10', '10000 mark end'],
    ['browser', '0 frames 10', '9999 mark end'],
  ],
  [
    'short_trace',
    'time: 10 s, also without frames',
    ['native', '0 process rss=1', '10000 mark end'],
    ['native', '0 process rss=1', '0 stacks a 200', '9999 mark end'],
  ],
  ['short_trace', 'samples: 100', ['import', '0 stacks a 100'], ['import', '0 stacks a 99']],
];

for (const [rule, limit, silent, speaks] of ROWS) {
  test(`${rule} fires when its value reaches ${limit}`, () => {
    assert.equal(findingOf(rule, silent), undefined);
    assert.equal(findingOf(rule, speaks)?.id, rule);
  });
}

/** The rule, a trace on which it has its lowest severity, and one with a higher severity. */
const SEVERITIES: readonly (readonly [rule: string, milder: Lines, severer: Lines])[] = [
  ['asset_hitches', delayed(69.9, 65), delayed(70, 65)],
  ['main_thread_decode', onMain('decode', 299.9), onMain('decode', 300)],
  ['main_thread_reads', onMain('read', 299.9), onMain('read', 300)],
  ['long_tasks', tasks(400, 400, 350), tasks(400, 400, 351)],
  ['memory_growth', growth(41, 1, 65), growth(41, 1, 63)],
  ['hot_function', stacks('a 25 | b 25'), stacks('a 26 | b 24')],
  ['frames_over_budget', over(30, 90), over(31, 89)],
  ['losses', lost(5000), lost(5001)],
  ['losses', lost(5000), lost(1, 'disk_full')],
];

for (const [rule, milder, severer] of SEVERITIES) {
  test(`${rule} is more severe when its value reaches ${severer.at(1)}`, () => {
    const [mild, severe] = rule === 'losses' ? ['info', 'warning'] : ['warning', 'critical'];
    assert.equal(findingOf(rule, milder)?.severity, mild);
    assert.equal(findingOf(rule, severer)?.severity, severe);
  });
}
