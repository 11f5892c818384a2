// The sentences on bounds: their figures, and the next step where the bound is unknown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import {
  boundNames,
  frameBoundText,
  frameParts,
  framePartsText,
  traceBoundText,
  workNames,
} from './bound-text.ts';
import { boundOf, traceBounds } from './frame-bounds.ts';
import type { FrameParts } from './frame-parts.ts';

/** The sentence on the trace, and the sentence and the parts of its longest hitch. */
function textsOf(text: string): { trace: string; frame: string; parts: string } {
  const bounds = traceBounds(modelOf(traceFromText(text)), 10);
  const [hitch] = bounds.hitches;
  return {
    trace: traceBoundText(bounds),
    frame: hitch === undefined ? '' : frameBoundText(hitch, bounds.gpu),
    parts: hitch === undefined ? '' : framePartsText(hitch),
  };
}

const SOFTWARE =
  'Graphics was rendered in software (SwiftShader), so this says nothing about computers with a GPU.';

const PARTS: FrameParts = {
  duration_ms: 100,
  main_ms: 60,
  script_ms: 0,
  rendering_ms: 0,
  loading_ms: 0,
  gc_ms: 0,
  other_ms: 0,
  idle_ms: 40,
  has_functions: false,
  gpu_ms: null,
  gpu_process_ms: null,
};

test('each bound states its time', () => {
  const text = (parts: Partial<FrameParts>): string =>
    frameBoundText({ ...boundOf({ ...PARTS, ...parts }), source: 'import' }, null);
  const onMain = 'of 100 ms on the main thread.';
  assert.equal(text({ script_ms: 56 }), `Bound by script: 56 ${onMain}`);
  assert.equal(text({ rendering_ms: 57 }), `Bound by rendering: 57 ${onMain}`);
  assert.equal(text({ loading_ms: 58 }), `Bound by loading: 58 ${onMain}`);
  assert.equal(text({ gc_ms: 59 }), `Bound by garbage collection: 59 ${onMain}`);
  assert.equal(text({ gpu_ms: 75 }), 'Bound by the GPU: it worked for 75 of 100 ms.');
  assert.equal(
    text({ gpu_ms: 5, gpu_process_ms: 80 }),
    "Bound by the GPU: the browser's GPU process worked for 80 of 100 ms.",
  );
  const names = boundNames('import');
  assert.deepEqual([names.gpu, names.unknown], ['GPU', 'unknown']);
});

test('all parts of a frame are listed, those of the main thread first', () => {
  const parts = {
    ...PARTS,
    ...{ script_ms: 1, rendering_ms: 2, loading_ms: 3, gc_ms: 4, other_ms: 5, idle_ms: 6 },
    ...{ gpu_ms: 7, gpu_process_ms: null },
  };
  assert.deepEqual(
    frameParts({ parts, source: 'browser' }).map(({ kind, name, ms }) => [kind, name, ms]),
    [
      ['script', 'script', 1],
      ['rendering', 'rendering', 2],
      ['loading', 'loading', 3],
      ['gc', 'garbage collection', 4],
      [null, 'other work', 5],
      [null, 'idle', 6],
      ['gpu', 'GPU', 7],
      ['gpu', 'GPU process', null],
    ],
  );
});

test('the text of the other parts has those of at least 0.1 ms', () => {
  const parts = { ...PARTS, script_ms: 59, rendering_ms: 0.1, loading_ms: 0.099, gc_ms: 0.5 };
  assert.equal(
    framePartsText({ ...boundOf(parts), source: 'browser' }),
    'idle 40 ms, garbage collection 0.5 ms, rendering 0.1 ms',
  );
});

test('a bound on the main thread states its time, and the other parts are listed by length', () => {
  const text = `import
    0 frames 80 9 main_ms=71.26,5
    10 span 60 layout rendering
    20 span 5.46 minor gc`;
  assert.deepEqual(textsOf(text), {
    trace: 'Bound by rendering: 100 % of the time over budget.',
    frame: 'Bound by rendering: 55 of 80 ms on the main thread.',
    parts: 'other work 11 ms, idle 8.7 ms, garbage collection 5.5 ms',
  });
});

