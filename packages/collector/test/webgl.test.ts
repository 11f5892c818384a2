// The parts of WebGL besides memory: shaders, draws of extensions and lost contexts. Stop restores every method.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { GpuObjects } from '../src/gpu/gpu-objects.ts';
import { webgl } from '../src/webgl/webgl.ts';
import { clock } from './fake-clock.ts';
import {
  ARRAY_BUFFER,
  addMethods,
  type FakeGl,
  FakeOwner,
  fakeContexts,
  methodsOf,
  RGBA8,
  TEXTURE_2D,
} from './fake-gl.ts';
import { begin, recorded, setGlobal } from './recorded.ts';

const TIME_ELAPSED = 0x88bf;

function setUp(t: TestContext, timeGpu = false) {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  const objects = new GpuObjects(assets);
  const contexts = fakeContexts(t);
  const stop = begin(webgl(objects, timeGpu), sink);
  t.after(stop);
  /** The compile records since the last call: name, start and duration. */
  const compiles = () =>
    lines()
      .filter(({ phase }) => phase === 'compile')
      .map((line) => {
        assert.equal(line['main_thread_ms'], line['duration_ms']);
        assert.equal(line['kind'], 'shader');
        return [line['name'], line['t'], line['duration_ms']];
      });
  return { ...contexts, sink, lines, assets, objects, stop, compiles };
}

/** Makes the calls, each of which takes this long. */
function run(gl: FakeGl, ...calls: readonly (readonly [ms: number, name: string, ...unknown[]])[]) {
  for (const [ms, name, ...args] of calls) {
    gl.costMs = ms;
    gl.call(name, ...args);
  }
}

test('a program is reported when it is linked, with its name and the time of its shaders', (t) => {
  const { Gl1, sink, compiles } = setUp(t);
  const gl = new Gl1();
  const [vertex, fragment, program] = [{}, {}, {}];
  run(
    gl,
    [0, 'shaderSource', vertex, 'void main() {}'],
    [0, 'shaderSource', fragment, '#version 100\n  #define SHADER_NAME rock\nvoid main() {}'],
    [2, 'compileShader', vertex],
    [3, 'compileShader', fragment],
    [4, 'getShaderParameter', vertex, 0x8b81],
    [5, 'getShaderInfoLog', fragment],
    [0, 'attachShader', program, vertex],
    [0, 'attachShader', program, fragment],
  );
  assert.deepEqual(compiles(), []);
  const at = sink.now();
  run(gl, [6, 'linkProgram', program]);
  assert.deepEqual(compiles(), [['rock', at, 20]]);
  run(gl, [6, 'linkProgram', program]);
  assert.deepEqual(compiles(), [['rock', at + 6, 6]], 'nothing is recorded twice');
});

test('the first query of a linked program that blocks the page is reported separately', (t) => {
  const { Gl1, sink, compiles } = setUp(t);
  const gl = new Gl1();
  const program = {};
  run(gl, [0, 'shaderSource', program, '']);
  for (const name of [
    'getProgramParameter',
    'getProgramInfoLog',
    'useProgram',
    'getUniformLocation',
  ]) {
    run(gl, [9, name, program]);
    assert.deepEqual(compiles(), [], `${name}: nobody linked it`);
  }
  run(gl, [1, 'linkProgram', program]);
  assert.deepEqual(
    compiles().map(([name, , ms]) => [name, ms]),
    [['shader 1', 1]],
  );
  for (const name of [
    'getProgramParameter',
    'getProgramInfoLog',
    'useProgram',
    'getUniformLocation',
  ]) {
    const at = sink.now();
    run(gl, [0.04, name, program], [0.06, name, program], [9, name, null]);
    assert.deepEqual(
      compiles().map(([one, from, ms]) => [one, Math.round(100 * Number(from)), ms]),
      [['shader 1', Math.round(100 * (at + 0.04)), 0.06]],
      name,
    );
  }
});

test('a linked program that is deleted is released once', (t) => {
  const { Gl1, lines, sink } = setUp(t);
  const gl = new Gl1();
  const [linked, unlinked] = [{}, {}];
  run(gl, [1, 'linkProgram', linked], [0, 'deleteProgram', unlinked], [0, 'deleteProgram', null]);
  lines();
  const at = sink.now();
  run(gl, [0, 'deleteProgram', linked], [0, 'deleteProgram', linked]);
  assert.deepEqual(lines(), [{ type: 'release', t: at, id: 1 }]);
});

