// `svc trace top` and `svc trace moments`: functions and moments in text, JSON and Markdown, and what they refuse.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const GAME = traceFromText(`browser
  0 frames 10*50 80 10*50 40 10 main_ms=${Array.from({ length: 103 }, (_, at) => (at === 50 ? 70 : 5)).join(',')}
  500 stacks main_[M];update_[S] 9000@0 | main_[M];a*b_[S] 1000@20
  500 stacks main_[M];load_[S];texImage2D 40000@30
  505 asset 1 rock.png texture upload main_thread_ms=60 gpu_bytes=4194304
  505 longtask 70
  560 span 4 minor gc
  510 span 20 loading level
  520 mark door
  530 log warn low on memory
  540 loss stacks_lost 3 probe=stacks
`);
const NATIVE = traceFromText(`native
  1000 process cpu=10 rss=1048576
  2000 process cpu=180 rss=1048576
  3000 process cpu=20 rss=5242880
`);
const FOLDED = 'main;hot 9007199254740993\nmain;hot_[k] 1\nmain;c<b>|x` 0.25\n';
const PROFILE = JSON.stringify({
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1, columnNumber: -1 } },
    { id: 2, parent: 1, callFrame: { functionName: 'spin', url: 'http://h/g.js', lineNumber: 4 } },
  ],
  ...{ startTime: 0, endTime: 2_000_000, samples: [2, 2], timeDeltas: [0, 1_500_000] },
});

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

async function open(t: TestContext) {
  const cwd = temporaryFolder(t);
  writeFiles(cwd, {
    ...{ 'game.vpt': GAME, 'native.vpt': NATIVE, 'a.folded': FOLDED, 'p.cpuprofile': PROFILE },
    'empty.vpt': traceFromText('browser\n'),
  });
  const run = (...args: string[]) => runHere(t, ['trace', ...args], { cwd });
  const text = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  const document = async (name: 'trace-top' | 'trace-moments', ...args: string[]) => {
    const parsed = JSON.parse(await text(...args, '--json'));
    assert.deepEqual([...Errors(DOCUMENTS[name], parsed)], [], args.join(' '));
    return parsed;
  };
  return { cwd, run, text, document };
}

test('svc trace top lists functions by self or total weight, with exact weights', async (t) => {
  const { text, document } = await open(t);
  assert.equal(
    await text('top', 'a.folded'),
    `import: 3 samples, 9,007,199,254,740,994.25 count.

SELF %                   SELF  TOTAL %                     TOTAL  FUNCTION
100.0 %  9,007,199,254,740,993  100.0 %     9,007,199,254,740,993  hot
  0.0 %                      1    0.0 %                         1  hot [kernel]
  0.0 %                   0.25    0.0 %                      0.25  c<b>|x\`
  0.0 %                      0  100.0 %  9,007,199,254,740,994.25  main
`.replace('SELF %  ', ' SELF %  '),
  );
  const byTotal = await document('trace-top', 'top', 'a.folded', '--by', 'total', '--limit', '1');
  assert.equal(byTotal.by, 'total');
  const [part] = byTotal.stacks;
  assert.deepEqual(part.functions, [
    {
      ...{ name: 'main', category: '', self: '0', self_share: 0 },
      ...{ total: '9007199254740994.25', total_share: 1 },
    },
  ]);
  assert.equal(part.left_out, 3);
  assert.match(
    await text('top', 'a.folded', '--limit', '3'),
    /\n\n1 more function is not listed\. Use --limit N to list more\.\n$/,
  );
});

