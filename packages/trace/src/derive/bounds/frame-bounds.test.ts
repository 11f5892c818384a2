// What bounds a frame, for each kind of evidence, with overlaps and limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { boundOf, type TraceBounds, traceBounds } from './frame-bounds.ts';
import type { FrameParts } from './frame-parts.ts';

const BUDGET = 10;
const boundsOf = (text: string): TraceBounds => traceBounds(modelOf(traceFromText(text)), BUDGET);

/** The bound, the evidence and the parts of the only hitch. */
function onlyHitch(text: string): { verdict: string; parts: FrameParts } {
  const { hitches } = boundsOf(text);
  assert.equal(hitches.length, 1);
  const [{ bound, evidence, parts } = assert.fail()] = hitches;
  return { verdict: `${bound} by ${evidence}`, parts };
}

/** The known parts of the only hitch, in ms. */
function workOf(text: string): Record<string, number | null> {
  const { main_ms, script_ms, rendering_ms, loading_ms, gc_ms, other_ms, idle_ms } =
    onlyHitch(text).parts;
  return { main_ms, script_ms, rendering_ms, loading_ms, gc_ms, other_ms, idle_ms };
}

const PARTS: FrameParts = {
  duration_ms: 100,
  main_ms: null,
  script_ms: 0,
  rendering_ms: 0,
  loading_ms: 0,
  gc_ms: 0,
  other_ms: null,
  idle_ms: null,
  has_functions: false,
  gpu_ms: null,
  gpu_process_ms: null,
};

test('the longest kind of work bounds a frame in which the main thread worked for half of the time', () => {
  for (const kind of ['script', 'rendering', 'loading', 'gc'] as const) {
    const half = { ...PARTS, main_ms: 50, idle_ms: 50, other_ms: 24, [`${kind}_ms`]: 26 };
    assert.deepEqual(boundOf(half), { bound: kind, evidence: 'main_thread', parts: half });
    const less = { ...half, main_ms: 49.999, idle_ms: 50.001 };
    assert.equal(boundOf(less).evidence, 'waited');
    const other = { ...half, other_ms: 27, [`${kind}_ms`]: 23 };
    assert.deepEqual(boundOf(other), { bound: 'unknown', evidence: 'other_work', parts: other });
  }
});

test('the GPU bounds a frame if it worked for half of it, and longer than the main thread', () => {
  const verdict = (parts: Partial<FrameParts>): string => {
    const { bound, evidence } = boundOf({ ...PARTS, ...parts });
    return `${bound} by ${evidence}`;
  };
  assert.equal(verdict({ gpu_ms: 50, main_ms: 49, script_ms: 49 }), 'gpu by gpu');
  assert.equal(verdict({ gpu_ms: 49.9, main_ms: 10, script_ms: 10 }), 'unknown by waited');
  assert.equal(verdict({ gpu_ms: 80, main_ms: 80, script_ms: 80 }), 'script by main_thread');
  assert.equal(verdict({ gpu_process_ms: 90, gpu_ms: 3, main_ms: 5 }), 'gpu by gpu_process');
  assert.equal(verdict({ gpu_process_ms: 90, gpu_ms: 95, main_ms: 5 }), 'gpu by gpu');
  assert.equal(verdict({ gpu_ms: 60 }), 'gpu by gpu');
  assert.equal(verdict({ duration_ms: 2, main_ms: 0.5 }), 'unknown by waited');
  assert.equal(verdict({ duration_ms: 2, main_ms: 0.5, gpu_ms: 0.9 }), 'unknown by waited');
  assert.equal(verdict({ duration_ms: 2, main_ms: 0.5, gpu_process_ms: 0.9 }), 'unknown by waited');
});

test('without the time of the main thread, only known work of half of the frame is a bound', () => {
  const verdict = (parts: Partial<FrameParts>): string => boundOf({ ...PARTS, ...parts }).evidence;
  assert.equal(verdict({ loading_ms: 30, script_ms: 20 }), 'main_thread');
  assert.equal(verdict({ loading_ms: 30, script_ms: 19 }), 'not_measured');
  assert.equal(verdict({ duration_ms: 0 }), 'not_measured');
});