test('programs are named by the game, else by their shaders, else by a number if they have no source', (t) => {
  const { Gl1, assets, compiles } = setUp(t);
  const gl = new Gl1();
  const [shader, other, unnamed] = [{}, {}, {}];
  run(
    gl,
    [0, 'shaderSource', shader, '#define SHADER_TYPE tree\n'],
    [0, 'shaderSource', other, 'x'],
  );
  const link = (program: object, ...parts: object[]): unknown => {
    for (const part of parts) run(gl, [0, 'attachShader', program, part]);
    run(gl, [1, 'linkProgram', program]);
    return compiles()[0]?.[0];
  };
  assert.equal(link({}, other, shader), 'tree');
  const hashed = link(unnamed, other);
  assert.match(String(hashed), /^shader [0-9a-f]{6}$/);
  assert.equal(link(unnamed), hashed, 'it keeps its name');
  assert.equal(link({}, other), hashed, 'the same source has the same name');
  assert.equal(link({}), 'shader 1');
  const named = {};
  assets.tie(named, assets.ofName('water', 'shader'));
  assert.equal(link(named, shader), 'water');
  const program = {};
  run(gl, [0, 'attachShader', program, shader], [0, 'detachShader', program, shader]);
  assert.equal(link(program), 'shader 2', 'a shader that was taken away does not count');
  run(gl, [0, 'shaderSource', shader, '// #define SHADER_NAME sky']);
  assert.match(String(link({}, shader)), /^shader [0-9a-f]{6}$/, 'a comment is not a name');
  run(gl, [0, 'shaderSource', shader, '#define  SHADER_NAME\t sky']);
  assert.equal(link({}, shader), 'sky');
  for (const source of [null, 5, { toString: () => '#define SHADER_NAME rock' }]) {
    const fresh = {};
    run(gl, [0, 'shaderSource', fresh, source]);
    assert.match(String(link({}, fresh)), /^shader \d$/, 'only text is read');
  }
  for (const stray of [null, undefined]) {
    run(gl, [1, 'linkProgram', stray], [1, 'attachShader', stray, shader]);
  }
  assert.deepEqual(compiles(), []);
});

/** An extension with its own draw call and queries. */
function extensionOf(): FakeOwner {
  class Extension extends FakeOwner {}
  addMethods(Extension.prototype, ['drawArraysInstancedANGLE', 'beginQueryEXT']);
  return new Extension();
}

test('draws of an extension count after it was requested, and only once', (t) => {
  const { Gl1, sink, stop } = setUp(t);
  const gl = new Gl1();
  const extension = extensionOf();
  const prototype = Object.getPrototypeOf(extension);
  const before = methodsOf(prototype);
  gl.results['getExtension'] = (name: unknown) => (name === 'none' ? null : extension);
  assert.equal(gl.call('getExtension', 'none'), null);
  extension.call('drawArraysInstancedANGLE', 4, 0, 3, 5);
  assert.equal(sink.work.draws, 0);
  assert.equal(gl.call('getExtension', 'ANGLE_instanced_arrays'), extension);
  gl.call('getExtension', 'ANGLE_instanced_arrays');
  new Gl1().call('getExtension', 'none');
  extension.call('drawArraysInstancedANGLE', 4, 0, 3, 5);
  assert.deepEqual(sink.work, { draws: 1, triangles: 5 });
  stop();
  assert.deepEqual(methodsOf(prototype), before);
});

test('an extension that is requested after the end is not changed', (t) => {
  const { Gl1, sink } = setUp(t);
  const gl = new Gl1();
  const extension = extensionOf();
  const before = methodsOf(Object.getPrototypeOf(extension));
  gl.results['getExtension'] = extension;
  sink.on = false;
  assert.equal(gl.call('getExtension', 'ANGLE_instanced_arrays'), extension);
  assert.deepEqual(methodsOf(Object.getPrototypeOf(extension)), before);
});

test('calls on both versions of context count, and stop restores every method', (t) => {
  const { sink, lines } = recorded();
  const { Gl1, Gl2 } = fakeContexts(t);
  const before = [methodsOf(Gl1.prototype), methodsOf(Gl2.prototype)];
  assert.equal(sink.columns.draws, false);
  const stop = begin(webgl(new GpuObjects(new Assets(sink)), true), sink);
  assert.equal(sink.columns.draws, true);
  new Gl1().call('drawArrays', 4, 0, 3);
  new Gl2().call('drawArrays', 4, 0, 6);
  assert.deepEqual(sink.work, { draws: 2, triangles: 3 });
  const kept = ['drawBuffers', 'createQuery', 'endQuery', 'getQuery', 'getQueryParameter'];
  const replaced = methodsOf(Gl2.prototype);
  assert.deepEqual(
    Object.keys(replaced).filter((name) => replaced[name] === before[1]?.[name]),
    ['constructor', 'isContextLost', ...kept, 'deleteQuery'],
  );
  stop();
  assert.deepEqual([methodsOf(Gl1.prototype), methodsOf(Gl2.prototype)], before);
  lines();
});

