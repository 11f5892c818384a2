// The verdict on traces with one known fault each, in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { groupText, situationText } from './group-text.ts';
import { overviewOf } from './overview.ts';
import { DREW_NOTHING, verdictOf } from './verdict.ts';

const MIB = 1_048_576;

function verdict(text: string): { headline: string; detail: string } {
  return verdictOf(overviewOf(modelOf(traceFromText(text)), { budget_ms: 10 }));
}

const headline = (text: string): string => verdict(text).headline;

test('the first group of hitches is named with its part of all hitches and its situation', () => {
  const text = `browser
    0 frames 10*20 50 10*5 40 10*5 30 10*20 main_ms=${[
      ...Array(20).fill(5),
      48,
      ...Array(5).fill(5),
      38,
      ...Array(5).fill(5),
      28,
      ...Array(20).fill(5),
    ].join(',')}
    190 span 200 level-2 loading
    200 asset 1 Lava shader compile main_thread_ms=45
    300 asset 2 Water shader compile main_thread_ms=36
    390 span 27 major gc
    620 end off`;
  assert.deepEqual(verdict(text), {
    headline:
      'Main thread bound: 2 of 3 hitches (78 % of the time over budget) are caused by shader compiles during “level-2”.',
    detail: '53 frames, 85 fps on average, 1 % low 20 fps. The longest took 50 ms, at 0:00.2.',
  });
});

test('one hitch, and all hitches, are stated without a part', () => {
  assert.equal(
    headline(
      'browser\n0 frames 10 50 10 main_ms=5,48,5\n10 asset 1 a.png texture upload main_thread_ms=45',
    ),
    'Main thread bound: the only hitch is caused by uploading a.png.',
  );
  assert.equal(
    headline(
      'browser\n0 frames 10 50 40 main_ms=5,48,38\n10 span 45 major gc\n60 span 35 major gc',
    ),
    'Main thread bound: all 2 hitches are caused by garbage collection.',
  );
});

test('of more hitches than are explained, the longest are stated', () => {
  const frames = (count: number, ms: number, main: number): string =>
    `0 frames ${ms}*${count} main_ms=${Array(count).fill(main).join(',')}`;
  assert.equal(
    headline(`browser\n${frames(101, 50, 48)}\n0 span 5050 paint rendering`),
    'Main thread bound: the 100 longest of 101 hitches are caused by style, layout and paint.',
  );
  assert.equal(
    headline(`browser\n${frames(150, 50, 48)}\n0 span 2400 paint rendering`),
    'The trace does not show what caused 52 of the 100 longest hitches (52 % of the time over budget).',
  );
});

test('a trace that the GPU bounds, that waits, or that shows no cause has a headline of its own', () => {
  assert.equal(
    headline('browser gpu=SwiftShader software=\n0 frames 10 50 main_ms=5,6 gpu_ms=3,45'),
    'GPU bound: the GPU worked for most of the only hitch. Graphics was rendered in software (SwiftShader), so this says nothing about computers with a GPU.',
  );
  assert.equal(
    headline('browser gpu=Arc\n0 frames 50 50 main_ms=5,6 gpu_ms=45,45'),
    'GPU bound: the GPU worked for most of all 2 hitches.',
  );
  assert.match(
    headline('browser gpu=SwiftShader software=\n0 frames 10 50 main_ms=5,6'),
    /^Not bound by the main thread: .* Graphics was rendered in software \(SwiftShader\)/,
  );
  assert.match(
    headline(
      'browser gpu=SwiftShader software=\n0 frames 50\n0 stacks main_[M];(program) 48000@0 | main_[M] 2000@48',
    ),
    /^Main thread bound: the only hitch is caused by the browser’s own work, in no function\. Graphics was rendered in software/,
  );
  assert.equal(
    headline('browser\n0 frames 10 50 main_ms=5,6'),
    'Not bound by the main thread: it was idle for most of the only hitch.',
  );
  assert.equal(
    headline('browser\n0 frames 10 50'),
    'The trace does not show what caused the only hitch.',
  );
});

