// What caused a hitch: each kind of cause, overlaps, and order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { momentOf } from '../frames/moment.ts';
import { causeText, mainCauses } from './cause-text.ts';
import { traceBounds } from './frame-bounds.ts';
import { hitchCauses } from './hitch-causes.ts';

/** The causes of the only hitch. */
function causesIn(vpt: string, limit?: number): string[] {
  const model = modelOf(vpt);
  const { hitches } = traceBounds(model, 10);
  assert.equal(hitches.length, 1);
  const [hitch = assert.fail()] = hitches;
  const window = { from_ms: hitch.start_ms, to_ms: hitch.start_ms + hitch.duration_ms };
  return hitchCauses(hitch, momentOf(model, window), limit).map(causeText);
}

/** The same of the text form. `~` in names is a space. */
function causes(text: string, limit?: number): string[] {
  return causesIn(traceFromText(text).replaceAll('~', ' '), limit);
}

test('an upload is the cause, not the function that calls it; the rest of the function is its own', () => {
  const text = `import
    0 frames 100 1
    0 stacks m_[M];frame_[S];show_[S] 90000@0 | m_[M];frame_[S];spawn_[S] 10000@90 | m_[M];frame_[S] 1000@100
    5 asset 7 comet.png texture upload main_thread_ms=60 dims=4096x4096 format=RGBA8`;
  assert.deepEqual(causes(text), [
    'uploading comet.png (4096×4096 RGBA8) took 60 ms',
    'show ran for 30 ms',
    'spawn ran for 10 ms',
  ]);
  assert.deepEqual(causes(text, 1).length, 1);
});

test('without functions and scripts, the spans within the hitch are causes, and the inner one has the time', () => {
  const text = `import
    20 frames 100 1
    20 span 90 update GameThread
    25 span 70 LoadPackage
    20 span 3 Shadows GPU
    20 span 80 fetch worker
    0 span 500 level loading
    15 span 30 early GameThread
    30 span 10 collect gc`;
  assert.deepEqual(causes(text), [
    'LoadPackage took 60 ms',
    'update took 20 ms',
    'garbage collection took 10 ms',
    'work that the trace does not show took 10 ms',
  ]);
  const busy = text.replace('frames 100 1', 'frames 100 1 main_ms=70,1');
  assert.deepEqual(causes(busy).slice(0, 2), [
    'LoadPackage took 60 ms',
    'garbage collection took 10 ms',
  ]);
  const task = traceFromText(`${text}\n20 longtask 90`).replace(
    '"longtask","t":20,"duration_ms":90',
    (all) => `${all},"scripts":[{"name":"a.js","duration_ms":50}]`,
  );
  assert.deepEqual(causesIn(task), [
    'work that the trace does not show took 50 ms',
    'scripts, mostly a.js, ran for 40 ms',
    'garbage collection took 10 ms',
  ]);
});

test('a function that works longer than its uploads is first', () => {
  const text = `import
    0 frames 100 1
    0 stacks m_[M];show_[S];texImage2D 90000@0 | m_[M];show_[S] 11000@90
    5 asset 7 comet.png texture upload main_thread_ms=9.5`;
  assert.deepEqual(causes(text), ['show ran for 91 ms', 'uploading comet.png took 9.5 ms']);
});

test('records of one asset and phase add up, also for a part of the hitch, and are named as the longest', () => {
  const text = `import
    20 frames 100 1
    0 stacks m_[M];f_[S] 130000@0
    10 asset 7 a.png texture upload main_thread_ms=20 dims=64x64
    40 asset 7 a.png texture upload main_thread_ms=25 dims=512x256
    70 asset 7 a.png texture decode main_thread_ms=5
    80 asset 8 a.png texture upload main_thread_ms=3
    100 asset 9 worker.png texture decode duration_ms=20
    110 asset 10 b.png texture upload main_thread_ms=900`;
  assert.deepEqual(causes(text, 9), [
    'f ran for 47 ms',
    'uploading a.png (512×256) took 35 ms',
    'uploading b.png took 10 ms',
    'decoding a.png took 5 ms',
    'uploading a.png took 3 ms',
  ]);
});

test('an asset is another one if its id has another type, and the first of equal records names it', () => {
  const text = `browser
    0 frames 100
    0 asset 7 a.png texture upload main_thread_ms=20 dims=64x64
    20 asset 7 b.png texture upload main_thread_ms=20 dims=32x32
    40 asset seven c.png texture upload main_thread_ms=10`;
  assert.deepEqual(causesIn(traceFromText(text).replace('"seven"', '"7"')), [
    'work that the trace does not show took 50 ms',
    'uploading a.png (64×64) took 40 ms',
    'uploading c.png took 10 ms',
  ]);
});

