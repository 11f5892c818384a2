// The rules about native recordings: a trace just below each limit and one at it, and the text of each finding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeTrace, type Evidence, modelOf } from '../src/index.ts';
import { traceFromText } from '../src/testing/trace-from-text.ts';

const BUDGET = 10;
const MIB = 1_048_576;
type Lines = readonly string[];

function findingOf(rule: string, lines: Lines) {
  const model = modelOf(traceFromText(lines.join('\n')));
  return analyzeTrace(model, { budget_ms: BUDGET }).find(({ id }) => id === rule);
}

const cpu = (values: string): string[] => ['native', `0 process cpu ${values}`];
const cpuAt = (...points: (readonly [number, number])[]): string[] => [
  'native',
  ...points.map(([t, percent]) => `${t} process cpu=${percent}`),
];
/** Two spells of 4.5 s and 5 s. The arguments move the end of the first, and the start and the end of the last sample. */
const spells = (first = 24_500, middle = 28_500, last = 31_000): string[] =>
  cpuAt(
    [20_000, 20],
    [22_250, 90],
    [first, 90],
    [25_000, 20],
    [26_000, 20],
    [middle, 90],
    [last, 90],
    [last + 1, 20],
  );
/** A square wave of ten seconds for this number of seconds. */
const wave = (seconds: number, low: number, high: number, period = 10): string[] =>
  cpu(Array.from({ length: seconds }, (_, i) => (i % period < period / 2 ? high : low)).join(' '));
/** Levels in MiB, each for a number of seconds. The first one begins before the end of start-up. */
const levels = (...parts: (readonly [mib: number, seconds: number])[]): string[] => [
  'native',
  `0 process rss ${parts.map(([mib, seconds]) => `${mib * MIB}*${seconds}`).join(' ')}`,
];
const three = (a: number, b: number, c: number, d: number): string[] =>
  levels([a, 20], [b, 12], [c, 12], [d, 12]);
/** Values that alternate between two levels. */
const uneven = (mib: number, noise: number, seconds: number) =>
  Array.from({ length: seconds }, (_, i) => [mib + (i % 2) * noise, 1] as const);
const faults = (fields: string, from = 10_000, phase = 'read', flags = 'mapped='): string[] => [
  'native',
  ...[0, 1000, 2000].map((t) => `${from + t} asset 1 world.pak data ${phase} ${flags} ${fields}`),
];
const reads = (fields: string, from = 10_000): string[] => faults(fields, from, 'read', '');
const counter = (...values: number[]): string[] => [
  'native',
  `10000 counter io_read_bytes bytes ${values.join(' ')}`,
];
const pss = (costs: readonly number[], step = 1000): string[] => [
  'native',
  ...costs.map((ms, i) => `${i * step} process rss=1 pss=${1000 + i} pss_cost_ms=${ms}`),
];
const times = (count: number, ms: number): number[] => new Array<number>(count).fill(ms);