test('svc trace top lists the functions of a hitch, of a time and of a range', async (t) => {
  const { text, document } = await open(t);
  const selfOf = async (within: string) => {
    const { stacks, within: place } = await document(
      'trace-top',
      'top',
      'game.vpt',
      '--within',
      within,
    );
    const rows = stacks[0].functions.map(
      (row: { name: string; self: string }) => `${row.name} ${row.self}`,
    );
    return [place.kind, place.number, place.t, place.duration_ms, ...rows];
  };
  const hitch = ['texImage2D 40', 'update 9', 'a*b 1', 'main 0', 'load 0'];
  assert.deepEqual(await selfOf('hitch:1'), ['hitch', 1, 500, 80, ...hitch]);
  assert.deepEqual(await selfOf('0.55'), ['hitch', 1, 500, 80, ...hitch]);
  assert.deepEqual(await selfOf('0.5-0.52'), ['range', null, 500, 20, 'update 9', 'main 0']);
  assert.match(
    await text('top', 'game.vpt', '--within', 'hitch:1'),
    /^browser: 3 samples, 50 ms in hitch:1, 0\.500 s to 0\.580 s\.\n\nSELF %/,
  );
  assert.equal(
    await text('top', 'game.vpt', '--within', '0.6-0.7'),
    'No function was sampled in 0.600 s to 0.700 s.\n',
  );
  assert.match(await text('top', 'p.cpuprofile', '--within', '1-1.1'), /100 ms in 1\.000 s/);
});

test('svc trace top selects functions by a pattern, whatever its case', async (t) => {
  const { text, document } = await open(t);
  const { stacks } = await document('trace-top', 'top', 'game.vpt', '--search', 'LOAD|^a');
  assert.deepEqual(
    stacks[0].functions.map(({ name }: { name: string }) => name),
    ['a*b', 'load'],
  );
  assert.equal(stacks[0].matched_share, 41 / 50);
  assert.match(
    await text('top', 'game.vpt', '--search', 'LOAD'),
    /^.*\n80\.0 % of the weight is in the functions that match, or in what they call\.\n/,
  );
  assert.match(await text('top', 'game.vpt', '--search', 'zzz'), /\nNo function matches\.\n$/);
});

test('svc trace top explains what to do about a trace without functions', async (t) => {
  const { text, document } = await open(t);
  assert.match(
    await text('top', 'native.vpt'),
    /^The trace has no functions\. Record them with svc record,/,
  );
  assert.deepEqual((await document('trace-top', 'top', 'empty.vpt')).stacks, []);
});

