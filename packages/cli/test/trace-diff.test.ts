// `svc trace diff`: the comparison of two traces, its limits for CI, and what it refuses.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const OLD = traceFromText(`browser
  0 frames 10*95 20*5
  0 counter js_heap_bytes bytes 1048576 1048576
  0 asset 1 rock.png texture decode main_thread_ms=10 bytes=1000
  0 stacks update_g.js:12 6000@0 | draw 4000@10
`);
/** One frame in twenty takes 30 ms instead of 20, the heap doubles, and `update` has another line. */
const NEW = traceFromText(`browser
  0 frames 10*95 20*5 30*3
  0 counter js_heap_bytes bytes 2097152 2097152
  0 asset 1 rock.png texture decode main_thread_ms=40 bytes=3000
  0 stacks update_g.js:14 3000@0 | draw 4000@10 | spawn 3000@20
`);
const NATIVE = traceFromText(
  'native\n1000 process cpu=10 rss=1048576\n2000 process cpu=10 rss=1048576\n',
);

async function open(t: TestContext) {
  const cwd = temporaryFolder(t);
  const files = { 'old.vpt': OLD, 'new.vpt': NEW, 'native.vpt': NATIVE, 'a.folded': 'a 3\nb 1\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  writeFileSync(join(cwd, 'b.folded'), 'a 1\nb 3\n');
  writeFileSync(join(cwd, 'one.vpt'), traceFromText('browser\n0 frames 10\n'));
  writeFileSync(join(cwd, 'empty.vpt'), traceFromText('browser\n'));
  const run = (...args: string[]) => runHere(t, ['trace', 'diff', ...args], { cwd });
  const text = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  const write = (name: string, trace: string): void =>
    writeFileSync(join(cwd, name), traceFromText(trace));
  return { run, text, write };
}

test('svc trace diff states first what became worse, then lists values, functions and assets', async (t) => {
  const { text } = await open(t);
  const shown = await text('old.vpt', 'new.vpt');
  const rows = [
    /^over_ms_per_minute rose by 213 % \(952 ms before, 2,982 ms after\)\.\n11 values are worse, 0 better, 1 the same\.\n\nBefore: old\.vpt \(1\.\d s, 100 frames\)\. After: new\.vpt \(1\.\d s, 103 frames\)\.\n/,
    /\nVALUE +BEFORE +AFTER +CHANGE\naverage_fps +95\.2 +90\.4 +−5\.1 % +worse\n/,
    /\nmax_ms +20 ms +30 ms +\+50 % +worse\n/,
    /\np50_ms +10 ms +10 ms +0 % +same\n/,
    /\nheap_max_bytes +1\.0 MiB +2\.0 MiB +\+100 % +worse\n/,
    /\nFunctions of browser: the share of their own weight \(2 and 3 samples\)\n.*\n +0\.0 % +30\.0 % +\+30\.0 +spawn \(new\)\n60\.0 % +30\.0 % +−30\.0 +update_g\.js:14\n/,
    /\nAssets, by the change of their cost in frame budgets\n.*\n\+0\.90 +\+2\.0 KiB +texture +rock\.png\n\nsvc trace blame lists/,
  ];
  for (const row of rows) assert.match(shown, row);
  assert.doesNotMatch(shown, /Limits|rss|draw/);
  assert.match(
    await text('new.vpt', 'old.vpt'),
    /^over_ms_per_minute fell by 68\.1 % \(2,982 ms before, 952 ms after\)\.\nNothing became worse: 11 values are better, 1 the same\.\n/,
  );
});

test('svc trace diff states that nothing changed', async (t) => {
  const { text } = await open(t);
  assert.match(
    await text('old.vpt', 'old.vpt'),
    /^Nothing changed beyond noise\.\n12 values are the same: a change of up to 1 % may be chance\.\n/,
  );
});

test('svc trace diff warns if the graphics adapters differ', async (t) => {
  const { text, write } = await open(t);
  write('software.vpt', `browser gpu=SwiftShader software=\n0 frames 10`);
  write('card.vpt', `browser gpu=Card\x1b[2J\n0 frames 10`);
  assert.match(
    await text('software.vpt', 'card.vpt'),
    /\nThe traces have different graphics adapters: SwiftShader \(in software\) before, Card\\x1b\[2J after\. /,
  );
  assert.doesNotMatch(await text('card.vpt', 'card.vpt'), /graphics/);
  const { graphics_warning } = JSON.parse(await text('card.vpt', 'software.vpt', '--json'));
  assert.match(graphics_warning, /SwiftShader \(in software\) after/);
});

test('svc trace diff --frame-ms changes the costs of assets, too', async (t) => {
  const { text } = await open(t);
  assert.match(
    await text('old.vpt', 'new.vpt', '--frame-ms', '100'),
    /\nasset_cost +0\.05 +0\.2 .*\n/,
  );
});

test('svc trace diff writes a document with every change', async (t) => {
  const { text } = await open(t);
  const report = JSON.parse(await text('old.vpt', 'new.vpt', '--json'));
  assert.deepEqual([...Errors(DOCUMENTS['trace-diff'], report)], []);
  const longest = report.metrics.find(({ metric }: { metric: string }) => metric === 'max_ms');
  assert.deepEqual(longest, {
    ...{ metric: 'max_ms', before: 20, after: 30, change: 10, ratio: 0.5, verdict: 'worse' },
    ...{ unit: 'ms', better: 'less' },
  });
  const [functions] = report.functions;
  assert.deepEqual(functions.falls, [
    {
      ...{ name: 'update_g.js:14', old_name: 'update_g.js:12', category: '', state: 'kept' },
      ...{ self_before: 0.6, self_after: 0.3, change: -0.3 },
    },
  ]);
  assert.deepEqual([report.kept, report.limits, report.builds], [true, [], 'unknown']);
  const limited = JSON.parse(await text('a.folded', 'b.folded', '--json', '--limit', '1'));
  assert.deepEqual([limited.functions[0].rises.length, limited.metrics], [1, []]);
});

test('svc trace diff compares the functions of folded stacks, and traces with nothing in common', async (t) => {
  const { text } = await open(t);
  assert.match(
    await text('a.folded', 'b.folded'),
    /^Only functions can be compared: no other value is in both traces\.\n[\s\S]*\n25\.0 % +75\.0 % +\+50\.0 +b\n75\.0 % +25\.0 % +−50\.0 +a\n$/,
  );
  assert.match(await text('old.vpt', 'native.vpt'), /\nmax_ms +20 ms +\? +not in both\n/);
  assert.match(await text('one.vpt', 'old.vpt'), /\nBefore: one\.vpt \(10 ms, 1 frame\)\. /);
  assert.match(await text('empty.vpt', 'empty.vpt'), /^The traces have nothing in common/);
});

test('svc trace diff ends with 7 if a metric is worse by more than its limit, and names each such limit', async (t) => {
  const { run, text } = await open(t);
  const limits = (...all: string[]) => [
    'old.vpt',
    'new.vpt',
    ...all.flatMap((one) => ['--fail-on', one]),
  ];
  const kept = await text(
    ...limits('max_ms+50%', 'max_ms+10', 'average_fps-6%', 'heap_max_bytes+1MiB'),
  );
  assert.match(
    kept,
    /\nLimits\n +LIMIT +CHANGE\nok +max_ms\+50% +max_ms is 20 ms before, 30 ms after \(\+50 %\)\n/,
  );
  const broken = await run(
    ...limits('max_ms+49%', 'p50_ms+1%', 'average_fps-5%', 'rss_max_bytes+9GiB'),
  );
  assert.equal(broken.code, 7);
  assert.match(
    broken.stdout,
    /^over_ms_per_minute rose[\s\S]*\nFAILED +max_ms\+49% [\s\S]*\nok +p50_ms/,
  );
  assert.equal(
    broken.stderr,
    `svc: "new.vpt" does not keep 3 limits: max_ms+49%, average_fps-5%, rss_max_bytes+9GiB.
  max_ms is 20 ms before, 30 ms after (+50 %)
  average_fps is 95.2 before, 90.4 after (−5.1 %)
  rss_max_bytes is missing in both traces, so its limit cannot be checked
`,
  );
  const one = await run('old.vpt', 'native.vpt', '--fail-on', 'max_ms+9%', '--json');
  const { error, ...report } = JSON.parse(one.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-diff'], report)], []);
  assert.deepEqual([one.code, error.code, error.exit_code], [7, 'limit_exceeded', 7]);
  assert.equal(error.message, '"native.vpt" does not keep a limit: max_ms+9%.');
  assert.match(error.details[0].message, /max_ms is missing in the newer trace/);
  assert.deepEqual(report.limits, [
    { limit: 'max_ms+9%', metric: 'max_ms', before: 20, after: null, change: null, kept: false },
  ]);
  const missing = await run('native.vpt', 'old.vpt', '--fail-on', 'max_ms+9%');
  assert.match(missing.stderr, /max_ms is missing in the older trace/);
});

test('svc trace diff writes Markdown, also if a limit is exceeded', async (t) => {
  const { run } = await open(t);
  const { code, stdout } = await run('old.vpt', 'new.vpt', '--markdown', '--fail-on', 'max_ms+1%');
  assert.equal(code, 7);
  assert.match(stdout, /\n\| max\\_ms \| 20 ms \| 30 ms \| \+50 % \| worse \|\n/);
  assert.match(stdout, /\n\| FAILED \| max\\_ms\+1% \| /);
  assert.doesNotMatch(stdout, /svc trace blame/);
});

test('svc trace diff states builds, and recordings of different lengths', async (t) => {
  const { text } = await open(t);
  const cwd = temporaryFolder(t);
  const named = (trace: string, digest: string): string =>
    trace.replace('"sources"', `"build":{"digest":"${digest}"},"sources"`);
  writeFileSync(join(cwd, 'a.vpt'), named(OLD, 'one'));
  writeFileSync(join(cwd, 'b.vpt'), named(`${OLD}{"type":"mark","t":9000,"name":"m"}\n`, 'two'));
  const [a, b] = [join(cwd, 'a.vpt'), join(cwd, 'b.vpt')];
  assert.match(await text(a, a), /\nBoth traces are of the same build \(one\)\.\n/);
  const shown = await text(a, b);
  assert.match(shown, /\nThe traces are of different builds \(one before, two after\)\.\n/);
  assert.match(shown, /\nThe recordings do not last equally long\. Record the same scene/);
});

test('svc trace diff refuses limits that mean nothing, and explains how to write them', async (t) => {
  const { run } = await open(t);
  const files = ['old.vpt', 'new.vpt'];
  const rows: [args: string[], code: number, text: RegExp][] = [
    [
      [...files, '--fail-on', 'p95_ms'],
      2,
      /Write a metric and the change that is allowed, such as p95_ms\+10%/,
    ],
    [[...files, '--fail-on', 'p95_ms>10%'], 2, /Write a metric/],
    [['--fail-on', 'p95_ms+1%', ...files], 2, /Name the two traces before this option/],
    [
      [...files, '--fail-on', 'p96_ms+1%'],
      2,
      /There is no metric p96_ms\. Use one of average_fps, /,
    ],
    [[...files, '--fail-on', 'p95_ms-1%'], 2, /p95_ms is worse if it rises: write p95_ms\+1%/],
    [[...files, '--fail-on', 'average_fps+5'], 2, /is worse if it falls: write average_fps-5/],
    [[...files, '--fail-on', 'rss_bytes_per_minute+5%'], 2, /a percentage of it means nothing/],
    [
      [...files, '--fail-on', 'p95_ms+5KiB'],
      2,
      /Write a percentage, or a number without a unit, or with ms\./,
    ],
    [[...files, '--fail-on', 'asset_cost+5ms'], 2, /a number without a unit\./],
    [['old.vpt'], 2, /argument NEW is missing/],
    [['-', '-'], 2, /Only one of the two/],
    [['old.vpt', 'gone.vpt'], 1, /"gone\.vpt": the file does not exist/],
    [[...files, '--limit', '0'], 2, /from 1 to 10000/],
    [[...files, '--json', '--markdown'], 2, /not both/],
  ];
  for (const [args, code, text] of rows) {
    const ended = await run(...args);
    assert.equal(ended.code, code, `${args}: ${ended.stderr}`);
    assert.match(ended.stderr, text);
  }
});
