// The frames that are timed on the GPU, with a context that records its calls. Queries of the game have priority.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GpuTimer } from '../src/webgl/gpu-timer.ts';
import { addMethods, type FakeGl, FakeOwner, fakeContexts } from './fake-gl.ts';
import { recorded } from './recorded.ts';

const TIME_ELAPSED = 0x88bf;
const CURRENT_QUERY = 0x8865;
const GPU_DISJOINT = 0x8fbb;
const QUERY_RESULT = 0x8866;
const QUERY_RESULT_AVAILABLE = 0x8867;

/** A timer on a context, frame by frame. `result` is the result of the query, null while it is pending. */
function timed(t: TestContext) {
  const { sink } = recorded();
  const times: (readonly [frame: number, ms: number])[] = [];
  sink.setGpuTime = (frame, ms) => times.push([frame, ms]);
  const timer = new GpuTimer(sink);
  const { Gl1, Gl2 } = fakeContexts(t);
  const query = { query: true };
  const answer = { nanoseconds: 5_000_000 as number | null };
  const read = (_query: unknown, what: unknown): unknown =>
    what === QUERY_RESULT_AVAILABLE ? answer.nanoseconds !== null : answer.nanoseconds;
  const make2 = (): FakeGl => {
    const gl = new Gl2();
    const { results } = gl;
    results['getExtension'] = (name: unknown) =>
      name === 'EXT_disjoint_timer_query_webgl2' ? {} : null;
    results['createQuery'] = query;
    results['getQuery'] = null;
    results['getQueryParameter'] = read;
    return gl;
  };
  /** Makes the first draw of a frame, and ends its task. */
  const draw = async (gl: unknown, frame: number): Promise<void> => {
    sink.frame = frame;
    timer.firstDraw(gl);
    await Promise.resolve();
  };
  return { sink, times, timer, Gl1, Gl2, query, answer, read, make2, draw };
}

/** The calls on the collector's own queries since the last call of this function. */
const queries = ({ calls }: FakeOwner): unknown[][] =>
  calls
    .splice(0)
    .filter(([name]) => !['getExtension', 'isContextLost', 'getQuery'].includes(String(name)));

test('every eighth frame is timed from its first draw to the end of its task, when the result is available', async (t) => {
  const { sink, times, query, answer, make2, draw } = timed(t);
  const gl = make2();
  sink.frame = 3;
  await draw(gl, 3);
  assert.equal(sink.columns.gpu, true);
  assert.deepEqual(queries(gl), [
    ['createQuery'],
    ['beginQuery', TIME_ELAPSED, query],
    ['endQuery', TIME_ELAPSED],
  ]);
  for (const frame of [4, 5, 6]) await draw(gl, frame);
  assert.deepEqual(gl.calls.splice(0), [], 'the result cannot be available yet');
  answer.nanoseconds = null;
  await draw(gl, 7);
  assert.deepEqual(gl.calls.splice(0), [['getQueryParameter', query, QUERY_RESULT_AVAILABLE]]);
  assert.deepEqual(times, []);
  answer.nanoseconds = 5_250_000;
  for (const frame of [8, 9, 10]) await draw(gl, frame);
  assert.deepEqual(gl.calls.splice(0), []);
  await draw(gl, 11);
  assert.deepEqual(gl.calls.splice(0), [
    ['getQueryParameter', query, QUERY_RESULT_AVAILABLE],
    ['getQueryParameter', query, QUERY_RESULT],
  ]);
  assert.deepEqual(times, [[3, 5.25]]);
  for (const frame of [12, 13, 14]) await draw(gl, frame);
  assert.deepEqual(gl.calls.splice(0), [], 'the next query runs later');
  await draw(gl, 15);
  assert.deepEqual(
    gl.calls.map(([name]) => name),
    ['beginQuery', 'endQuery'],
  );
});