test('svc trace top and moments write Markdown that shows names as they are', async (t) => {
  const { text } = await open(t);
  assert.match(
    await text('top', 'a.folded', '--markdown', '--limit', '3'),
    /^import: .*\n\n\| SELF % \| SELF \| TOTAL % \| TOTAL \| FUNCTION \|\n\| ---: \| ---: \| ---: \| ---: \| --- \|\n.*\n.* hot \\\[kernel\\\] \|\n.* \| c&lt;b&gt;\\\|x\\` \|\n$/,
  );
  assert.match(
    await text('moments', 'game.vpt', '--markdown'),
    /\n\| hitch:1 \| 0\.500 s \| 80\.0 ms \| loading \| uploading rock\.png took 56 ms, work that the trace does not show took 10 ms \|\n/,
  );
  assert.match(
    await text('moments', 'game.vpt', '--at', 'hitch:1', '--markdown'),
    /\n\*\*Assets\*\*\n\n\| TIME/,
  );
});

test('svc trace moments lists each hitch on a line, with a number that neither order nor limit changes', async (t) => {
  const { text, document } = await open(t);
  assert.equal(
    await text('moments', 'game.vpt', '--limit', '1'),
    `Bound by loading: 73 % of the time over budget.
2 of 103 frames are hitches: more than 5 % over the budget of 16.7 ms.

MOMENT      TIME  DURATION  BOUND BY  CAUSES
hitch:1  0.500 s   80.0 ms  loading   uploading rock.png took 56 ms, work that the trace does not show took 10 ms

1 more moment is not listed. Use --limit N to list more.
Use --at hitch:1 for all about one moment.
`,
  );
  const names = async (...args: string[]) =>
    (await document('trace-moments', 'moments', 'game.vpt', ...args)).moments.map(
      ({ name }: { name: string }) => name,
    );
  assert.deepEqual(await names(), ['hitch:1', 'hitch:2']);
  assert.deepEqual(await names('--sort', 'time', '--frame-ms', '5', '--limit', '4'), [
    ...['hitch:3', 'hitch:4', 'hitch:1', 'hitch:2'],
  ]);
  const { of, count, frames, moments } = await document('trace-moments', 'moments', 'game.vpt');
  assert.deepEqual([of, count, frames], ['hitches', 2, 103]);
  assert.deepEqual(
    [moments[0].t, moments[0].duration_ms, moments[0].over_ms, moments[0].bound],
    [500, 80, 63.333, 'loading'],
  );
  assert.equal(moments[0].causes[0].text, 'uploading rock.png took 56 ms');
  const hitches = JSON.parse(await text('hitches', 'game.vpt', '--json'));
  assert.deepEqual(hitches.hitches[0].causes, moments[0].causes);
});

test('svc trace moments lists the seconds that stand out in a trace without frames', async (t) => {
  const { text, document } = await open(t);
  assert.equal(
    await text('moments', 'native.vpt', '--limit', '2'),
    `The trace has no frames. These are the seconds with the most CPU time (cpu:N), and those in which RSS rose most (memory:N).

MOMENT       TIME      CPU      RSS      RISE
cpu:1     1.000 s  180.0 %  1.0 MiB       0 B
cpu:2     2.000 s   20.0 %  5.0 MiB  +4.0 MiB
memory:1  2.000 s   20.0 %  5.0 MiB  +4.0 MiB

1 more moment is not listed. Use --limit N to list more.
Use --at cpu:1 for all about one moment.
`,
  );
  const list = await document('trace-moments', 'moments', 'native.vpt', '--sort', 'time');
  assert.deepEqual(
    [list.of, list.count, ...list.moments.map(({ name }: { name: string }) => name)],
    ['process', 4, 'cpu:3', 'cpu:1', 'cpu:2', 'memory:1'],
  );
  const one = await document('trace-moments', 'moments', 'native.vpt', '--at', 'memory:1');
  assert.deepEqual(one.process, [
    { t: 2000, duration_ms: 1000, cpu_percent: 20, rss_bytes: 5_242_880, rise_bytes: 4_194_304 },
  ]);
  assert.match(await text('moments', 'p.cpuprofile'), /no moment stands out\. svc trace top lists/);
});

test('svc trace moments --at describes the frame with its neighbours, and all that happened in it', async (t) => {
  const { text, document } = await open(t);
  const shown = await text('moments', 'game.vpt', '--at', 'hitch:1');
  const rows = [
    /^hitch:1: 80 ms at 0\.500 s \(browser\)\nBound by loading: 56 of 80 ms on the main thread\..*\nCauses: uploading rock\.png took 56 ms, work/,
    /\nFrames\nFRAME +TIME +DURATION +MAIN +BOUND BY\nbefore +0\.490 s +10\.0 ms +5\.0 ms +within budget\nhitch:1 +0\.500 s +80\.0 ms +70\.0 ms +loading\nafter +0\.580 s +10\.0 ms +5\.0 ms +within budget\n/,
    /\nFunctions\nSELF +TOTAL +UNIT +FUNCTION\n +40 +40 +ms +load\n +9 +9 +ms +update\n/,
    /\nAssets\n.*\n60\.0 ms +4\.0 MiB +upload +rock\.png\n/,
    /\nLong tasks\n.*\n70\.0 ms +70\.0 ms\n/,
    /\nGarbage collections\n.*\n4\.0 ms +gc +minor\n/,
    /\nSpans\n.*\n20\.0 ms +level +loading\n/,
    /\nMarks\n.*\n0\.520 s +door\n/,
    /\nLog\n.*\n0\.530 s +warn +low on memory\n/,
    /\nLosses\n.*\n0\.540 s +3 ms +stacks_lost\n$/,
  ];
  for (const row of rows) assert.match(shown, row);
  const one = await document(
    'trace-moments',
    'moments',
    'game.vpt',
    '--at',
    '0.579',
    '--limit',
    '1',
  );
  assert.deepEqual(one.moment, { kind: 'hitch', number: 1, t: 500, duration_ms: 80 });
  assert.deepEqual([one.before.t, one.frame.main_ms, one.after.over_budget], [490, 70, false]);
  assert.deepEqual([one.spans.length, one.left_out], [1, 1]);
  assert.match(
    await text('moments', 'game.vpt', '--at', '0.579', '--limit', '1'),
    /\n1 more record is in it\. Use --limit N to list more\.\n$/,
  );
  assert.match(
    await text('moments', 'game.vpt', '--frame-ms', '70'),
    /\n1 of 103 frames is a hitch: more than 5 % over the budget of 70 ms\.\n/,
  );
  assert.deepEqual([one.longest_in, one.hitches, one.memory], [null, [], []]);
  const first = await document('trace-moments', 'moments', 'game.vpt', '--at', '0.000');
  assert.deepEqual([first.moment.kind, first.before], ['frame', null]);
  const range = await document('trace-moments', 'moments', 'game.vpt', '--at', '0.1-0.2');
  assert.deepEqual([range.frame, range.explanation, range.marks], [null, null, []]);
  assert.match(
    await text('moments', 'game.vpt', '--at', '0.1-0.2'),
    /^100 ms at 0\.100 s\n\nThe trace has nothing in this time\.\n$/,
  );
});

test('svc trace moments --at with whole seconds describes the longest hitch of that second', async (t) => {
  const { text, document } = await open(t);
  assert.match(
    await text('moments', 'game.vpt', '--at', '0'),
    /^hitch:1: 80 ms at 0\.500 s \(browser\), the longest hitch in 0:00\n/,
  );
  assert.match(
    await text('moments', 'game.vpt', '--at', '1.0'),
    /^hitch:2: 40 ms at 1\.080 s \(browser\), the longest hitch from 1\.0 s to 1\.1 s\n/,
  );
  const { moment, longest_in } = await document(
    ...(['trace-moments', 'moments', 'game.vpt', '--at', '1'] as const),
  );
  assert.deepEqual([moment.number, longest_in], [2, { t: 1000, duration_ms: 1000 }]);
  const { moment: frame } = await document(
    ...(['trace-moments', 'moments', 'game.vpt', '--at', '1.00'] as const),
  );
  assert.deepEqual([frame.kind, frame.t], ['frame', 1000]);
});

test('svc trace moments --at with a range names its hitches and its memory', async (t) => {
  const { cwd, text, document } = await open(t);
  const memory = `
    0 counter js_heap_bytes bytes 1048576 3145728
    0 counter gpu_bytes bytes 2097152
    1120 end off`;
  writeFiles(cwd, { 'memory.vpt': traceFromText(`browser\n0 frames 10*50 80 10*50 40${memory}`) });
  const shown = await text('moments', 'memory.vpt', '--at', '0-1.1');
  assert.match(
    shown,
    /^1100 ms at 0\.000 s\n\nHitches\nMOMENT +TIME .*\nhitch:1 +0\.500 s +80\.0 ms .*\nhitch:2 +1\.080 s +40\.0 ms .*\n/,
  );
  assert.match(
    shown,
    /\nMemory at the end\n +SIZE +CHANGE +MEMORY\n3\.0 MiB +\+2\.0 MiB +JS heap\n2\.0 MiB +0 B +GPU memory\n$/,
  );
  const one = await document(
    ...(['trace-moments', 'moments', 'memory.vpt', '--at', '0.5-1.1', '--limit', '1'] as const),
  );
  assert.deepEqual(
    [one.hitches.map(({ name }: { name: string }) => name), one.left_out],
    [['hitch:1'], 1],
  );
  assert.deepEqual(one.memory[0], {
    ...{ label: 'JS heap', source: 'browser', bytes: 3_145_728, change: 2_097_152 },
  });
});

test('svc trace moments fits its table into a narrow terminal', async (t) => {
  const { cwd } = await open(t);
  const stdout = Object.assign(new PassThrough(), { columns: 50 });
  let shown = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await runHere(t, ['trace', 'moments', 'game.vpt'], { cwd, io: { stdout } });
  assert.match(shown, /\nhitch:1 {2}0\.500 s {3}80\.0 ms {2}loading {3}uploading r…\n/);
});

test('svc trace top and moments refuse a part of the trace that is not there', async (t) => {
  const { run } = await open(t);
  const rows: [args: string[], code: number, text: RegExp][] = [
    [['top', 'game.vpt', '--within', '5-2'], 2, /The range must end after it begins/],
    [['top', 'game.vpt', '--within', '1:2'], 2, /Write seconds such as 31-31\.5 or 31\.2, or/],
    [['moments', 'game.vpt', '--at', 'hitch'], 2, /or a moment such as hitch:1/],
    [
      ['top', 'game.vpt', '--within', '9-10'],
      1,
      /"game\.vpt" ends at 1\.500 s, before this time\.\nName a time before 1\.500 s\./,
    ],
    [
      ['moments', 'game.vpt', '--at', '1.4'],
      1,
      /No frame was running at this time.*\nName a range/,
    ],
    [
      ['moments', 'game.vpt', '--at', 'hitch:3'],
      1,
      /has 2 of these moments\.\nRun svc trace moments/,
    ],
    [
      ['moments', 'game.vpt', '--frame-ms', '70', '--at', 'hitch:2'],
      1,
      /has only one of these moments\./,
    ],
    [['top', 'native.vpt', '--within', 'hitch:1'], 1, /"native\.vpt" has no such moments/],
    [['top', 'a.folded', '--within', '1'], 1, /Nothing in "a\.folded" has a time.*\nFolded stacks/],
    [['moments', 'empty.vpt', '--at', '0-1'], 1, /Nothing in "empty\.vpt" has a time/],
    [['top', 'game.vpt', '--search', '('], 2, /Write a regular expression/],
    [['top', 'game.vpt', '--by', 'name'], 2, /Allowed: self, total/],
    [['top', 'game.vpt', '--limit', '0'], 2, /from 1 to 1000000/],
    [['moments', 'game.vpt', '--limit', '1001'], 2, /from 1 to 1000\./],
    [['moments', 'game.vpt', '--sort', 'x'], 2, /Allowed: duration, time/],
    [['moments', 'game.vpt', '--json', '--markdown'], 2, /Use --json or --markdown, not both/],
    [['top', 'gone.vpt'], 1, /the file does not exist/],
  ];
  for (const [args, code, text] of rows) {
    const ended = await run(...args);
    assert.equal(ended.code, code, `${args}: ${ended.stderr}${ended.stdout}`);
    assert.match(ended.stderr, text);
  }
  const json = await run('top', 'game.vpt', '--within', '9-10', '--json');
  assert.equal(JSON.parse(json.stdout).error.code, 'no_such_moment');
});

test('svc trace moments escapes names that would act on a terminal', async (t) => {
  const { cwd, text } = await open(t);
  writeFiles(cwd, { 'bad.vpt': GAME.replaceAll('rock.png', 'x\\u001b[2J\\ny\\u202ez') });
  for (const args of [
    ['moments', 'bad.vpt'],
    ['moments', 'bad.vpt', '--at', 'hitch:1'],
  ]) {
    const shown = await text(...args);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not receive these
    assert.doesNotMatch(shown, /[\u001b\u202e]/);
    assert.match(shown, /x\\x1b\[2J/);
  }
});