const ROWS: readonly (readonly [rule: string, limit: string, silent: Lines, speaks: Lines])[] = [
  ['core_spells', 'one core: 85 %', cpu('20*20 84.9*10 20*20'), cpu('20*20 85*10 20*20')],
  ['core_spells', 'one core: 118 %', cpu('20*20 118.1*10 20*20'), cpu('20*20 118*10 20*20')],
  ['core_spells', 'a spell: 4.5 s', spells(24_499, 28_500, 31_001), spells()],
  ['core_spells', 'all spells: 9.5 s', spells(24_500, 28_500, 30_999), spells()],
  ['core_spells', 'between samples: 2.5 s', spells(24_500, 28_501, 31_001), spells()],
  ['core_spells', 'after start-up: 10 s', cpu('90*20 20*40'), cpu('90*21 20*40')],
  ['core_spells', 'less than single_thread_limit', cpu('90*60 20*40'), cpu('90*59 20*41')],
  ['core_spells', 'a spell at the end', cpu('20*60 90*9'), cpu('20*60 90*10')],
  ['cpu_rhythm', 'its swing: 10 %', wave(200, 20.1, 30), wave(200, 20, 30)],
  ['cpu_rhythm', 'time: 90 s after start-up', wave(99, 20, 80), wave(100, 20, 80)],
  ['cpu_rhythm', 'its length: four samples', wave(200, 20, 80, 2), wave(200, 20, 80, 4)],
  ['cpu_rhythm', 'repeats: five', wave(209, 20, 80, 40), wave(210, 20, 80, 40)],
  [
    'memory_steps',
    'steps: three',
    levels([100, 20], [120, 12], [140, 12]),
    levels([100, 20], [120, 12], [140, 12], [160, 12]),
  ],
  ['memory_steps', 'a step: 8 MiB', three(100, 107.75, 116, 124), three(100, 108, 116, 124)],
  ['memory_steps', 'a step: 5 %', three(400, 419.75, 441, 464), three(400, 420, 441, 464)],
  [
    'memory_steps',
    'a level: eight samples',
    levels([100, 20], [120, 7], [140, 12], [160, 12]),
    levels([100, 20], [120, 8], [140, 12], [160, 12]),
  ],
  [
    'memory_steps',
    'the last level: eight samples',
    levels([100, 20], [120, 12], [140, 12], [160, 7]),
    levels([100, 20], [120, 12], [140, 12], [160, 8]),
  ],
  [
    'memory_steps',
    'a rise: six samples',
    levels([100, 20], [50, 7], [120, 12], [140, 12], [160, 12]),
    levels([100, 20], [50, 6], [120, 12], [140, 12], [160, 12]),
  ],
  [
    'memory_steps',
    'twice the noise of the level after it',
    levels([100, 20], [120, 12], [140, 12], ...uneven(159.75, 10, 12)),
    levels([100, 20], [120, 12], [140, 12], ...uneven(160, 10, 12)),
  ],
  [
    'memory_steps',
    'twice the noise of the level before it',
    levels(...uneven(90, 10, 20), [119.75, 12], [140, 12], [160, 12]),
    levels(...uneven(90, 10, 20), [120, 12], [140, 12], [160, 12]),
  ],
  [
    'memory_steps',
    'half of a step stays',
    levels([100, 20], [120, 12], [140, 12], [160, 12], [149.75, 3]),
    levels([100, 20], [120, 12], [140, 12], [160, 12], [150, 3]),
  ],
  [
    'memory_steps',
    'eight samples after start-up: 10 s',
    levels([100, 17], [120, 12], [140, 12], [160, 12]),
    levels([100, 18], [120, 12], [140, 12], [160, 12]),
  ],
  ['page_fault_storm', 'faults: 5000 a second', faults('count=4999'), faults('count=5000')],
  [
    'page_fault_storm',
    'from storage: 16 MiB a second',
    faults(`transfer_bytes=${16 * MIB - 1}`),
    faults(`transfer_bytes=${16 * MIB}`),
  ],
  [
    'page_fault_storm',
    'after start-up: 10 s',
    faults('count=9000', 9999),
    faults('count=9000', 10_000),
  ],
  ['page_fault_storm', 'seconds: three', faults('count=9000').slice(0, 3), faults('count=9000')],
  ['page_fault_storm', 'phase: read', faults('count=9000', 10_000, 'load'), faults('count=9000')],
  ['page_fault_storm', 'mapped', reads('count=9000'), faults('count=9000')],
  ['read_storm', 'reads: 5000 a second', reads('count=4999'), reads('count=5000')],
  [
    'read_storm',
    'bytes: 128 MiB a second',
    reads(`read_bytes=${128 * MIB - 1}`),
    reads(`read_bytes=${128 * MIB}`),
  ],
  ['read_storm', 'after start-up: 10 s', reads('count=9000', 9999), reads('count=9000', 10_000)],
  ['read_storm', 'seconds: three', reads('count=9000').slice(0, 3), reads('count=9000')],
  ['read_storm', 'not mapped', faults('count=9000'), reads('count=9000')],
  [
    'read_storm',
    'a running total that rises by 128 MiB a second',
    counter(...[1, 129, 257, 384].map((mib) => mib * MIB)),
    counter(...[1, 129, 257, 385].map((mib) => mib * MIB)),
  ],
  [
    'read_storm',
    'a counter that falls has the bytes of each sample',
    counter(...[200, 200, 100, 127].map((mib) => mib * MIB)),
    counter(...[200, 200, 100, 128].map((mib) => mib * MIB)),
  ],
  [
    'read_storm',
    'the larger of reads and counter, not their sum',
    [...counter(0, 64 * MIB, 0, 64 * MIB, 64 * MIB), ...reads(`read_bytes=${64 * MIB}`).slice(1)],
    [...counter(0, 64 * MIB, 0, 64 * MIB, 64 * MIB), ...reads(`read_bytes=${128 * MIB}`).slice(1)],
  ],
  ['pss_cost', 'readings: five', pss(times(4, 50)), pss(times(5, 50))],
  ['pss_cost', 'a usual reading: the budget', pss(times(9, 9.9), 2000), pss(times(9, 10), 2000)],
  ['pss_cost', 'time: 1 %', pss(times(5, 7.99)), pss(times(5, 8))],
];

