// The sentences on bounds: their figures, and the next step where the bound is unknown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { frameBoundText, framePartsText, traceBoundText } from './bound-text.ts';
import { traceBounds } from './frame-bounds.ts';

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
      'Not bound by the main thread, which was mostly idle in 100 % of the time over budget. The page waited for the GPU, the compositor, a timer or other programs.',
    frame:
      'Not bound by the main thread, which was idle for 38 of 50 ms. The page waited for the GPU, the compositor, a timer or other programs; the trace does not show for which.',
    parts: 'idle 38 ms, other work 12 ms, GPU 8 ms',
  });
  const software = textsOf(`browser gpu=SwiftShader software=\n${frames}`);
  assert.equal(software.frame, `${plain.frame} ${SOFTWARE}`);
  assert.equal(software.trace, `${plain.trace} ${SOFTWARE}`);
});

test('a frame without evidence names the recording that has it', () => {
  const step =
    'Record the game with svc record, or a performance trace in Chrome DevTools: both show the work of the main thread.';
  assert.deepEqual(textsOf('browser\n0 frames 50 9'), {
    trace: `The trace does not show what bounds 100 % of the time over budget. ${step}`,
    frame: `Unknown bound: the trace does not have the time of the main thread in this frame. ${step}`,
    parts: '',
  });
  assert.equal(
    textsOf('browser\n0 frames 50 9 main_ms=40,2').frame,
    `Unknown bound: the main thread worked for 40 of 50 ms, and the trace does not show on what for 40 ms of it. ${step}`,
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

test('a trace without hitches names the work that takes most time of the main thread', () => {
  assert.equal(
    textsOf('browser\n0 frames 10 10 main_ms=8,8\n0 span 6 layout rendering').trace,
    'No frame is over budget. Most time of the main thread is other work of the browser: 63 %.',
  );
  assert.equal(textsOf('browser\n0 frames 10 10').trace, 'No frame is over budget.');
  assert.equal(textsOf('browser\n0 mark level').trace, 'The trace has no frames.');
});