test('work before the hitch takes no time from it', () => {
  const text = `browser
    20 frames 100
    0 asset 2 outer.png texture decode main_thread_ms=60
    5 asset 3 inner.png texture upload main_thread_ms=20`;
  assert.deepEqual(causes(text), [
    'work that the trace does not show took 60 ms',
    'decoding outer.png took 35 ms',
    'uploading inner.png took 5 ms',
  ]);
});

test('the functions of a hitch that is sampled in part are its causes, not its scripts', () => {
  const text = `import
    0 frames 100
    0 longtask 100
    0 stacks m_[M];a_[S] 30000@0`;
  const scripts = '"duration_ms":100,"scripts":[{"name":"a.js","duration_ms":90}]';
  const vpt = traceFromText(text).replace(/"duration_ms":100(?=[,}])/, scripts);
  assert.deepEqual(causesIn(vpt), [
    'a ran for 30 ms',
    'work that the trace does not show took 10 ms',
  ]);
});

test('no time counts twice: collections, rendering, assets from the inside out, functions, scripts', () => {
  const text = `import
    0 frames 200 1
    0 stacks m_[M];run_[S] 100000@0 | m_[M];(garbage collector)_[G] 40000@100 | m_[M];(program) 30000@140 | m_[M];late_[S] 40000@170
    0 asset 1 game.js script compile main_thread_ms=160
    10 asset 2 Lava shader compile main_thread_ms=50
    20 asset 3 a.png texture upload main_thread_ms=10
    30 span 8 layout rendering
    50 span 20 minor gc
    70 span 5 parse~HTML rendering`;
  assert.deepEqual(causes(text, 9), [
    'garbage collection took 60 ms',
    'run ran for 35 ms',
    'late ran for 30 ms',
    'compiling the shader Lava took 22 ms',
    'compiling and running game.js took 20 ms',
    'uploading a.png took 10 ms',
    "the browser's own work, in no function, took 10 ms",
    'style, layout and paint took 8 ms',
    'parsing HTML took 5 ms',
  ]);
  assert.equal(causes(text).length, 5);
});

test('only the source of the frames and the main thread count', () => {
  const text = `browser import
    0 browser:frames 100
    0 browser:stacks m_[M];a_[S] 101000@0 | worker;busy_[S] 90000@0
    0 import:asset 1 x.png texture upload main_thread_ms=90
    0 import:span 90 gc gc
    0 import:stacks m_[M];other_[S] 95000@0`;
  assert.deepEqual(causes(text), ['a ran for 100 ms']);
});

test('without functions, the script of the longest task is named, and unknown work is not hidden', () => {
  const scripts = (head: string): string => `browser
    0 frames 100
    ${head}
    30 asset 1 a.png texture upload main_thread_ms=20`;
  const found = causesIn(
    traceFromText(scripts('0 longtask 90')).replace(
      '"duration_ms":90',
      '"duration_ms":90,"scripts":[{"name":"tick game.js","duration_ms":5},{"name":"frame game.js","duration_ms":80}]',
    ),
  );
  assert.deepEqual(found, [
    'scripts, mostly frame game.js, ran for 65 ms',
    'uploading a.png took 20 ms',
    'work that the trace does not show took 15 ms',
  ]);
  assert.deepEqual(causes(scripts('')), [
    'work that the trace does not show took 80 ms',
    'uploading a.png took 20 ms',
  ]);
});

test('a hitch that the GPU bounds, or in which the page waited, names that first', () => {
  assert.deepEqual(causes('browser\n0 frames 100 gpu_ms=80 main_ms=30'), [
    'the GPU worked for 80 ms',
  ]);
  assert.deepEqual(causes('browser\n0 frames 100 main_ms=30'), [
    'the main thread was idle for 70 ms',
  ]);
  assert.deepEqual(causes('browser\n0 frames 100 gpu_ms=20 main_ms=30'), [
    'the main thread was idle for 70 ms',
  ]);
  const gpuProcess = '0 frames 100 gpu_ms=20 main_ms=30\n0 span 60 work gpu~process';
  assert.deepEqual(causes(`browser\n${gpuProcess}`), ['the GPU worked for 60 ms']);
});

