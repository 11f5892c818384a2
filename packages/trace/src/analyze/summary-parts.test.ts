// The exact text of each part of a summary, and the limit of each part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { SUMMARY_BYTES, summarizeTrace } from './summarize-trace.ts';

/** The lines of each part, by its name. */
function partsOf(lines: readonly string[], budget_ms = 10): Map<string, string[]> {
  const { text } = summarizeTrace(modelOf(traceFromText(lines.join('\n'))), { budget_ms });
  const parts = new Map<string, string[]>();
  for (const part of text.split(/^## /m).slice(1)) {
    const [name = '', ...rest] = part.split('\n');
    parts.set(
      name,
      rest.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)),
    );
  }
  return parts;
}

const many = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));

test('a summary describes each part of a trace', () => {
  const parts = partsOf(
    `browser native
      0 browser:frames 10*20 60 10*20 14 10*5 20*1 10*40
      200 browser:asset 1 boss.png texture decode duration_ms=40 main_thread_ms=40 bytes=2097152
      230 browser:asset 2 sky.png texture upload duration_ms=5 main_thread_ms=5 gpu_bytes=4194304
      400 browser:asset 3 menu.ogg audio load duration_ms=30
      201 browser:longtask 59
      202 browser:longtask 20
      203 browser:longtask 10
      200 browser:span 60 boss
      210 browser:mark first
      5.5 browser:mark early
      300 browser:loss hidden_tab 9
      700 loss buffer_full
      0 native:stacks main;update;path 60 | main;update;wait 15 | main;draw_[k] 25
      0 native:process cpu=50 rss=104857600 pss=52428800
      1000 native:process rss=209715200
      2000 native:process cpu=75.25 rss=157286400
      0 browser:counter js_heap_bytes bytes 1048576 2097152
      0 browser:counter entities items 12.34 56
      2500 end off`.split('\n'),
  );
  const findings = parts.get('findings of the offline rules, worst first') ?? [];
  assert.deepEqual(
    findings.map((line) => /^\[\w+\] \S+ \S+/.exec(line)?.[0]),
    [
      '[critical] path takes',
      '[warning] The kernel',
      '[warning] boss.png and',
      '[warning] Decoding on',
      '[info] The recording',
    ],
  );
  assert.match(
    findings[2] ?? '',
    /^\[warning\] boss\.png and 1 more delayed frames by 45\.0 ms\. Frames over budget contain .* play\)\. Evidence: boss\.png = 40 ms over budget at 200 ms for 40 ms; sky\.png = 5 ms over budget at 230 ms for 5 ms$/,
  );
  parts.delete('findings of the offline rules, worst first');
  assert.deepEqual(
    [...parts],
    [
      [
        'recording',
        [
          'sources: browser, native; duration: 2500 ms; ended cleanly: yes',
          'frames: 88; asset records: 3; long tasks: 3; stack samples: 3',
        ],
      ],
      [
        'frames',
        [
          '87 frames counted, 1 left out under losses; budget 10 ms, more than 5 % over it: 3 frames by 64 ms in all',
          'mean 10.736 ms, p50 10 ms, p90 10 ms, p95 10 ms, p99 60 ms, p99.9 60 ms, max 60 ms',
          'average 93.148 fps (1000 / mean frame time); 1% low 16.667 fps (1000 / mean of the slowest 1% of frames)',
        ],
      ],
      [
        'slowest frames and what fell into them',
        [
          'at 200 ms: 60 ms (browser): decode of boss.png 40 ms, upload of sky.png 5 ms, long task 59 ms, long task 20 ms, span boss 60 ms, mark first',
          'at 524 ms: 20 ms (browser): nothing recorded in it',
        ],
      ],
      [
        'assets by cost, hardest first (cost in frame budgets)',
        [
          'boss.png (texture, browser): cost 6.02, share 86 %, delayed frames by 44.444 ms in 1, main thread 40 ms, load unknown, decode 40 ms, upload unknown, memory 2.0 MiB, GPU unknown',
          'sky.png (texture, browser): cost 0.83, share 12 %, delayed frames by 5.556 ms in 1, main thread 5 ms, load unknown, decode unknown, upload 5 ms, memory unknown, GPU 4.0 MiB',
          'menu.ogg (audio, browser): cost 0.15, share 2.1 %, delayed frames by 0 ms in 0, main thread unknown, load 30 ms, decode unknown, upload unknown, memory unknown, GPU unknown',
        ],
      ],
      [
        'functions by own weight (100 samples in all)',
        [
          'path: self 60 %, total 60 %',
          'draw [kernel]: self 25 %, total 25 %',
          'wait: self 15 %, total 15 %',
          'main: self 0.0 %, total 100 %',
          'update: self 0.0 %, total 75 %',
        ],
      ],
      [
        'heaviest stacks, outermost first',
        [
          '60 %: main > update > path',
          '25 %: main > draw',
          '15 %: main > update > wait',
          '0.0 %: main',
          '0.0 %: main > update',
        ],
      ],
      [
        'values over time, as seconds:value',
        [
          'RSS in MiB: 0:100 1:200 2:150',
          'PSS in MiB: 0:50',
          'CPU in % of one core: 0:50 2:75.3',
          'js_heap_bytes in MiB: 0:1 1:2',
          'entities in items: 0:12.3 1:56',
        ],
      ],
      ['losses', ['at 300 ms: hidden_tab for 9 ms', 'at 700 ms: buffer_full']],
      [
        'marks and spans',
        ['at 5.5 ms: mark early', 'at 200 ms: span boss 60 ms', 'at 210 ms: mark first'],
      ],
    ],
  );
});