for (const [rule, limit, silent, speaks] of ROWS) {
  test(`${rule} fires when its value reaches ${limit}`, () => {
    assert.equal(findingOf(rule, silent), undefined);
    assert.equal(findingOf(rule, speaks)?.id, rule);
  });
}

/** The rule, a trace on which it has its lowest severity, and one with a higher severity. */
const SEVERITIES: readonly (readonly [string, string, Lines, Lines])[] = [
  ['memory_steps', 'warning critical', three(100, 116, 132, 150), three(100, 116, 132, 150.25)],
  ['pss_cost', 'info warning', pss(times(5, 9.9)), pss(times(5, 10))],
];

for (const [rule, severities, milder, severer] of SEVERITIES) {
  test(`${rule} has the severities ${severities}`, () => {
    const found = [milder, severer].map((lines) => findingOf(rule, lines)?.severity);
    assert.equal(found.join(' '), severities);
  });
}

/** `label = value unit @start +duration`, without the missing parts. */
function drawn({ label, value, unit, t, duration_ms }: Evidence): string {
  const parts = [value !== undefined && `= ${value}`, unit, t !== undefined && `@${t}`];
  const all = [label, ...parts, duration_ms !== undefined && `+${duration_ms}`];
  return all.filter((part) => part !== false && part !== undefined).join(' ');
}

type Saying = {
  readonly lines: Lines;
  readonly title: string;
  readonly detail: RegExp;
  readonly evidence: readonly string[];
};

const SAYINGS: Readonly<Record<string, Saying>> = {
  core_spells: {
    lines: cpu('20*20 90*5 30*10 100*6 88 20*30'),
    title: 'One core is fully used for 12 seconds, in 2 spells',
    detail:
      /^The longest spell lasts 7 seconds\. Half of the recording uses at most 20 % of one core, .*--probes stacks/,
    evidence: [
      'spell = 98.286 % of one core @34000 +7000',
      'spell = 90 % of one core @19000 +5000',
    ],
  },
  cpu_rhythm: {
    lines: wave(210, 20, 80.25),
    title: 'CPU use rises and falls every 10.0 s',
    detail:
      /^It swings between about 20 and 80 % of one core, and one period agrees with the next by 100 %\./,
    evidence: [
      'period = 10000 ms',
      'agreement = 99.584 %',
      'busiest part = 80.25 % of one core',
      'quietest part = 20 % of one core',
      'peak @10500',
      'peak @20500',
      'peak @30500',
      'peak @40500',
    ],
  },
  memory_steps: {
    lines: [
      ...levels([100, 20], [120, 12], [130, 1], [140, 12], [160, 12], ...uneven(180, 2, 12)),
      '27999 mark too early',
      '28000 mark level 2',
      '33001 mark too late',
      '61000 mark final',
    ],
    title: 'RSS grows in 4 steps that stay, by 81.0 MiB in all',
    detail: /^Each step adds 20\.3 MiB on average, and the memory is never freed\./,
    evidence: [
      `step = ${20 * MIB} bytes @19000 +1000`,
      `step at the mark level 2 = ${20 * MIB} bytes @31000 +2000`,
      `step = ${20 * MIB} bytes @44000 +1000`,
      `step = ${21 * MIB} bytes @56000 +1000`,
    ],
  },
  page_fault_storm: {
    lines: [
      'native',
      ...[11, 12, 15].map(
        (second) =>
          `${second}200 asset 1 world.pak data read mapped= count=6000 transfer_bytes=${MIB}`,
      ),
      '12900 asset 2 b.pak data read mapped= count=40',
      '12950 asset 3 a.pak data read mapped= count=40',
      '12960 asset 5 once.pak data read mapped=',
      '14000 asset 4 quiet.pak data read mapped= count=4000',
    ],
    title: 'Up to 6,081 page faults a second in mapped files',
    detail:
      /^In 3 seconds of the recording, mapped files caused 18,081 page faults and 3\.0 MiB came from storage, most of them in world\.pak\./,
    evidence: [
      'world.pak = 18000 page faults @11200',
      'a.pak = 40 page faults @12950',
      'b.pak = 40 page faults @12900',
      'once.pak = 1 page faults @12960',
      'busiest second = 6081 page faults @12000 +1000',
    ],
  },
  read_storm: {
    lines: [
      'native',
      ...[11, 12, 15].map(
        (second) => `${second}200 asset 1 world.pak data read count=6000 read_bytes=6000000`,
      ),
      '12900 asset 2 small.pak data read count=100 read_bytes=204800',
      '10000 counter other bytes 0 900000000 0 900000000 0 900000000',
    ],
    title: 'Up to 6,100 reads of files a second',
    detail:
      /^In 3 seconds of the recording, 18,100 reads of files returned 17\.4 MiB\. Most of it is world\.pak\. A read returns 1,006 bytes on average: /,
    evidence: [
      'world.pak = 18000 reads @11200',
      'small.pak = 100 reads @12900',
      'busiest second = 6100 reads @12000 +1000',
    ],
  },
  pss_cost: {
    lines: pss([20, 30.5, 20, 20, 20]),
    title: 'Reading PSS takes 20.0 ms and disturbs the game',
    detail: /wait for it: 2\.8 % of the time in all\. .* --pss-interval 3s;/,
    evidence: ['usual reading = 20 ms', 'readings = 5', 'longest reading @1000 +30.5'],
  },
};