test('samples below the root of the main thread divide the time, and idle time has no samples', () => {
  const text = `import
    0 frames 100 5
    0 stacks m_[M];update game.js:1_[S] 40000@0 | m_[M];update game.js:1_[S];now 10000@40 | m_[M];(program) 5000@50 | m_[M];update game.js:1_[S];(garbage collector)_[G] 9000@55 | worker;run_[S] 90000@0 | m_[M];update game.js:1_[S] 5000@100`;
  assert.deepEqual(workOf(text), {
    main_ms: 64,
    script_ms: 50,
    rendering_ms: 0,
    loading_ms: 0,
    gc_ms: 9,
    other_ms: 5,
    idle_ms: 36,
  });
  assert.equal(onlyHitch(text).verdict, 'script by main_thread');
  assert.equal(onlyHitch(text).parts.has_functions, true);
});

test('a function that a garbage collection called counts as garbage collection', () => {
  const work = workOf(`import
    0 frames 100 1
    0 stacks m_[M];(garbage collector)_[G];finalize_[S] 70000@0 | m_[M];run_[S];(program) 31000@70`);
  assert.deepEqual([work['gc_ms'], work['script_ms'], work['other_ms']], [70, 30, 0]);
});

test('only `(program)` of the engine is work outside of scripts', () => {
  const parts = (stack: string): (number | null)[] => {
    const work = workOf(`import\n0 frames 100\n0 stacks ${stack} 60000@0 | m_[M] 1000@100`);
    return ['script_ms', 'other_ms', 'gc_ms'].map((part) => work[part] ?? null);
  };
  assert.deepEqual(parts('m_[M];run_[S]'), [60, 0, 0]);
  assert.deepEqual(parts('m_[M];now'), [60, 0, 0]);
  assert.deepEqual(parts('m_[M];(program)'), [0, 60, 0]);
  assert.deepEqual(parts('m_[M];(program)_[S]'), [60, 0, 0]);
  assert.deepEqual(parts('m_[M]'), [0, 60, 0]);
  assert.deepEqual(parts('m_[M];(garbage collector)_[G]'), [0, 0, 60]);
});

test('samples are clipped to the frame, and those of another root do not count', () => {
  const text = `import
    10 frames 5 50 5
    0 stacks m_[M];a_[S] 25000@0 | m_[M];b_[S] 60000@55 | other;c_[S] 50000@15`;
  assert.deepEqual(workOf(text), {
    main_ms: 20,
    script_ms: 20,
    rendering_ms: 0,
    loading_ms: 0,
    gc_ms: 0,
    other_ms: 0,
    idle_ms: 30,
  });
  assert.equal(onlyHitch(text).verdict, 'unknown by waited');
});

test('a frame that is not wholly between the first and the last sample is not measured by them', () => {
  const text = (from: number, weight: number) => `import
    10 frames 100
    0 stacks m_[M];a_[S] 1000@${from} | m_[M];a_[S] ${weight}@100`;
  assert.equal(onlyHitch(text(10, 10_000)).parts.main_ms, 11);
  assert.equal(onlyHitch(text(10.001, 10_000)).parts.main_ms, null);
  assert.equal(onlyHitch(text(10, 9_999)).parts.main_ms, null);
  const others = (samples: string): number | null =>
    onlyHitch(`import\n10 frames 100\n0 stacks ${samples}`).parts.main_ms;
  const whole = 'm_[M];a_[S] 1000@10 | m_[M];a_[S] 10000@100';
  assert.equal(others(whole), 11);
  assert.equal(others('m_[M];a_[S] 10000@100 | m_[M];a_[S] 1000@10'), 11);
  for (const [from, to] of [
    ['m_[M];a_[S] 0@10', 'm_[M];a_[S] 0@110'],
    ['m_[M];a_[S] -5@9', 'm_[M];a_[S] -5@112'],
    ['worker;a_[S] 1000@10', 'worker;a_[S] 10000@100'],
  ]) {
    assert.equal(others(`${from} | m_[M];a_[S] 99000@11`), null, from);
    assert.equal(others(`m_[M];a_[S] 99000@10 | ${to}`), null, to);
    assert.equal(others(`${from} | ${whole} | ${to}`), 11);
  }
});

test('a frame that overlaps a loss of samples is not measured by them, and still counts', () => {
  const text = (loss: string) => `import
    10 frames 100
    0 stacks m_[M];a_[S] 1000@10 | m_[M];a_[S] 10000@100
    ${loss}`;
  const { verdict, parts } = onlyHitch(text('40 loss buffer_full 20 probe=stacks'));
  assert.deepEqual([verdict, parts.main_ms], ['unknown by not_measured', null]);
  assert.equal(onlyHitch(text('40 loss too_many_files 20 probe=files')).parts.main_ms, 11);
});