test('after a result, the next query starts eight frames after the previous one', async (t) => {
  const { make2, draw } = timed(t);
  const gl = make2();
  await draw(gl, 0);
  await draw(gl, 4);
  gl.calls.length = 0;
  for (const frame of [5, 6, 7]) await draw(gl, frame);
  assert.deepEqual(gl.calls.splice(0), []);
  await draw(gl, 8);
  assert.deepEqual(queries(gl)[0]?.[0], 'beginQuery');
});

test('a costly query runs less often, but a single pause of the machine does not stop it', async (t) => {
  const { make2, draw } = timed(t);
  const gl = make2();
  gl.costMs = 0.01;
  let frame = 0;
  const begins: number[] = [];
  for (; begins.length < 40 && frame < 10_000; frame++) {
    gl.calls.length = 0;
    await draw(gl, frame);
    if (gl.calls.some(([name]) => name === 'beginQuery')) begins.push(frame);
  }
  // Begin, end and two result calls at 0.01 ms each: 0.04 ms, every 160th frame.
  const [before = 0, last = 0] = begins.slice(-2);
  assert.ok(last - before > 155 && last - before <= 160, String(last - before));
  gl.costMs = 1_000;
  await draw(gl, last + 4);
  gl.costMs = 0.01;
  gl.calls.length = 0;
  let next = last + 4;
  while (next < last + 500 && !gl.calls.some(([name]) => name === 'beginQuery')) {
    await draw(gl, ++next);
  }
  assert.ok(next - last > 190 && next - last <= 200, String(next - last));
});

test('a result from a disjoint clock is not reported', async (t) => {
  const { times, make2, draw } = timed(t);
  const gl = make2();
  gl.parameters.set(GPU_DISJOINT, true);
  await draw(gl, 0);
  await draw(gl, 4);
  assert.deepEqual(times, []);
  gl.parameters.set(GPU_DISJOINT, false);
  await draw(gl, 8);
  await draw(gl, 12);
  assert.deepEqual(times, [[8, 5]]);
});

test('only the first context that draws is timed', async (t) => {
  const { make2, draw } = timed(t);
  const [one, other] = [make2(), make2()];
  await draw(one, 0);
  one.calls.length = 0;
  await draw(other, 4);
  assert.deepEqual([...one.calls, ...other.calls], []);
  await draw(one, 5);
  assert.equal(queries(one).at(-1)?.[0], 'getQueryParameter');
});

test('if the game times the GPU itself, our queries end permanently', async (t) => {
  const { sink, timer, query, make2, draw } = timed(t);
  const gl = make2();
  gl.results['beginQuery'] = (target: unknown) => timer.aboutToBegin(target);
  sink.frame = 0;
  timer.firstDraw(gl);
  assert.deepEqual(sink.missing, [], 'our own query is not the game’s');
  timer.aboutToBegin(0x8c2f);
  assert.deepEqual(
    queries(gl).map(([name]) => name),
    ['createQuery', 'beginQuery'],
    'a query of another sort does not matter',
  );
  timer.aboutToBegin(TIME_ELAPSED);
  assert.deepEqual(queries(gl), [
    ['endQuery', TIME_ELAPSED],
    ['deleteQuery', query],
  ]);
  assert.deepEqual(sink.missing, [{ what: 'gpuTimer', why: 'the game times the GPU itself' }]);
  for (const frame of [8, 500]) await draw(gl, frame);
  assert.deepEqual(gl.calls.splice(0), []);
});

test('a query that the game started before the recording is not ended', async (t) => {
  const { sink, query, make2, draw } = timed(t);
  const gl = make2();
  gl.results['getQuery'] = (target: unknown, what: unknown) =>
    target === TIME_ELAPSED && what === CURRENT_QUERY ? {} : null;
  await draw(gl, 0);
  assert.deepEqual(queries(gl), []);
  assert.equal(sink.columns.gpu, false);
  gl.results['getQuery'] = null;
  await draw(gl, 1);
  assert.deepEqual(queries(gl)[1], ['beginQuery', TIME_ELAPSED, query]);
});