test('a trace without hitches is smooth', () => {
  assert.deepEqual(verdict('browser\n0 frames 10*120'), {
    headline: 'Smooth: none of 120 frames is over the budget of 10 ms.',
    detail: '120 frames, 100 fps on average, 1 % low 100 fps.',
  });
  const model = modelOf(traceFromText('browser\n0 frames 16.6'));
  assert.match(
    verdictOf(overviewOf(model)).headline,
    /^Smooth: the only frame is within the budget of 16\.7 ms\.$/,
  );
});

test('errors are the headline of a trace without hitches, otherwise in the detail', () => {
  const error = '5 log error Uncaught TypeError: x is undefined (game.js:3)';
  const text = 'Uncaught TypeError: x is undefined (game.js:3).';
  assert.deepEqual(verdict(`browser\n0 frames 10*10\n${error}`), {
    headline: text,
    detail: '10 frames, 100 fps on average, 1 % low 100 fps.',
  });
  assert.equal(
    verdict(`browser\n0 frames 50\n${error}`).detail,
    `1 frame, 20 fps on average, 1 % low 20 fps. The longest took 50 ms, at 0:00.0. ${text}`,
  );
  const more = ['Second!', 'Third', 'Fourth'].map((one) => `6 log error ${one}`).join('\n');
  assert.deepEqual(verdict(`browser\n${error}\n${more}\n7 log info fifth`), {
    headline: `${text} Second! 2 more errors.`,
    detail: '',
  });
  assert.equal(
    headline(`browser\n0 frames 50\n0 log error ${DREW_NOTHING}\n${error}`),
    `The game drew nothing. ${text}`,
  );
  assert.equal(headline(`browser\n5 log error ${'x'.repeat(201)}`), `${'x'.repeat(199)}…`);
  assert.equal(headline(`browser\n5 log error ${'x'.repeat(200)}`), `${'x'.repeat(200)}.`);
});

test('a native trace states the memory that grows, otherwise a full core, otherwise its averages', () => {
  const rss = Array.from({ length: 60 }, (_, i) => (100 + i) * MIB).join(' ');
  const flat = Array.from({ length: 60 }, () => 100 * MIB).join(' ');
  const cpu = (percent: number): string => `0 process cpu_percent ${percent}*20`;
  assert.equal(
    headline(`native\n0 process rss ${rss}`),
    'RSS grows by 60.0 MiB a minute (95 % interval 60.0 MiB to 60.0 MiB).',
  );
  assert.deepEqual(verdict(`native\n${cpu(97)}`), {
    headline: 'CPU use reaches a full core: 97 % or more in 5 % of the samples.',
    detail: 'CPU 97 % of one core on average, 95th percentile 97 %, at most 97 %.',
  });
  assert.match(
    headline('native import\n0 native:process cpu_percent 9*2\n0 import:process cpu_percent 97*20'),
    /^CPU use reaches a full core: 97 %/,
  );
  assert.match(headline(`native\n${cpu(95)}`), /^CPU use reaches/);
  assert.match(headline(`native\n${cpu(94)}`), /^CPU use is 94 % of one core on average\. RSS is/);
  assert.equal(
    headline(`native\n0 process rss ${flat}`),
    'RSS does not keep growing: 100 MiB to 100 MiB.',
  );
});

test('the verdict states the average of the CPU use once', () => {
  const { headline: answer, detail } = verdict(
    'native\n0 process cpu=20 rss=5\n1000 process cpu=40 rss=5',
  );
  assert.equal(
    answer,
    'CPU use is 30 % of one core on average. RSS is 5 B at most. The trace is too short for a trend.',
  );
  assert.equal(detail, 'The 95th percentile of the CPU use is 40 %, the maximum is 40 %.');
  const growing = verdict(
    `native\n${Array.from({ length: 60 }, (_, i) => `${i * 1000} process cpu=40 rss=${i * MIB}`).join('\n')}`,
  );
  assert.match(growing.headline, /^RSS grows by 60\.0 MiB a minute/);
  assert.match(growing.detail, /^CPU 40 % of one core on average, 95th percentile 40 %/);
});

test('stacks alone name the function with the most weight of its own', () => {
  assert.deepEqual(verdict('import\n0 stacks main;update 3 | main;draw 1'), {
    headline: 'update itself has 75 % of all samples.',
    detail: '',
  });
  assert.equal(
    headline('import\n0 stacks main_[M];update_[S] 3000@0 | main_[M];draw_[S] 1000@4'),
    'update itself has 75 % of all time.',
  );
});