test('a summary states that a trace did not end cleanly, and contains no other part if the trace is empty', () => {
  const parts = partsOf(['browser', '10 mark m', '0 stacks a 0']);
  assert.deepEqual(parts.get('recording'), [
    'sources: browser; duration: 1000 ms; ended cleanly: no',
    'frames: 0; asset records: 0; long tasks: 0; stack samples: 1',
  ]);
  assert.deepEqual(
    [...parts.keys()],
    ['recording', 'findings of the offline rules, worst first', 'marks and spans'],
  );
});

test('a summary lists the twelve slowest frames of those that exceed the budget by half', () => {
  const name = 'slowest frames and what fell into them';
  const slow = partsOf(['browser', `0 frames ${many(13, (i) => `${20 + i}`).join(' ')}`]).get(name);
  assert.equal(slow?.length, 12);
  assert.match(slow?.[0] ?? '', /: 32 ms \(browser\)/);
  assert.match(slow?.at(-1) ?? '', /: 21 ms \(browser\)/);
  const edge = partsOf(['browser', '0 frames 15 15.1']).get(name);
  assert.deepEqual(edge, ['at 15 ms: 15.1 ms (browser): nothing recorded in it']);
});

test('a summary lists only the heaviest items in a frame', () => {
  const [reported] =
    partsOf([
      'browser',
      '0 frames 100',
      ...many(5, (i) => `${i} asset ${i} a${i} data load duration_ms=${10 + i}`),
      ...many(3, (i) => `${i} longtask ${20 + i}`),
      ...many(4, (i) => `${i} span ${30 + i} s${i}`),
      ...many(4, (i) => `${i} mark m${i}`),
    ]).get('slowest frames and what fell into them') ?? [];
  assert.equal(
    reported,
    'at 0 ms: 100 ms (browser): load of a4 14 ms, load of a3 13 ms, load of a2 12 ms, load of a1 11 ms, ' +
      'long task 22 ms, long task 21 ms, span s3 33 ms, span s2 32 ms, span s1 31 ms, mark m0, mark m1, mark m2',
  );
});

