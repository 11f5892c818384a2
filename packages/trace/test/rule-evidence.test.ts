// The text of each rule: its title, the numbers in its detail, and its evidence, worst first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeTrace, type Evidence, modelOf } from '../src/index.ts';
import { traceFromText } from '../src/testing/trace-from-text.ts';

const BUDGET = 10;
const MIB = 1_048_576;

function findingOf(rule: string, lines: readonly string[]) {
  const findings = analyzeTrace(modelOf(traceFromText(lines.join('\n'))), { budget_ms: BUDGET });
  return findings.find(({ id }) => id === rule) ?? assert.fail(`no ${rule}`);
}

/** `label = value unit @start +duration`, without the missing parts. */
function drawn({ label, value, unit, t, duration_ms }: Evidence): string {
  const parts = [value !== undefined && `= ${value}`, unit, t !== undefined && `@${t}`];
  const all = [label, ...parts, duration_ms !== undefined && `+${duration_ms}`];
  return all.filter((part) => part !== false && part !== undefined).join(' ');
}

type Saying = {
  readonly lines: readonly string[];
  readonly title: string;
  readonly detail: RegExp;
  readonly evidence: readonly string[];
};

const at = (times: readonly number[], frame: string): string[] =>
  times.map((t) => `${t} frames ${frame}`);
const bySecond = (values: readonly (number | string)[], key: string): string[] =>
  values.flatMap((value, i) => (value === '-' ? [] : [`${i * 1000} process ${key}=${value}`]));