test('a bound on the GPU says nothing about other computers if graphics was rendered in software', () => {
  const frames = '0 frames 50 9 main_ms=6,5 gpu_ms=44,-';
  const plain = textsOf(`browser gpu=Adreno\n${frames}`);
  assert.deepEqual(plain, {
    trace: 'Bound by the GPU: 100 % of the time over budget.',
    frame: 'Bound by the GPU: it worked for 44 of 50 ms.',
    parts: 'idle 44 ms, other work 6 ms',
  });
  const software = textsOf(`browser gpu=SwiftShader software=\n${frames}`);
  assert.equal(software.trace, `${plain.trace} ${SOFTWARE}`);
  assert.equal(software.frame, `${plain.frame} ${SOFTWARE}`);
});

test('a frame in which the main thread waited names the idle time, and software graphics', () => {
  const frames = '0 frames 50 9 main_ms=12,5 gpu_ms=8,-';
  const plain = textsOf(`browser\n${frames}`);
  assert.deepEqual(plain, {
    trace:
      'Not bound by the main thread, which was mostly idle in 100 % of the time over budget. The game waited for the GPU, the compositor, a timer or other programs.',
    frame:
      'Not bound by the main thread, which was idle for 38 of 50 ms. The game waited for the GPU, the compositor, a timer or other programs; the trace does not show for which.',
    parts: 'idle 38 ms, other work 12 ms, GPU 8 ms',
  });
  const software = textsOf(`browser gpu=SwiftShader software=\n${frames}`);
  assert.equal(software.frame, `${plain.frame} ${SOFTWARE}`);
  assert.equal(software.trace, `${plain.trace} ${SOFTWARE}`);
});

test('a frame without evidence names the recording that has it', () => {
  const step = 'For a browser game, svc record and a performance trace of Chrome DevTools show it.';
  assert.deepEqual(textsOf('browser\n0 frames 50 9'), {
    trace: `The trace does not show what bounds 100 % of the time over budget. ${step}`,
    frame: `Unknown bound: the trace does not have the time of the main thread in this frame. ${step}`,
    parts: '',
  });
  assert.equal(
    textsOf('browser\n0 frames 50 9 main_ms=40,2').frame,
    `Unknown bound: the main thread worked for 40 of 50 ms, and the kind of work is unknown for 40 ms of it. ${step}`,
  );
  const functions = '0 stacks m_[M];(program) 40000@0 | m_[M];f_[S] 9000@51';
  const plain = textsOf(`import\n0 frames 50 9\n${functions}`);
  assert.match(plain.frame, /in no function of a script\.$/);
  assert.equal(
    plain.trace,
    "Not bound by a script: in 100 % of the time over budget, the main thread mostly did the browser's own work, in no function.",
  );
  const software = textsOf(`import gpu=SwiftShader software=\n0 frames 50 9\n${functions}`);
  assert.equal(software.frame, `${plain.frame} ${SOFTWARE}`);
  assert.equal(software.trace, `${plain.trace} ${SOFTWARE}`);
});

test('a bound on the main thread is the same if graphics was rendered in software', () => {
  const text = textsOf(`browser gpu=SwiftShader software=
    0 frames 50 main_ms=50
    0 span 40 layout rendering`);
  assert.equal(text.trace, 'Bound by rendering: 100 % of the time over budget.');
  assert.equal(text.frame, 'Bound by rendering: 40 of 50 ms on the main thread.');
});