for (const [rule, { lines, title, detail, evidence }] of Object.entries(SAYINGS)) {
  test(`${rule} reports the measured values`, () => {
    const finding = findingOf(rule, lines) ?? assert.fail(`no ${rule}`);
    assert.equal(finding.title, title);
    assert.match(finding.detail, detail);
    assert.deepEqual(finding.evidence.map(drawn), evidence);
  });
}

test('cpu_rhythm averages each part of a period over all periods', () => {
  const values = Array.from({ length: 210 }, (_, i) => {
    const isOdd = Math.floor(i / 10) % 2 === 1;
    return i % 10 < 5 ? (isOdd ? 84 : 76) : isOdd ? 20 : 24;
  });
  const finding = findingOf('cpu_rhythm', cpu(values.join(' '))) ?? assert.fail();
  assert.deepEqual(finding.evidence.slice(2, 5).map(drawn), [
    'busiest part = 80 % of one core',
    'quietest part = 22 % of one core',
    'peak @10500',
  ]);
});

test('core_spells, memory_steps and cpu_rhythm find a problem in any of several processes', () => {
  const both = (quiet: Lines, loud: Lines): string[] => [
    'native browser',
    ...quiet.slice(1).map((line) => line.replace(' process', ' native:process')),
    ...loud.slice(1).map((line) => line.replace(' process', ' browser:process')),
  ];
  assert.ok(findingOf('core_spells', both(cpu('20*60'), cpu('20*20 90*10 20*30'))));
  assert.ok(findingOf('cpu_rhythm', both(cpu('20*60'), wave(200, 20, 80))));
  assert.ok(findingOf('pss_cost', both(pss(times(9, 1)), pss(times(9, 50)))));
  const two = both(three(100, 120, 140, 160), three(100, 130, 160, 190));
  assert.equal(
    findingOf('memory_steps', two)?.title,
    'RSS grows in 3 steps that stay, by 90.0 MiB in all',
  );
});

test('core_spells uses the singular for one spell', () => {
  const { title } = findingOf('core_spells', cpu('20*20 90*10 20*20')) ?? assert.fail();
  assert.equal(title, 'One core is fully used for 10 seconds, in one spell');
});

test('page_fault_storm does not mention storage if no page came from it', () => {
  const { detail } = findingOf('page_fault_storm', faults('count=5000')) ?? assert.fail();
  assert.match(detail, /caused 15,000 page faults, most of them in world\.pak\./);
});

test('read_storm of bytes names the files, or states how to find them', () => {
  const files = findingOf('read_storm', [
    ...reads(`count=10 read_bytes=${130 * MIB}`),
    '10000 counter io_read_bytes bytes 0 200000000 0 200000000',
  ]);
  assert.equal(files?.title, 'Up to 191 MiB a second are read');
  assert.match(
    files?.detail ?? '',
    /30 reads of files returned 390 MiB and 381 MiB came from storage\. Most of it is world\.pak\. Spread the loading/,
  );
  assert.deepEqual(files?.evidence.map(drawn), [
    `world.pak = ${390 * MIB} bytes @10000`,
    'busiest second = 200000000 bytes @11000 +1000',
  ]);
  const storage = findingOf('read_storm', counter(0, 200 * MIB, 400 * MIB, 600 * MIB));
  assert.match(
    storage?.detail ?? '',
    /^In 3 seconds of the recording, 600 MiB came from storage\. Record the files as well \(--probes files\)/,
  );
  assert.deepEqual(storage?.evidence.map(drawn), [
    `busiest second = ${200 * MIB} bytes @11000 +1000`,
  ]);
});