const SAYINGS: Readonly<Record<string, Saying>> = {
  asset_hitches: {
    lines: [
      'browser',
      '0 frames 30',
      '0 asset 1 zebra texture upload main_thread_ms=4',
      '4 asset 1 zebra texture upload main_thread_ms=16',
      '100 frames 50',
      '100 asset 2 late texture decode main_thread_ms=10 bytes=99000000',
      '110 asset 3 alpha texture decode main_thread_ms=10',
      '200 frames 25',
      '200 asset 4 d texture load main_thread_ms=9',
      '300 frames 24',
      '300 asset 5 e texture load main_thread_ms=8',
      '400 frames 23',
      '400 asset 6 f texture load main_thread_ms=7',
      '500 asset 7 no-hitch texture load main_thread_ms=200',
    ],
    title: 'zebra and 5 more delayed frames by 64.0 ms',
    detail:
      /zebra alone cost 20\.0 ms in 1 frame\. Its upload blocked the main thread for 16 ms at once: /,
    evidence: [
      'zebra = 20 ms over budget @4 +16',
      'alpha = 10 ms over budget @110 +10',
      'late = 10 ms over budget @100 +10',
      'd = 9 ms over budget @200 +9',
      'e = 8 ms over budget @300 +8',
    ],
  },
  main_thread_decode: {
    lines: [
      'browser',
      '900 asset 1 late texture decode main_thread_ms=20',
      '100 asset 2 early shader compile main_thread_ms=20',
      '200 asset 3 long texture decode main_thread_ms=40.25',
      ...[1, 2, 3, 4, 5, 6].map((i) => `${i} asset 1${i} a${i} texture decode main_thread_ms=${i}`),
      '300 asset 4 beside texture decode duration_ms=500',
    ],
    title: 'Decoding on the main thread takes 101 ms',
    detail: /^9 assets were decoded or compiled there, long the longest \(40\.3 ms\)\./,
    evidence: [
      'long (decode) @200 +40.25',
      'early (compile) @100 +20',
      'late (decode) @900 +20',
      'a6 (decode) @6 +6',
      'a5 (decode) @5 +5',
      'a4 (decode) @4 +4',
      'a3 (decode) @3 +3',
      'a2 (decode) @2 +2',
    ],
  },
  main_thread_reads: {
    lines: [
      'native browser',
      '900 native:asset 1 late.pak data read main_thread_ms=20',
      '100 native:asset 1 late.pak data read main_thread_ms=20',
      '200 browser:asset 1 other.pak data read main_thread_ms=40',
      '300 native:asset 2 beside.pak data read duration_ms=500',
      '400 native:asset 3 third.pak data read main_thread_ms=1',
    ],
    title: 'The main thread spends 81.0 ms reading files',
    detail: /^It read 3 files itself, other\.pak for the longest at once \(40\.0 ms\)\. Read/,
    evidence: ['other.pak @200 +40', 'late.pak @100 +20', 'late.pak @900 +20', 'third.pak @400 +1'],
  },
  late_loads: {
    lines: [
      'browser',
      '6000 asset 1 one data load duration_ms=30',
      '7000 asset 2 two data load duration_ms=100',
      '7050 asset 3 again data load duration_ms=100',
      '9000 asset 4 fine data load duration_ms=30',
      '4990 asset 5 early data load duration_ms=5000',
      ...at([6100], '40'),
      ...at([6990, 7100], '20'),
    ],
    title: '3 assets load during play and slow down frames',
    detail: /^3 slow frames are in or right after these loads\./,
    evidence: ['two @7000 +100', 'one @6000 +30', 'again @7050 +100'],
  },
  hitches_after_loads: {
    lines: [
      'browser',
      '700 asset 1 a data load duration_ms=300',
      '2950 asset 2 b data read duration_ms=50',
      '4000 asset 3 c data load',
      '5000 asset 4 d data load',
      '5001 asset 5 e data load',
      ...at([1000, 3000, 4100, 5040.5, 8000], '20'),
      '10000 mark end',
    ],
    title: '4 of 5 slow frames come right after a load',
    detail: /only 6\.0 % of the recording/,
    evidence: [
      'slow frame after a @1000 +20',
      'slow frame after b @3000 +20',
      'slow frame after c @4100 +20',
      'slow frame after e @5040.5 +20',
    ],
  },
  periodic_hitches: {
    lines: [
      'browser',
      ...at([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000], '20 16'),
      '8100 frames 50',
    ],
    title: 'A hitch every 1000 ms',
    detail: /^9 hitches follow each other every 1000 ms/,
    evidence: [
      'interval = 1000 ms',
      ...[0, 1000, 2000, 3000, 4000, 5000, 6000].map((t) => `hitch @${t} +20`),
    ],
  },
  heap_sawtooth: {
    lines: [
      'browser',
      '0 counter other_bytes bytes 5 6',
      ...[80, 100, 60, 100, 99, 60, 100, 70, 100, 80].map(
        (mib, i) => `${i * 1000} counter js_heap_bytes bytes ${mib * MIB}`,
      ),
    ],
    title: 'The heap fills up and is collected every 2333 ms',
    detail: /allocates about 14\.4 MiB per second, and 4 collections freed it/,
    evidence: [
      `allocated = ${Math.round((130 * MIB * 1000) / 9) / 1000} bytes a second`,
      `collection = ${40 * MIB} bytes @2000`,
      `collection = ${39 * MIB} bytes @5000`,
      `collection = ${30 * MIB} bytes @7000`,
      `collection = ${20 * MIB} bytes @9000`,
    ],
  },
  long_tasks: {
    lines: [
      'browser',
      '0 longtask 60',
      '1000 longtask 150',
      '2000 longtask 50',
      '3000 longtask 500 blocking_ms=70',
      '4000 longtask 80',
      '5000 longtask 90',
      '6000 longtask 100.5',
      '10000 mark end',
    ],
    title: 'Long tasks block the main thread for 3.0 % of the time',
    detail:
      /^6 tasks took longer than 50 ms and blocked the main thread for 301 ms beyond that\. Split/,
    evidence: [
      'long task @1000 +150',
      'long task @3000 +500',
      'long task @6000 +100.5',
      'long task @5000 +90',
      'long task @4000 +80',
    ],
  },
  memory_growth: {
    lines: [
      'native browser',
      ...Array.from({ length: 60 }, (_, i) => [
        `${i * 1000} native:process rss=${(100 + i) * MIB} pss=${(50 + 2 * i) * MIB}`,
        `${i * 1000} browser:counter js_heap_bytes bytes ${(20 + 0.5 * i) * MIB}`,
        `${i * 1000} browser:counter other_bytes bytes ${(20 + 50 * i) * MIB}`,
      ]).flat(),
    ],
    title: 'PSS grows by 120 MiB a minute',
    detail:
      /^It rose by about 94\.0 MiB after start-up and was not freed \(95 % interval 120 MiB to 120 MiB a minute\)\. The JS heap grows too/,
    evidence: [
      `RSS = ${60 * MIB} bytes a minute @12000 +47000`,
      `PSS = ${120 * MIB} bytes a minute @12000 +47000`,
      `JS heap = ${30 * MIB} bytes a minute @12000 +47000`,
    ],
  },
  memory_swings: {
    lines: [
      'native',
      ...bySecond(
        [200, 100, 90, 100, 300, 200].map((mib) => mib * MIB),
        'rss',
      ),
    ],
    title: 'Memory rises and falls by up to 110 MiB, 2 times',
    detail: /the peak fits the smallest machine/,
    evidence: [
      `fall of RSS = ${110 * MIB} bytes @0 +2000`,
      `fall of RSS = ${100 * MIB} bytes @4000 +1000`,
    ],
  },
  single_thread_limit: {
    lines: ['native', ...bySecond([50, 98, 110, 92, 90, 94, 100, 110, 96, 60, 70, 120], 'cpu')],
    title: 'One core is fully used for 67 % of the time',
    detail: /a single thread limits the speed/,
    evidence: ['middle CPU use = 97 % of one core', 'first sample @0 +11000'],
  },
  cpu_saturation: {
    lines: [
      'native',
      '0 process rss=1',
      ...bySecond(['-', 100, 380, 390, 400.25, 380.3, 381, 383, 384, 100, 120], 'cpu'),
    ],
    title: 'CPU use stays at its ceiling of 400 % for 60 % of the time',
    detail: /^About 4 cores are full/,
    evidence: ['highest CPU use = 400.25 % of one core', 'at the ceiling from @3000'],
  },
  hot_function: {
    lines: [
      'native browser',
      '0 native:stacks main;a 20 | main;b 16 | main;poll 900 | c 17 | d 15 | e 14 | a;main;a 2',
      '0 browser:stacks x 11 | y 45',
    ],
    title: 'y takes 80 % of the work by itself',
    detail: /^Of 56 samples that were not waiting, 45 are in this function itself/,
    evidence: ['y = 80.357 % self', 'x = 19.643 % self'],
  },
  kernel_time: {
    lines: [
      'native',
      `0 stacks main;${['a 5', 'b 6', 'c 7', 'd 8', 'e 9', 'f 10', 'g 11', 'h 12', 'i 13']
        .map((one) => one.replace(' ', '_[k] '))
        .join(' | main;')} | main 81 | idle;tick_[k] 900 | main;do_idle_[k] 38`,
    ],
    title: 'The kernel takes 50 % of the work',
    detail: /^Most of it is in i\./,
    evidence: ['i 13', 'h 12', 'g 11', 'f 10', 'e 9', 'd 8', 'c 7', 'b 6'].map((one) => {
      const [name, weight] = one.split(' ');
      return `${name} = ${Math.round((Number(weight) / 162) * 100_000) / 1000} % self`;
    }),
  },
  texture_memory: {
    lines: [
      'browser',
      `0 asset 1 big texture upload gpu_bytes=${60 * MIB} format=RGBA8 dims=8192x2x3`,
      `0 asset 2 zeta texture upload gpu_bytes=${9 * MIB} format=RGBA8`,
      `0 asset 3 beta texture upload gpu_bytes=${9 * MIB} format=RGBA8`,
      `5 asset 4 packed texture upload gpu_bytes=${10 * MIB} format=BC7 dims=5000x5000`,
      `5 asset 5 mesh mesh upload gpu_bytes=${90 * MIB} format=RGBA8`,
    ],
    title: 'Uncompressed textures take 78.0 MiB on the GPU',
    detail: /^3 textures are uncompressed and 2 have a side over 4096\./,
    evidence: [
      `big 8192 × 2 = ${60 * MIB} bytes @0`,
      `packed 5000 × 5000 = ${10 * MIB} bytes @5`,
      `beta = ${9 * MIB} bytes @0`,
      `zeta = ${9 * MIB} bytes @0`,
    ],
  },
  duplicate_assets: {
    lines: [
      'browser',
      ...[0, 10, 20].map((t) => `${t} asset 1 thrice data load transfer_bytes=${MIB}`),
      ...[1, 2].map((id) => `${30 * id} asset 7${id} twice mesh upload gpu_bytes=${4 * MIB}`),
      ...[1, 1].map((id) => `70 asset 8${id} again mesh upload gpu_bytes=${8 * MIB}`),
      `80 asset 9 decoded mesh decode gpu_bytes=${8 * MIB} transfer_bytes=${MIB}`,
      `81 asset 10 decoded mesh decode gpu_bytes=${8 * MIB} transfer_bytes=${MIB}`,
    ],
    title: '2 assets are loaded more than once: 6.0 MiB wasted',
    detail: /Keep one copy in a cache/,
    evidence: [`twice: 2 times = ${4 * MIB} bytes @60`, `thrice: 3 times = ${2 * MIB} bytes @10`],
  },
  missing_mips: {
    lines: [
      'browser',
      ...Array.from(
        { length: 9 },
        (_, i) =>
          `${i} asset ${i} t${i} texture upload dims=${600 + i}x600 format=RGBA gpu_bytes=${(600 + i) * 600 * 4}`,
      ),
      `50 asset 20 half texture upload dims=1000x600x1 format=RGBA16F gpu_bytes=${1000 * 600 * 8}`,
      `60 asset 21 mesh mesh upload dims=1000x600 format=RGBA gpu_bytes=${1000 * 600 * 4}`,
      `70 asset 22 load texture load dims=1000x600 format=RGBA gpu_bytes=${1000 * 600 * 4}`,
    ],
    title: '10 large textures have no mip levels',
    detail: /Generate mip levels/,
    evidence: [
      `half 1000 × 600 = ${1000 * 600 * 8} bytes @50`,
      ...[8, 7, 6, 5, 4, 3, 2].map(
        (i) => `t${i} ${600 + i} × 600 = ${(600 + i) * 2400} bytes @${i}`,
      ),
    ],
  },
  frames_over_budget: {
    lines: ['browser', '0 frames 10*100 20*10 10*90 40'],
    title: '5.5 % of frames miss the budget of 10.0 ms',
    detail: /^11 of 201 frames took much longer than 10\.0 ms; p99 is 20\.0 ms\./,
    evidence: [
      'frames over budget = 11 frames',
      'p99 frame time = 20 ms',
      '1% low (slowest-1% mean) = 37.5 fps',
      'slowest frame @2100 +40',
    ],
  },
  hitch_bursts: {
    lines: [
      'browser',
      ...at([1000, 3000, 5000, 7000, 9000], '20*6'),
      '11000 frames 30*6 10 30.5*6',
      '13000 frames 20*5',
      '20000 mark end',
    ],
    title: '42 of 47 slow frames are in 6 bursts',
    detail: /^They take only 4\.9 % of the recording/,
    evidence: [
      'burst of 12 slow frames = 243 ms @11000 +373',
      ...[1000, 3000, 5000, 7000].map((t) => `burst of 6 slow frames = 60.0 ms @${t} +120`),
    ],
  },
  losses: {
    lines: [
      'browser',
      '1000 loss late_sampler 600',
      '1500 loss hidden_tab 500.5',
      ...Array.from({ length: 7 }, (_, i) => `${4000 + i} loss buffer_full`),
      '10000 mark end',
    ],
    title: '10 % of the time is not in the recording',
    detail:
      /^1001 ms are missing \(buffer_full, hidden_tab, late_sampler\)\. No number here includes .*\. Record again with the game in the foreground\. The machine was too busy or asleep to take the samples in time\. Record again with fewer other programs running\.$/,
    evidence: [
      'late_sampler @1000 +600',
      'hidden_tab @1500 +500.5',
      ...[4000, 4001, 4002, 4003, 4004, 4005].map((t) => `buffer_full @${t}`),
    ],
  },
  short_trace: {
    lines: ['native', '0 process rss=1', '9000.5 mark end'],
    title: 'The recording lasts only 9001 ms',
    detail: /Record at least ten seconds/,
    evidence: ['duration = 9000.5 ms'],
  },
};