test('a context loss frees its memory and is logged while the recording runs', (t) => {
  const { Gl2, sink, lines, assets, stop } = setUp(t);
  const gl = new Gl2();
  const texture = {};
  gl.parameters.set(0x8069, texture);
  gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, 4, 4);
  gl.parameters.set(0x8894, {});
  gl.call('bufferData', ARRAY_BUFFER, 36, 0);
  assert.equal(assets.gpuBytes, 100);
  clock.ms += 5;
  gl.canvas.dispatchEvent(new Event('webglcontextlost'));
  assert.equal(assets.gpuBytes, 0);
  const logs = () => lines().filter(({ type }) => type === 'log');
  const log = { type: 'log', t: sink.now(), level: 'warn', text: 'WebGL context lost' };
  assert.deepEqual(logs(), [log], 'a context is heard once, whatever it holds');
  gl.parameters.set(0x8069, {});
  gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, 4, 4);
  assert.equal(assets.gpuBytes, 64, 'what is made once it is restored counts');
  stop();
  gl.canvas.dispatchEvent(new Event('webglcontextlost'));
  assert.deepEqual(logs(), []);
});

test('a context without a canvas is tracked too', (t) => {
  const { Gl2, assets } = setUp(t);
  const gl = new Gl2();
  Object.defineProperty(gl, 'canvas', { value: undefined });
  gl.parameters.set(0x8069, {});
  gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, 4, 4);
  assert.equal(assets.gpuBytes, 64);
});

/** A context of WebGL 2 whose queries are answered. */
function withQueries(gl: FakeGl): FakeGl {
  Object.assign(gl.results, {
    getExtension: {},
    getQuery: null,
    createQuery: {},
    getQueryParameter: (_query: unknown, what: unknown) => (what === 0x8867 ? true : 5_000_000),
  });
  return gl;
}

test('the first draw of a frame is timed by the GPU, unless the options omit it', async (t) => {
  for (const timeGpu of [true, false]) {
    const { Gl2, sink } = setUp(t, timeGpu);
    const gl = withQueries(new Gl2());
    gl.call('drawArrays', 4, 0, 3);
    gl.call('drawArrays', 4, 0, 3);
    await Promise.resolve();
    const names = gl.calls
      .map(([name]) => name)
      .filter((name) => /^(begin|end)/.test(String(name)));
    assert.deepEqual(names, timeGpu ? ['beginQuery', 'endQuery'] : []);
    assert.equal(sink.columns.gpu, timeGpu);
    assert.equal(gl.calls.filter(([name]) => name === 'drawArrays').length, 2);
  }
});

test('a timer query of the game, in WebGL 1 or 2, ends the timing of the GPU', (t) => {
  const { Gl2, sink } = setUp(t, true);
  const gl = withQueries(new Gl2());
  gl.call('drawArrays', 4, 0, 3);
  assert.deepEqual(sink.missing, []);
  gl.call('beginQuery', TIME_ELAPSED, {});
  const why = 'the game times the GPU itself';
  assert.deepEqual(sink.missing, [{ what: 'gpuTimer', why }]);
  assert.deepEqual(
    gl.calls.slice(-3).map(([name]) => name),
    ['endQuery', 'deleteQuery', 'beginQuery'],
  );
  const other = setUp(t, true);
  const one = new other.Gl1();
  const extension = extensionOf();
  one.results['getExtension'] = extension;
  one.call('getExtension', 'EXT_disjoint_timer_query');
  extension.call('beginQueryEXT', TIME_ELAPSED, {});
  assert.deepEqual(other.sink.missing, [{ what: 'gpuTimer', why }]);
  assert.equal(extension.calls.length, 1);
});

test('stop ends the running query before it restores the methods', (t) => {
  const { Gl2, sink, stop } = setUp(t, true);
  const gl = withQueries(new Gl2());
  gl.call('drawArrays', 4, 0, 3);
  stop();
  assert.deepEqual(
    gl.calls.slice(-2).map(([name]) => name),
    ['endQuery', 'deleteQuery'],
  );
  assert.deepEqual(sink.missing, []);
});

test('a context that is lost while it is timed is timed again after its restore', (t) => {
  const { Gl2, sink } = setUp(t, true);
  const gl = withQueries(new Gl2());
  gl.parameters.set(0x8069, {});
  gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, 4, 4);
  gl.call('drawArrays', 4, 0, 3);
  gl.canvas.dispatchEvent(new Event('webglcontextlost'));
  gl.calls.length = 0;
  sink.work.draws = 0;
  sink.frame = 1;
  gl.call('drawArrays', 4, 0, 3);
  assert.ok(gl.calls.some(([name]) => name === 'createQuery'));
});

test('missing or frozen WebGL is reported', (t) => {
  const { sink } = recorded();
  const objects = new GpuObjects(new Assets(sink));
  assert.equal(webgl(objects, true)(sink), 'the browser has no WebGL');
  const { Gl1, Gl2 } = fakeContexts(t);
  Object.freeze(Gl1.prototype);
  Object.freeze(Gl2.prototype);
  assert.equal(webgl(objects, true)(sink), 'its methods cannot be replaced');
  assert.equal(sink.columns.draws, false);
  setGlobal(t, 'WebGL2RenderingContext', undefined);
  assert.equal(webgl(objects, true)(sink), 'its methods cannot be replaced');
});