test('idle time is not work that the trace does not show', () => {
  assert.deepEqual(causes('browser\n0 frames 100 main_ms=60'), [
    'work that the trace does not show took 60 ms',
  ]);
  assert.deepEqual(causes('browser\n0 frames 100'), [
    'work that the trace does not show took 100 ms',
  ]);
});

test('without the time of the main thread, what is known is not work that the trace does not show', () => {
  const text = `browser
    0 frames 100
    0 span 4 layout rendering
    10 span 8 minor gc
    20 span 16 parse~HTML rendering
    40 longtask 32`;
  const found = causesIn(
    traceFromText(text)
      .replaceAll('~', ' ')
      .replace('"duration_ms":32', '"duration_ms":32,"scripts":[{"name":"a.js","duration_ms":32}]'),
  );
  assert.deepEqual(found, [
    'work that the trace does not show took 40 ms',
    'scripts, mostly a.js, ran for 32 ms',
    'parsing HTML took 16 ms',
    'garbage collection took 8 ms',
    'style, layout and paint took 4 ms',
  ]);
});

test('the script of a long task of another source is not named', () => {
  const task = (source: string, name: string, duration_ms: number): string =>
    `${JSON.stringify({ type: 'longtask', source, t: 0, duration_ms: 90, scripts: [{ name, duration_ms }] })}\n`;
  const [first] = causesIn(
    traceFromText('browser import\n0 browser:frames 100') +
      task('browser', 'game.js', 60) +
      task('import', 'other.js', 80),
  );
  assert.equal(first, 'scripts, mostly game.js, ran for 60 ms');
});

test('in a tie, the causes are in the order of their kinds', () => {
  const text = `import
    0 frames 100 1
    0 stacks m_[M];(program) 20000@0 | m_[M];a_[S] 20000@20 | m_[M];(garbage collector)_[G] 20000@40 | m_[M];a_[S] 41000@60
    60 span 20 parse~HTML rendering
    80 asset 1 a.png texture upload main_thread_ms=20`;
  assert.deepEqual(causes(text), [
    'uploading a.png took 20 ms',
    'parsing HTML took 20 ms',
    'garbage collection took 20 ms',
    'a ran for 20 ms',
    "the browser's own work, in no function, took 20 ms",
  ]);
});

test('the first function of a hitch of a native program is its own, not one of the kernel or of another thread', () => {
  const text = `native
    0 frames 100 1
    0 stacks game_[M];main;load_level;asm_exc_page_fault_[k];clear_page_[k] 40000@0 | game_[M];main;load_level;ioctl_[k] 20000@40 | worker;busy 90000@0 | render_[M];draw;[libGL.so.1] 41000@60`;
  assert.deepEqual(causes(text), ['load_level ran for 60 ms', '[libGL.so.1] ran for 40 ms']);
});

test('a file that delays a frame of a native program is the cause, and the functions have the rest', () => {
  const text = `native
    0 frames 9 100 1
    0 stacks game_[M];main;update 10000@0 | game_[M];main;load_level;read;vfs_read_[k] 20000@54 | game_[M];main;load_level 36000@74
    9 asset 1 level.pak data read main_thread_ms=65 read_bytes=4096`;
  assert.deepEqual(causes(text), ['reading level.pak took 65 ms', 'load_level ran for 35 ms']);
});

test('work of a native program in none of its functions is unknown, not that of a browser', () => {
  const text = `native
    0 frames 100 1 main_ms=90,1
    0 stacks game_[M];main;update 30000@0 | game_[M];main;update 1000@100`;
  assert.deepEqual(causes(text), [
    'work that the trace does not show took 60 ms',
    'update ran for 30 ms',
  ]);
});

test('samples without a length take no time', () => {
  const text = `import
    0 frames 100 1
    0 stacks m_[M];a_[S] 60000@0 | m_[M];a_[S] -9000@10 | m_[M];a_[S] 0@20 | m_[M];(garbage collector)_[G] -9000@30 | m_[M];b_[S] 41000@60`;
  assert.deepEqual(causes(text), ['a ran for 60 ms', 'b ran for 40 ms']);
});

test('the first cause is stated however short it is, and the others from a tenth of the hitch', () => {
  const selected = (times: readonly number[], duration_ms: number): number[] =>
    mainCauses(
      times.map((ms) => ({ ms })),
      duration_ms,
    ).map(({ ms }) => ms);
  assert.deepEqual(selected([60, 10, 9.9], 100), [60, 10]);
  assert.deepEqual(selected([5, 4], 100), [5]);
  assert.deepEqual(selected([], 100), []);
});