for (const [rule, { lines, title, detail, evidence }] of Object.entries(SAYINGS)) {
  test(`${rule} reports the measured values, worst first`, () => {
    const finding = findingOf(rule, lines);
    assert.equal(finding.title, title);
    assert.match(finding.detail, detail);
    assert.deepEqual(finding.evidence.map(drawn), evidence);
  });
}

test('hot_function counts samples in a profile of another unit, and the counts of folded stacks', () => {
  const found = (text: string) =>
    analyzeTrace(modelOf(text)).find(({ id }) => id === 'hot_function');
  assert.match(
    found('a 30\nb 20\n')?.detail ?? '',
    /^Of 50 count that were not waiting, 30 are in/,
  );
  assert.equal(found('a 30\nb 19\n'), undefined);
  const weighed = (samples: number): string =>
    traceFromText(
      `native\n0 stacks ${Array.from({ length: samples }, () => 'a 9000').join(' | ')}\n`,
    ).replace('"unit":"samples"', '"unit":"ns"');
  assert.equal(found(weighed(49)), undefined);
  assert.equal(found(weighed(50))?.title, 'a takes 100 % of the work by itself');
});

test('short_trace counts samples in a trace without times', () => {
  const found = analyzeTrace(modelOf('a 98.5\nb 1\n')).find(({ id }) => id === 'short_trace');
  assert.equal(found?.title, 'There are too few samples');
  assert.deepEqual(found?.evidence, [{ label: 'samples', value: 99.5 }]);
});