test('a summary lists 40 assets, 25 functions, and 12 stacks of at most 24 frames', () => {
  const assets = many(41, (i) => `${i} asset ${i} a data load duration_ms=${i + 1}`);
  const deep = many(26, (i) => `f${i}`).join(';');
  const flat = many(14, (i) => `g${i} ${50 - i}`).join(' | ');
  const parts = partsOf(['browser', ...assets, `0 stacks ${deep} 99 | ${flat}`]);
  assert.equal(parts.get('assets by cost, hardest first (cost in frame budgets)')?.length, 40);
  assert.equal(parts.get('heaviest stacks, outermost first')?.length, 12);
  assert.equal(
    parts.get('heaviest stacks, outermost first')?.[0],
    `14 %: (2 more) > ${many(24, (i) => `f${i + 2}`).join(' > ')}`,
  );
  const functions = [...parts].find(([name]) => name.startsWith('functions by own weight'));
  assert.equal(functions?.[1].length, 25);
  const shorter = many(24, (i) => `f${i}`);
  assert.equal(
    partsOf(['browser', `0 stacks ${shorter.join(';')} 9`]).get(
      'heaviest stacks, outermost first',
    )?.[0],
    `100 %: ${shorter.join(' > ')}`,
  );
});

test('a summary lists at most 40 evenly spaced values of a series', () => {
  const values = (count: number): string[] => {
    const rows = many(count, (i) => `${i}`).join(' ');
    const [line = ''] =
      partsOf(['browser', `0 counter n items ${rows}`]).get('values over time, as seconds:value') ??
      [];
    return line.replace('n in items: ', '').split(' ');
  };
  assert.deepEqual(
    values(40),
    many(40, (i) => `${i}:${i}`),
  );
  assert.deepEqual(
    values(41),
    many(21, (i) => `${2 * i}:${2 * i}`),
  );
  assert.deepEqual(
    values(81),
    many(27, (i) => `${3 * i}:${3 * i}`),
  );
});

test('a summary uses the available space, and continues with later parts that fit', () => {
  assert.equal(SUMMARY_BYTES, 24_000);
  const marks = many(400, (i) => `${1000 + i} mark ${'m'.repeat(100)}`);
  const line = `- at 1000 ms: mark ${'m'.repeat(100)}\n`.length;
  const summary = summarizeTrace(
    modelOf(traceFromText(['browser', ...marks, ...many(3, () => '5000 loss paused')].join('\n'))),
  );
  const shown = summary.text.split('\n').filter((one) => one.includes('mmm')).length;
  assert.deepEqual(summary.left_out, [{ part: 'marks and spans', count: 400 - shown }]);
  const [body = '', tail] = summary.text.split('\nLeft out: ');
  assert.equal(tail, `${400 - shown} of "marks and spans"\n`);
  const room = SUMMARY_BYTES - 600;
  assert.ok(body.length <= room && body.length > room - line, `${body.length} of ${room}`);

  const losses = many(500, (i) => `${i} loss ${'l'.repeat(140)}`);
  const both = summarizeTrace(
    modelOf(traceFromText(['browser', ...losses, '9 mark m'].join('\n'))),
  );
  assert.deepEqual(
    both.left_out.map(({ part }) => part),
    ['losses'],
  );
  assert.match(both.text, /\n## marks and spans\n- at 9 ms: mark m\n\nLeft out/);
  assert.equal(both.bytes, both.text.length);
});

test('a summary lists at most six omitted parts, by the first 60 characters of their names', () => {
  const samples = many(25, (i) => `${`f${i}`.padEnd(150, 'x')} 9`).join(' | ');
  const text = traceFromText(['browser', ...many(9, (i) => `${i} stacks ${samples}`)].join('\n'));
  let trees = 0;
  const model = modelOf(
    text.replaceAll('"unit":"samples"', () => `"unit":"${`unit${trees++}`.padEnd(90, 'u')}"`),
  );
  const summary = summarizeTrace(model, { budget_ms: 10 });
  assert.ok(summary.left_out.length > 6, `${summary.left_out.length}`);
  const [, tail = ''] = summary.text.split('\nLeft out: ');
  const reported = summary.left_out
    .slice(0, 6)
    .map(({ part, count }) => `${count} of "${part.slice(0, 60)}"`);
  assert.equal(tail, `${reported.join(', ')}\n`);
  assert.match(tail, /"functions by own weight \(225 unit\du{26}"/);
  assert.ok(summary.bytes <= SUMMARY_BYTES);
});