test('read_storm counts the reads of a file without a name, which are not those of the counter', () => {
  const text = traceFromText(reads('count=6000 read_bytes=6000').join('\n'));
  const model = modelOf(text.replaceAll('"world.pak"', '""'));
  const finding = analyzeTrace(model).find(({ id }) => id === 'read_storm');
  assert.match(finding?.detail ?? '', /18,000 reads of files .* Most of it is \(no name\)\./);
  assert.equal(finding?.evidence[0]?.label, '(no name)');
});

test('read_storm advises larger reads below 64 KiB a read', () => {
  const advice = (bytes: number) =>
    findingOf('read_storm', reads(`count=5000 read_bytes=${5000 * bytes}`))?.detail;
  assert.match(advice(65_535) ?? '', /read larger blocks/);
  assert.match(advice(65_536) ?? '', /Spread the loading/);
  const unknown = findingOf('read_storm', reads('count=5000'))?.detail ?? '';
  assert.match(unknown, /recording, 15,000 reads of files were made\. .* Spread the loading/);
});

test('pss_cost advises an interval that is longer than the present one', () => {
  const rare = pss(times(9, 10), 4000);
  assert.match(findingOf('pss_cost', rare)?.detail ?? '', /--pss-interval 8s/);
});

test('memory_growth fires for RSS and for PSS, and advises by what was recorded', () => {
  const grown = (key: string, mib: (i: number) => number, more: Lines = []): string[] => [
    'native',
    ...Array.from({ length: 60 }, (_, i) => `${i * 1000} process rss=1 ${key}=${mib(i) * MIB}`),
    ...more,
  ];
  const slope = (i: number): number => 100 + i;
  for (const [key, label] of [
    ['rss', 'RSS'],
    ['pss', 'PSS'],
  ] as const) {
    const finding = findingOf('memory_growth', grown(key, slope));
    assert.equal(finding?.title, `${label} grows by 60.0 MiB a minute`);
    assert.match(finding.detail, /Compare two heap profiles of the process/);
  }
  const every5 = findingOf(
    'memory_growth',
    grown('pss', (i) => slope(i - (i % 5))),
  );
  assert.match(every5?.title ?? '', /^PSS grows by (?:5[6-9]|6[0-4])\.\d MiB a minute$/);
  const browser = findingOf(
    'memory_growth',
    grown('rss', slope, ['0 counter js_heap_bytes bytes 5*60']),
  );
  assert.match(browser?.detail ?? '', /The JS heap does not grow\./);
});

test('memory_growth leaves a single step to other rules, and finds growth beside a heap that fills and empties', () => {
  const rss = (mib: (i: number) => number): string[] => [
    'native',
    ...Array.from({ length: 60 }, (_, i) => `${i * 1000} process rss=${Math.round(mib(i) * MIB)}`),
  ];
  const step = (share: number) => rss((i) => 100 + (1 - share) * i + (i > 40 ? 60 * share : 0));
  assert.equal(findingOf('memory_growth', step(0.75)), undefined);
  assert.notEqual(findingOf('memory_growth', step(0.4)), undefined);
  const stepTo = (mib: number) =>
    rss((i) => (i < 30 ? 100 : i < 44 ? mib : i < 54 ? mib + ((i - 43) / 11) * (200 - mib) : 200));
  assert.equal(findingOf('memory_growth', stepTo(160)), undefined);
  assert.notEqual(findingOf('memory_growth', stepTo(159)), undefined);
  assert.notEqual(
    findingOf(
      'memory_growth',
      rss((i) => 100 + i / 2 + 4 * (i % 10)),
    ),
    undefined,
  );
});

test('findings of a native recording are ordered by seconds, MiB and frame budgets', () => {
  const lines = [
    'native',
    ...Array.from(
      { length: 60 },
      (_, i) =>
        `${i * 1000} process cpu=${i > 30 && i <= 41 ? 90 : 20} rss=${(100 + i) * MIB} pss=${1000 + i} pss_cost_ms=10`,
    ),
    ...[0, 1000, 2000].map((t) => `${20_000 + t} asset 1 a data read mapped= count=5000`),
  ];
  const found = analyzeTrace(modelOf(traceFromText(lines.join('\n'))), { budget_ms: BUDGET });
  assert.deepEqual(
    found.map(({ severity, id }) => `${severity} ${id}`),
    [
      'warning pss_cost',
      'warning memory_growth',
      'warning core_spells',
      'warning page_fault_storm',
    ],
  );
});