test('stop ends and deletes the running query, and no frame is timed after the recording', async (t) => {
  const { sink, timer, query, make2, draw } = timed(t);
  const gl = make2();
  sink.frame = 0;
  timer.firstDraw(gl);
  gl.calls.length = 0;
  timer.stop();
  await Promise.resolve();
  assert.deepEqual(gl.calls.splice(0), [
    ['endQuery', TIME_ELAPSED],
    ['deleteQuery', query],
  ]);
  timer.aboutToBegin(TIME_ELAPSED);
  assert.deepEqual(sink.missing, []);
  await draw(gl, 100);
  assert.deepEqual(gl.calls.splice(0), []);
});

test('missing timer queries are reported once, and a lost context is not reported', async (t) => {
  const { sink, make2, draw } = timed(t);
  const lost = make2();
  lost.results['isContextLost'] = true;
  await draw(lost, 0);
  assert.deepEqual([queries(lost), sink.missing], [[], []]);
  lost.results['isContextLost'] = false;
  await draw(lost, 1);
  assert.equal(queries(lost)[1]?.[0], 'beginQuery', 'it is timed after its restore');

  const bare = timed(t);
  const gl = new bare.Gl2();
  gl.results['getExtension'] = null;
  await bare.draw(gl, 0);
  const why = 'the context has no EXT_disjoint_timer_query';
  assert.deepEqual(bare.sink.missing, [{ what: 'gpuTimer', why }]);
  gl.calls.length = 0;
  await bare.draw(gl, 1);
  assert.deepEqual(gl.calls.splice(0), []);
});

test('after a context loss, the next context that draws is timed, even the same one', async (t) => {
  const { times, timer, make2, draw } = timed(t);
  const [one, other] = [make2(), make2()];
  await draw(one, 0);
  timer.forget(other);
  one.calls.length = 0;
  await draw(one, 4);
  assert.equal(queries(one)[0]?.[0], 'getQueryParameter', 'another context is lost');
  await draw(one, 8);
  timer.forget(one);
  one.calls.length = 0;
  await draw(one, 9);
  assert.deepEqual(
    queries(one).map(([name]) => name),
    ['createQuery', 'beginQuery', 'endQuery'],
  );
  await draw(one, 13);
  assert.deepEqual(times, [
    [0, 5],
    [9, 5],
  ]);
});

test('in WebGL 1 the extension is used', async (t) => {
  const { times, timer, query, Gl1, read, draw } = timed(t);
  class Extension extends FakeOwner {}
  addMethods(Extension.prototype, [
    'createQueryEXT',
    'beginQueryEXT',
    'endQueryEXT',
    'getQueryEXT',
    'getQueryObjectEXT',
    'deleteQueryEXT',
  ]);
  const extension = new Extension();
  extension.results['createQueryEXT'] = query;
  extension.results['getQueryEXT'] = null;
  extension.results['getQueryObjectEXT'] = read;
  const gl = new Gl1();
  gl.results['getExtension'] = (name: unknown) =>
    name === 'EXT_disjoint_timer_query' ? extension : null;
  await draw(gl, 0);
  await draw(gl, 4);
  timer.stop();
  assert.deepEqual(extension.calls, [
    ['getQueryEXT', TIME_ELAPSED, CURRENT_QUERY],
    ['createQueryEXT'],
    ['beginQueryEXT', TIME_ELAPSED, query],
    ['endQueryEXT', TIME_ELAPSED],
    ['getQueryObjectEXT', query, QUERY_RESULT_AVAILABLE],
    ['getQueryObjectEXT', query, QUERY_RESULT],
    ['deleteQueryEXT', query],
  ]);
  assert.deepEqual(times, [[0, 5]]);
});

test('exceptions of a context are not visible, and an object that is not a context is not timed', async (t) => {
  const { sink, make2, draw } = timed(t);
  const gl = make2();
  gl.results['createQuery'] = () => {
    throw new Error('no');
  };
  await draw(gl, 0);
  await draw({}, 1);
  assert.equal(sink.missing.length, 1);
});