test('duplicate_assets uses the singular for one asset', () => {
  const load = (t: number): string => `${t} asset 1 sky.png texture load transfer_bytes=${8 * MIB}`;
  const found = analyzeTrace(modelOf(traceFromText(['browser', load(1), load(2)].join('\n')))).find(
    ({ id }) => id === 'duplicate_assets',
  );
  assert.equal(found?.title, '1 asset is loaded more than once: 8.0 MiB wasted');
});

test('main_thread_reads and long_tasks name the storage and the script if a record does', () => {
  const reads = ['browser', '0 asset 1 a data read main_thread_ms=40'];
  const text = traceFromText(reads.join('\n')).replace(
    '"phase":"read"',
    '"phase":"read","cached":false',
  );
  const [read] = analyzeTrace(modelOf(text), { budget_ms: BUDGET });
  assert.match(read?.detail ?? '', /\(40\.0 ms\), some of them from storage\. Read/);
  const script = (name: string, ms: number): string => `{"name":"${name}","duration_ms":${ms}}`;
  const scripts = [
    [script('a.js', 100), script('b.js', 50)],
    [script('b.js', 60)],
    [script('c.js', 90)],
  ];
  const tasks = scripts.map(
    (list, i) =>
      `{"type":"longtask","t":${i * 1000},"duration_ms":200,"scripts":[${list.join(',')}]}\n`,
  );
  const finding = analyzeTrace(modelOf(traceFromText('browser') + tasks.join(''))).find(
    ({ id }) => id === 'long_tasks',
  );
  assert.match(
    finding?.detail ?? '',
    /for 450 ms beyond that\. Most of it ran in b\.js \(110 ms\)\. Split/,
  );
  assert.deepEqual(finding?.evidence[0], { label: 'b.js', value: 110, unit: 'ms in long tasks' });
});