test('no time counts twice: collections before rendering, rendering before loading, loading before script', () => {
  const text = `import
    0 frames 100 1
    0 stacks m_[M];run_[S] 101000@0
    10 asset 1 game.js script compile main_thread_ms=60
    20 span 30 layout rendering
    40 span 20 minor gc
    40 span 20 major-gc gc
    45 span 5 minor-gc gc`;
  assert.deepEqual(workOf(text), {
    main_ms: 100,
    script_ms: 40,
    rendering_ms: 20,
    loading_ms: 20,
    gc_ms: 20,
    other_ms: 0,
    idle_ms: 0,
  });
});

test('parsing of HTML is loading, and other tracks are ignored', () => {
  const model = modelOf(
    `${traceFromText('import\n0 frames 100 main_ms=90')}${[
      { type: 'span', t: 0, duration_ms: 60, name: 'parse HTML', track: 'rendering' },
      { type: 'span', t: 60, duration_ms: 10, name: 'style', track: 'rendering' },
      { type: 'span', t: 70, duration_ms: 20, name: 'boss', track: 'levels' },
      { type: 'span', t: 70, duration_ms: 20, name: 'boss' },
    ]
      .map((span) => `${JSON.stringify(span)}\n`)
      .join('')}`,
  );
  const [{ bound, parts } = assert.fail()] = traceBounds(model, BUDGET).hitches;
  assert.deepEqual(
    [bound, parts.loading_ms, parts.rendering_ms, parts.script_ms, parts.other_ms, parts.idle_ms],
    ['loading', 60, 10, 0, 20, 10],
  );
});

test('work on an asset in another thread is not loading', () => {
  const work = workOf(
    'browser\n0 frames 100 main_ms=50\n10 asset 1 a.png texture decode duration_ms=20',
  );
  assert.deepEqual([work['loading_ms'], work['other_ms']], [0, 50]);
});

test('the column main_ms is used before samples, at most the frame and at least the known work', () => {
  const stacks = '0 stacks m_[M];a_[S] 30000@0 | m_[M];a_[S] 1000@100';
  const main = (column: string, more = ''): number | null =>
    onlyHitch(`import\n0 frames 100 ${column}\n${stacks}\n${more}`).parts.main_ms;
  assert.equal(main('main_ms=80'), 80);
  assert.equal(main('main_ms=180'), 100);
  assert.equal(main('main_ms=-'), 30);
  assert.equal(main('main_ms=20', '0 span 40 layout rendering'), 40);
  const { verdict, parts } = onlyHitch(`import\n0 frames 100 main_ms=25\n${stacks}`);
  assert.deepEqual([verdict, parts.script_ms, parts.other_ms], ['unknown by waited', 25, 0]);
});

test('scripts of long tasks are the time in scripts if there are no samples', () => {
  const task = (t: number, ms: number, script: number): string =>
    JSON.stringify({
      type: 'longtask',
      t,
      duration_ms: ms,
      scripts: [
        { name: 'a.js', duration_ms: script / 2 },
        { name: 'b.js', duration_ms: script / 2 },
      ],
    });
  const scriptOf = (lines: readonly string[], more = '', frames = '100'): number => {
    const text = traceFromText(`browser\n50 frames ${frames}\n${more}`);
    const [hitch] = traceBounds(modelOf(`${text}${lines.join('\n')}\n`), BUDGET).hitches;
    return hitch?.parts.script_ms ?? assert.fail();
  };
  assert.equal(scriptOf([task(60, 80, 70)]), 70);
  assert.equal(scriptOf([task(30, 40, 30)]), 10, 'the scripts may have run before the frame');
  assert.equal(scriptOf([task(30, 40, 20)]), 0);
  assert.equal(scriptOf([task(140, 40, 35)]), 5);
  assert.equal(scriptOf([task(0, 200, 190)]), 90, 'the task contains the frame');
  assert.equal(
    scriptOf([task(40, 20, 18), task(60, 10, 9), task(70, 8, 8), task(140, 20, 12)]),
    27,
  );
  assert.equal(scriptOf([task(60, 50, 50), task(80, 50, 50)]), 50, 'tasks that overlap');
  assert.equal(scriptOf([task(60, 50, 90)]), 50, 'scripts that exceed their task');
  assert.equal(
    scriptOf([task(60, 80, 70)], '70 asset 1 a.png texture upload main_thread_ms=50'),
    20,
  );
  assert.equal(
    scriptOf([task(60, 30, 30)], '100 asset 1 a.png texture upload main_thread_ms=40'),
    30,
  );
  assert.equal(scriptOf([task(60, 40, 30)], '60 span 10 minor gc'), 20);
  assert.equal(scriptOf([task(60, 40, 30)], '60 span 10 layout rendering'), 30, 'not in scripts');
  assert.equal(scriptOf([task(60, 80, 70)], '', '100 main_ms=60'), 60);
});