test('an unknown bound of a trace is explained by the evidence with most of its time over budget', () => {
  /** `frames` over the budget of 10 ms. By `main_ms`, 1 is idle, all is work of no known kind, and `-` is not measured. */
  const start = (frames: string, stacks = ''): string | undefined =>
    /^.*?(?=[:,]| what)/.exec(textsOf(`import\n0 frames ${frames}\n${stacks}`).trace)?.[0];
  const idle = 'Not bound by the main thread';
  const nothing = 'The trace does not show';
  assert.equal(start('30 main_ms=1'), idle);
  assert.equal(start('30 main_ms=30'), nothing);
  assert.equal(start('30 main_ms=-'), nothing);
  assert.equal(start('31 30 main_ms=1,30'), idle);
  assert.equal(start('30 30 main_ms=1,30'), nothing);
  assert.equal(start('31 30 main_ms=1,-'), idle);
  assert.equal(start('30 30 main_ms=1,-'), nothing);
  assert.equal(start('31 30 30 main_ms=1,30,-'), idle);
  assert.equal(start('31 32 30 main_ms=1,32,-'), nothing);
  assert.equal(start('31 30 32 main_ms=1,30,-'), nothing);
  const program = '0 stacks m_[M];(program) 30000@0';
  assert.equal(start('30 29.9 main_ms=-,1', program), 'Not bound by a script');
  assert.equal(start('30 30 main_ms=-,1', program), nothing);
  assert.equal(start('30 main_ms=-', '0 stacks m_[M];a_[S] 1000@0 | m_[M];a_[S] 1000@29'), idle);
});

test('a trace without hitches names the work that takes most time of the main thread', () => {
  assert.equal(
    textsOf('browser\n0 frames 10 10 main_ms=8,8\n0 span 6 layout rendering').trace,
    'No frame is over budget. Most time of the main thread is other work of the browser: 63 %.',
  );
  const most = (evidence: string): string | undefined =>
    /thread is (.*)$/.exec(textsOf(`import\n0 frames 10 main_ms=8\n${evidence}`).trace)?.[1];
  assert.equal(most('0 stacks m_[M];a_[S] 6000@0 | m_[M];a_[S] 1@10'), 'script: 75 %.');
  assert.equal(most('0 span 6 layout rendering'), 'rendering: 75 %.');
  assert.equal(most('0 asset 1 a.png texture upload main_thread_ms=6'), 'loading: 75 %.');
  assert.equal(most('0 span 6 minor gc'), 'garbage collection: 75 %.');
  assert.equal(textsOf('browser\n0 frames 10 10').trace, 'No frame is over budget.');
  assert.equal(textsOf('browser\n0 mark level').trace, 'The trace has no frames.');
});

test('the frames of a native program have words of their own', () => {
  const samples = (...at: number[]): string =>
    `0 stacks ${at.map((ms) => `game_[M];load_level 10000@${ms}`).join(' | ')}`;
  assert.deepEqual(textsOf(`native\n0 frames 50 9\n${samples(0, 10, 20, 30, 40, 50)}`), {
    trace: 'Bound by code: 100 % of the time over budget.',
    frame: 'Bound by code: 50 of 50 ms on the main thread.',
    parts: '',
  });
  const idle =
    'The game waited for the GPU, the display, storage, a lock, a timer or other programs';
  const waited = textsOf(`native\n0 frames 50 9\n${samples(0, 50)}`);
  assert.ok(waited.trace.endsWith(`over budget. ${idle}.`), waited.trace);
  assert.ok(waited.frame.includes(`. ${idle}; the trace`), waited.frame);
  assert.equal(waited.parts, 'idle 40 ms, code 10 ms');
  const step = 'svc dashboard --pid PID --probes frames,stacks records it.';
  const alone = textsOf('native\n0 frames 50 9');
  assert.ok(alone.trace.endsWith(`over budget. ${step}`) && alone.frame.endsWith(step));
  assert.deepEqual(textsOf(`native\n0 frames 50 9 main_ms=45,1\n${samples(0, 50)}`), {
    trace:
      'The trace does not show what bounds 100 % of the time over budget: the main thread mostly worked in no sampled function.',
    frame:
      'Unknown bound: the main thread worked for 45 of 50 ms, and the kind of work is unknown for 35 ms of it. That time is in no sampled function.',
    parts: 'other work 35 ms, code 10 ms, idle 5 ms',
  });
  assert.equal(workNames('native').other, 'other work');
});

test('frames of several sources have the words of a page', () => {
  const text = 'native browser\n0 native:frames 50\n0 browser:frames 50';
  assert.match(textsOf(text).trace, /For a browser game/);
});