test('a function without a name is called so, and the noun of all weights follows their unit', () => {
  const named = (name: string, unit: string): string => {
    const overview = overviewOf(modelOf(traceFromText('import\n0 stacks main;update 3')));
    const [hottest] = overview.functions;
    const functions = (hottest?.functions ?? []).map((one) => ({ ...one, name }));
    return verdictOf({
      ...overview,
      functions: [{ source: 'import', samples: 4, unit, functions }],
    }).headline;
  };
  assert.equal(named('', 'ms'), '(no name) itself has 100 % of all time.');
  assert.equal(named('a', 'bytes'), 'a itself has 100 % of all bytes.');
  assert.equal(named('a', 'samples'), 'a itself has 100 % of all samples.');
  assert.equal(named('a', ''), 'a itself has 100 % of all samples.');
});

test('a trace of assets, and an empty one, say so', () => {
  assert.equal(
    headline('browser\n0 asset 1 a.png texture load bytes=5'),
    'The trace has 1 asset and no frames.',
  );
  assert.equal(headline('browser'), 'The trace has no frames, samples or assets.');
});

test('each kind of cause has words', () => {
  const of = (kind: string, name: string | null = null, asset: unknown = null): string =>
    groupText({ kind, name, asset } as Parameters<typeof groupText>[0]);
  assert.equal(of('asset', null, { kind: 'texture', phase: 'decode' }), 'texture decodes');
  assert.equal(of('asset', null, { kind: 'other', phase: 'load' }), 'asset loads');
  assert.equal(of('asset', 'a.png', { kind: 'texture', phase: 'upload' }), 'uploading a.png');
  assert.equal(of('asset'), 'assets');
  assert.equal(of('html'), 'parsing HTML');
  assert.equal(of('function', 'update'), 'the function update');
  assert.equal(of('function', ''), 'the function (no name)');
  assert.equal(of('script', ''), 'scripts, mostly (no name)');
  assert.equal(of('asset', '', { kind: 'mesh', phase: 'upload' }), 'uploading (no name)');
  assert.equal(situationText({ relation: 'during', name: '' }), ' during “(no name)”');
  assert.equal(of('script'), 'scripts');
  assert.equal(of('script', 'https://game.example/js/main.js:12'), 'scripts, mostly main.js:12');
  assert.equal(of('script', 'HTTPS://GAME.EXAMPLE/JS/Main.js'), 'scripts, mostly Main.js');
  assert.equal(of('script', 'js/main.js:12'), 'scripts, mostly js/main.js:12');
  assert.equal(of('browser'), 'the browser’s own work, in no function');
  assert.equal(of('span', 'LoadPackage'), '“LoadPackage”');
  assert.equal(of('gpu'), 'work of the GPU');
  assert.equal(of('waiting'), 'waiting while the main thread was idle');
  assert.equal(of('unknown'), 'work that the trace does not show');
});

test('the overview states what each load leaves, if one leaks and releases are recorded', () => {
  const loads = [0, 1, 2, 3].map(
    (i) => `${i * 10_000 + 1000} span 500 level loading
      ${i * 10_000 + 1100} asset ${i} rock.png texture upload gpu_bytes=${MIB}`,
  );
  const leak = (text: string): string | null =>
    overviewOf(modelOf(traceFromText(`browser\n${text}\n41000 end off`))).leak;
  const text = loads.join('\n');
  const leaking = `${text}\n5 release 99 gpu_bytes=0`;
  assert.match(leak(leaking) ?? '', /^Each “level” leaves 1\.0 MiB/);
  assert.match(
    verdict(`browser\n${leaking}\n41000 end off`).detail,
    /^Each “level” leaves 1\.0 MiB/,
  );
  assert.match(leak(`0 counter gpu_bytes bytes 1\n${text}`) ?? '', /^Each “level” leaves 1\.0 MiB/);
  assert.equal(leak(`0 counter draws count 1\n${text}`), null);
  assert.equal(leak(text), null);
  assert.equal(leak('5 release 99 gpu_bytes=0'), null);
});