test('the work of the collector and of other sources does not explain frames of this source', () => {
  const text = `native browser
    0 browser:frames 100
    0 native:span 90 layout rendering
    0 native:asset 1 a.png texture decode main_thread_ms=90
    0 native:longtask 90
    0 native:stacks m_[M];a_[S] 100000@0`;
  assert.equal(onlyHitch(text).verdict, 'unknown by not_measured');
  assert.equal(
    onlyHitch(text.replaceAll('native:', 'browser:')).verdict,
    'rendering by main_thread',
  );
});

test('spans of the GPU process are evidence for the GPU', () => {
  const text = `import\n0 frames 100 main_ms=20\n`;
  const spans = [
    { type: 'span', t: 0, duration_ms: 40, name: 'GPU process', track: 'gpu process' },
    { type: 'span', t: 90, duration_ms: 40, name: 'GPU process', track: 'gpu process' },
  ];
  const lines = spans.map((span) => `${JSON.stringify(span)}\n`).join('');
  const [{ bound, evidence, parts } = assert.fail()] = traceBounds(
    modelOf(traceFromText(text) + lines),
    BUDGET,
  ).hitches;
  assert.deepEqual([bound, evidence, parts.gpu_process_ms], ['gpu', 'gpu_process', 50]);
  assert.equal(onlyHitch(text).parts.gpu_process_ms, null);
});

test('the bound of a trace is the one with the most time over budget', () => {
  const bounds = boundsOf(`browser
    0 frames 10 20 20 20 50 10.5 main_ms=10,20,20,20,5,2 gpu_ms=-,-,-,-,50,-
    10 span 60 layout rendering
    1000 loss hidden_tab 100
    1000 frames 90 main_ms=90`);
  assert.equal(bounds.bound, 'gpu');
  assert.deepEqual(bounds.shares, [
    { bound: 'gpu', hitches: 1, over_ms: 40, share: 40 / 70 },
    { bound: 'rendering', hitches: 3, over_ms: 30, share: 30 / 70 },
  ]);
  assert.deepEqual([bounds.frames, bounds.over_ms, bounds.hitches.length], [6, 70, 4]);
});

test('a trace without hitches has no bound, but states the work of the main thread', () => {
  const bounds = boundsOf('browser\n0 frames 10 10 10.5 main_ms=8,-,6\n0 span 5 paint rendering');
  assert.deepEqual([bounds.bound, bounds.shares, bounds.hitches], [null, [], []]);
  assert.deepEqual(bounds.main_work?.slice(0, 2), [
    { work: 'other', total_ms: 9, share: 9 / 14 },
    { work: 'rendering', total_ms: 5, share: 5 / 14 },
  ]);
  assert.equal(boundsOf('browser\n0 frames 10 10').main_work, null);
});

test('the bounds of two hundred thousand frames with a million samples are found in one pass', () => {
  const count = 200_000;
  const frames = `browser\n0 frames ${'16.7*1000 '.repeat(count / 1000)}`;
  const header = traceFromText(frames);
  const samples = { node: [] as number[], weight: [] as number[], at_ms: [] as number[] };
  const lines: string[] = [];
  for (let group = 0; group < 1000; group++) {
    samples.node = Array.from({ length: 1000 }, () => 1);
    samples.weight = Array.from({ length: 1000 }, () => 2000);
    samples.at_ms = Array.from({ length: 1000 }, (_, i) => i * 3);
    const tables =
      group === 0
        ? { names: ['m', 'f'], parents: [-1, 0], node_names: [0, 1], categories: ['main', 'js'] }
        : { names: [], parents: [], node_names: [], categories: [] };
    lines.push(
      JSON.stringify({
        type: 'stacks',
        t: group * 3000,
        first_name: group === 0 ? 0 : 2,
        first_node: group === 0 ? 0 : 2,
        ...tables,
        samples,
        unit: 'ms',
        scale: 1000,
      }),
    );
  }
  const model = modelOf(`${header}${lines.join('\n')}\n`);
  const bounds = traceBounds(model, BUDGET);
  assert.equal(bounds.hitches.length, count);
  const ratio = (bounds.main_work?.[0]?.total_ms ?? 0) / 3_000_000;
  assert.ok(bounds.bound === 'script' && Math.abs(ratio - 2 / 3) < 0.01, `${ratio}`);
});
