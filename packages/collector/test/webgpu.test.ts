// A recording of WebGPU, with the calls of a game on a fake device.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { GpuObjects } from '../src/gpu/gpu-objects.ts';
import { webgpu } from '../src/webgpu/webgpu.ts';
import { clock } from './fake-clock.ts';
import { addMethods, FakeOwner, methodsOf } from './fake-gl.ts';
import { begin, recorded, setGlobal } from './recorded.ts';

const SHAPE = {
  label: '',
  format: 'rgba8unorm',
  width: 8,
  height: 4,
  depthOrArrayLayers: 1,
  mipLevelCount: 1,
  sampleCount: 1,
  dimension: '2d',
};

/** Defines the classes of WebGPU as globals. */
function fakeWebGpu(t: TestContext) {
  class GPUDevice extends FakeOwner {
    /** Resolves the promise `lost`. */
    lose: (info: { readonly reason: string }) => void = () => {};
    readonly lost = new Promise((done) => {
      this.lose = done;
    });
  }
  class GPUTexture extends FakeOwner {
    constructor(shape: Partial<typeof SHAPE> = {}) {
      super();
      Object.assign(this, SHAPE, shape);
    }
  }
  class GPUBuffer extends FakeOwner {
    readonly size: number;
    readonly label: string;
    constructor(size: number, label = '') {
      super();
      this.size = size;
      this.label = label;
    }
  }
  class GPUQueue extends FakeOwner {}
  class GPURenderPassEncoder extends FakeOwner {}
  class GPURenderBundleEncoder extends FakeOwner {}
  const draws = ['draw', 'drawIndexed', 'drawIndirect', 'drawIndexedIndirect', 'setPipeline'];
  const methods = new Map<{ readonly name: string; readonly prototype: object }, readonly string[]>(
    [
      [
        GPUDevice,
        `createTexture createBuffer createShaderModule createRenderPipeline createComputePipeline
createRenderPipelineAsync createComputePipelineAsync`.split(/\s/),
      ],
      [GPUTexture, ['destroy']],
      [GPUBuffer, ['destroy']],
      [GPUQueue, ['writeTexture', 'copyExternalImageToTexture', 'writeBuffer']],
      [GPURenderPassEncoder, [...draws, 'executeBundles']],
      [GPURenderBundleEncoder, [...draws, 'finish']],
    ],
  );
  for (const [owner, names] of methods) {
    addMethods(owner.prototype, names);
    setGlobal(t, owner.name, owner);
  }
  const classes = {
    GPUDevice,
    GPUTexture,
    GPUBuffer,
    GPUQueue,
    GPURenderPassEncoder,
    GPURenderBundleEncoder,
  };
  /** All methods, to compare them later. */
  const all = () => [...methods.keys()].map((owner) => methodsOf(owner.prototype));
  return { ...classes, all };
}

function setUp(t: TestContext) {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  const gpu = fakeWebGpu(t);
  const objects = new GpuObjects(assets);
  const stop = begin(webgpu(objects), sink);
  t.after(stop);
  const { GPUDevice, GPUTexture, GPUBuffer } = gpu;
  const makeTexture = (device: InstanceType<typeof GPUDevice>, shape: Partial<typeof SHAPE>) => {
    const texture = new GPUTexture(shape);
    device.results['createTexture'] = texture;
    assert.equal(device.call('createTexture', {}), texture);
    return texture;
  };
  const makeBuffer = (device: InstanceType<typeof GPUDevice>, size: number, label = '') => {
    const buffer = new GPUBuffer(size, label);
    device.results['createBuffer'] = buffer;
    assert.equal(device.call('createBuffer', {}), buffer);
    return buffer;
  };
  /** Bytes on the GPU, by the name of their asset. */
  const held = () => Object.fromEntries(assets.all.map(({ name, gpuBytes }) => [name, gpuBytes]));
  return { ...gpu, sink, lines, assets, objects, stop, makeTexture, makeBuffer, held };
}

/** Waits until resolved promises have called their handlers. */
const settled = () => new Promise((done) => setImmediate(done));

test('textures and buffers count by their shapes under their labels, until they are destroyed', (t) => {
  const { GPUDevice, assets, makeTexture, makeBuffer, held } = setUp(t);
  const device = new GPUDevice();
  const rock = makeTexture(device, { label: 'rock', mipLevelCount: 2 });
  const vertices = makeBuffer(device, 4_096, 'vertices');
  makeTexture(device, {});
  makeBuffer(device, 12);
  assert.deepEqual(held(), {
    rock: (32 + 8) * 4,
    vertices: 4_096,
    'small texture objects': 128,
    'small buffer objects': 12,
  });
  const [asset] = assets.all;
  assert.deepEqual([asset?.kind, asset?.format, asset?.dims], ['texture', 'rgba8unorm', [8, 4]]);
  assert.equal(assets.all[1]?.kind, 'mesh');
  rock.call('destroy');
  rock.call('destroy');
  assert.deepEqual([held()['rock'], assets.gpuBytes], [0, 4_096 + 128 + 12]);
  vertices.call('destroy');
  assert.equal(assets.gpuBytes, 128 + 12);
  makeTexture(device, { label: 'layers', depthOrArrayLayers: 6 });
  assert.deepEqual(assets.all.at(-1)?.dims, [8, 4, 6]);
});

test('a texture that the game named keeps its name, and the result of a failed call is ignored', (t) => {
  const { GPUDevice, GPUTexture, assets, held } = setUp(t);
  const device = new GPUDevice();
  const texture = new GPUTexture({ label: 'label' });
  assets.tie(texture, assets.ofName('rock', 'texture'));
  device.results['createTexture'] = texture;
  device.call('createTexture', {});
  assert.deepEqual(held(), { rock: 128 });
  device.results['createTexture'] = undefined;
  device.results['createBuffer'] = {};
  device.call('createTexture', {});
  device.call('createBuffer', {});
  assert.deepEqual(held(), { rock: 128 });
});

test('writes belong to the asset of their source, and add no memory', (t) => {
  const gpu = setUp(t);
  const { GPUDevice, GPUTexture, GPUBuffer, GPUQueue } = gpu;
  const { assets, makeTexture, makeBuffer, held } = gpu;
  const device = new GPUDevice();
  const queue = new GPUQueue();
  const data = (name: string) => {
    const made = new Uint8Array(8);
    assets.tie(made, assets.ofName(name, 'other'));
    return made;
  };
  queue.costMs = 2;
  queue.call('writeTexture', { texture: makeTexture(device, {}) }, data('pixels'), {}, {});
  const image = data('image');
  queue.call('copyExternalImageToTexture', { source: image }, { texture: makeTexture(device, {}) });
  queue.call('writeBuffer', makeBuffer(device, 100), 0, data('vertices'));
  assert.deepEqual(held(), {
    'small texture objects': 0,
    pixels: 128,
    image: 128,
    'small buffer objects': 0,
    vertices: 100,
  });
  const reported = assets.all.filter(({ mainMs }) => mainMs > 0);
  assert.deepEqual(
    reported.map(({ name, mainMs, kind }) => [name, mainMs, kind]),
    [
      ['pixels', 2, 'texture'],
      ['image', 2, 'texture'],
      ['vertices', 2, 'mesh'],
    ],
  );
  assert.deepEqual(reported[0]?.dims, [8, 4]);
  for (const stray of [null, {}, 5]) {
    queue.call('writeTexture', stray, data('stray'));
    queue.call('copyExternalImageToTexture', stray, stray);
    queue.call('writeBuffer', stray, 0, data('stray'));
  }
  assert.equal(assets.gpuBytes, 356);
  queue.call('writeTexture', { texture: new GPUTexture() }, null);
  queue.call('writeBuffer', new GPUBuffer(16), 0, null);
  assert.equal(assets.gpuBytes, 356 + 128 + 16, 'what was made before the recording counts too');
  queue.call('writeTexture', { texture: new GPUTexture() }, data('early'));
  const early = assets.all.at(-1);
  assert.deepEqual([early?.name, early?.dims], ['early', [8, 4]]);
});

test('a lost or destroyed device frees its memory permanently', async (t) => {
  const { GPUDevice, assets, makeTexture, makeBuffer, lines, sink } = setUp(t);
  const logs = () => lines().filter(({ type }) => type === 'log');
  const [one, other, last] = [new GPUDevice(), new GPUDevice(), new GPUDevice()];
  makeTexture(one, {});
  makeBuffer(one, 72);
  makeBuffer(other, 50);
  makeBuffer(last, 7);
  assert.equal(assets.gpuBytes, 128 + 72 + 50 + 7);
  clock.ms += 3;
  one.lose({ reason: 'unknown' });
  await settled();
  assert.equal(assets.gpuBytes, 57);
  const log = { type: 'log', t: sink.now(), level: 'warn', text: 'WebGPU device lost' };
  assert.deepEqual(logs(), [log], 'once, whatever it held');
  makeTexture(one, {});
  assert.equal(assets.gpuBytes, 57);
  other.lose({ reason: 'destroyed' });
  await settled();
  assert.deepEqual([assets.gpuBytes, logs()], [7, []]);
  const textured = new GPUDevice();
  makeTexture(textured, {});
  textured.lose({ reason: 'destroyed' });
  await settled();
  assert.equal(assets.gpuBytes, 7, 'of a device that has textures alone too');
  sink.on = false;
  last.lose({ reason: 'unknown' });
  await settled();
  assert.deepEqual([assets.gpuBytes, logs()], [7, []], 'after the end it is not heard');
});

test('shader modules without a label are named by their code, and pipelines by their module', (t) => {
  const { GPUDevice, lines } = setUp(t);
  const device = new GPUDevice();
  const named = (method: string, descriptor: unknown, result: unknown = {}): unknown => {
    device.results[method] = result;
    device.call(method, descriptor);
    return lines().find(({ phase }) => phase === 'compile')?.['name'];
  };
  const [labelled, unlabelled, empty] = [{}, {}, {}];
  assert.equal(named('createShaderModule', { label: 'rock', code: '' }, labelled), 'rock');
  const code = '@group(0) @binding(1) var hero: texture_2d<f32>;';
  const name = named('createShaderModule', { label: '', code }, unlabelled);
  assert.match(String(name), /^shader hero [0-9a-f]{6}$/);
  assert.equal(named('createShaderModule', { code: 5 }, empty), 'shader 1');
  const pipeline = (descriptor: unknown) => named('createRenderPipeline', descriptor);
  assert.equal(
    pipeline({ vertex: { module: unlabelled }, fragment: { module: labelled } }),
    'pipeline rock',
  );
  assert.equal(pipeline({ vertex: { module: unlabelled } }), `pipeline ${name}`);
  assert.equal(named('createComputePipeline', { compute: { module: empty } }), 'pipeline shader 1');
  assert.equal(pipeline({ label: 'sky', fragment: { module: labelled } }), 'sky');
  const hostile = {
    get fragment() {
      throw new Error('a hostile getter');
    },
  };
  assert.equal(pipeline(hostile), undefined, 'the call succeeds without a record');
  assert.equal(pipeline({ fragment: { module: {} } }), 'pipeline 1');
});

test('shader modules and pipelines are reported by their label or a number', async (t) => {
  const { GPUDevice, lines } = setUp(t);
  const compiles = () =>
    lines()
      .filter(({ phase }) => phase === 'compile')
      .map(({ name, kind, duration_ms, main_thread_ms }) => [
        name,
        kind,
        duration_ms,
        main_thread_ms,
      ]);
  const device = new GPUDevice();
  device.costMs = 2;
  device.call('createShaderModule', { label: 'rock' });
  device.call('createShaderModule', {});
  device.call('createRenderPipeline', { label: '' });
  device.call('createComputePipeline', { label: 5 });
  device.call('createComputePipeline', null);
  device.call('createRenderPipeline', { label: 'sky' });
  assert.deepEqual(compiles(), [
    ['rock', 'shader', 2, 2],
    ['shader 1', 'shader', 2, 2],
    ['pipeline 1', 'shader', 2, 2],
    ['pipeline 2', 'shader', 2, 2],
    ['pipeline 3', 'shader', 2, 2],
    ['sky', 'shader', 2, 2],
  ]);
  for (const name of ['createRenderPipelineAsync', 'createComputePipelineAsync']) {
    let done = (_value: unknown): void => {};
    device.results[name] = new Promise((resolve) => {
      done = resolve;
    });
    const promise = device.call(name, { label: 'rock' });
    clock.ms += 5;
    assert.deepEqual(compiles(), [], 'it is not made yet');
    const pipeline = {};
    done(pipeline);
    assert.equal(await promise, pipeline);
    assert.deepEqual(compiles(), [['rock', 'shader', 7, 2]], name);
  }
});

test('draws of a pass count with their triangles, by the topology of the pipeline', async (t) => {
  const { GPUDevice, GPURenderPassEncoder, sink } = setUp(t);
  const device = new GPUDevice();
  const pipelineOf = (descriptor: unknown): object => {
    const pipeline = {};
    device.results['createRenderPipeline'] = pipeline;
    device.call('createRenderPipeline', descriptor);
    return pipeline;
  };
  const pass = new GPURenderPassEncoder();
  const count = (...calls: (readonly [name: string, ...unknown[]])[]) => {
    Object.assign(sink.work, { draws: 0, triangles: 0 });
    for (const [name, ...args] of calls) {
      pass.results[name] = `${name}!`;
      assert.equal(pass.call(name, ...args), `${name}!`);
      assert.deepEqual(pass.calls.at(-1), [name, ...args]);
    }
    return [sink.work.draws, sink.work.triangles];
  };
  assert.deepEqual(count(['draw', 31]), [1, 10]);
  assert.deepEqual(count(['draw', 3]), [1, 1]);
  assert.deepEqual(count(['draw', 30, 3]), [1, 30]);
  assert.deepEqual(count(['draw', 30, 0], ['draw', 30, -1], ['draw', 'x']), [3, 0]);
  assert.deepEqual(count(['drawIndexed', 60, 2, 5]), [1, 40]);
  assert.deepEqual(count(['drawIndirect', {}, 0], ['drawIndexedIndirect', {}, 0]), [2, 0]);
  const list = pipelineOf({ primitive: { topology: 'triangle-list' } });
  const plain = pipelineOf({});
  const strip = pipelineOf({ primitive: { topology: 'triangle-strip' } });
  const lines = pipelineOf({ primitive: { topology: 'line-list' } });
  assert.deepEqual(count(['setPipeline', strip], ['draw', 12, 2], ['draw', 1]), [2, 20]);
  assert.deepEqual(count(['setPipeline', lines], ['draw', 12]), [1, 0]);
  assert.deepEqual(count(['setPipeline', list], ['draw', 12]), [1, 4]);
  assert.deepEqual(count(['setPipeline', strip], ['setPipeline', plain], ['draw', 12]), [1, 4]);
  device.results['createRenderPipelineAsync'] = Promise.resolve(list);
  await device.call('createRenderPipelineAsync', { primitive: { topology: 'point-list' } });
  assert.deepEqual(count(['setPipeline', list], ['draw', 12]), [1, 0]);
  const other = new GPURenderPassEncoder();
  other.call('draw', 12);
  assert.deepEqual(sink.work, { draws: 2, triangles: 4 }, 'another pass has its own pipeline');
});

test('the draws of a bundle count each time that a pass executes it', (t) => {
  const { GPURenderBundleEncoder, GPURenderPassEncoder, sink } = setUp(t);
  const bundleOf = (draws: number): object => {
    const encoder = new GPURenderBundleEncoder();
    for (let at = 0; at < draws; at++) encoder.call('draw', 9, 2);
    encoder.call('drawIndirect', {}, 0);
    const bundle = {};
    encoder.results['finish'] = bundle;
    assert.equal(encoder.call('finish'), bundle);
    return bundle;
  };
  const [one, two] = [bundleOf(1), bundleOf(2)];
  assert.deepEqual(sink.work, { draws: 0, triangles: 0 }, 'nothing is drawn yet');
  const pass = new GPURenderPassEncoder();
  pass.call('executeBundles', [one, two, one]);
  assert.deepEqual(sink.work, { draws: 7, triangles: 24 });
  for (const stray of [null, [null], [{}], 5]) pass.call('executeBundles', stray);
  assert.deepEqual(sink.work, { draws: 7, triangles: 24 });
  assert.deepEqual(pass.calls[0], ['executeBundles', [one, two, one]]);
});

test('errors of the device reach the game, and stop restores every method', async (t) => {
  const { sink } = recorded();
  const gpu = fakeWebGpu(t);
  const before = gpu.all();
  const stop = begin(webgpu(new GpuObjects(new Assets(sink))), sink);
  assert.equal(sink.columns.draws, true);
  const replaced = gpu.all();
  for (const [at, methods] of replaced.entries()) {
    for (const name of Object.keys(methods)) {
      if (name !== 'constructor') assert.notEqual(methods[name], before[at]?.[name], name);
    }
  }
  const fault = new Error('lost');
  const device = new gpu.GPUDevice();
  const fail = () => {
    throw fault;
  };
  Object.assign(device.results, {
    createTexture: fail,
    createRenderPipeline: fail,
    createRenderPipelineAsync: Promise.reject(fault),
  });
  for (const name of ['createTexture', 'createRenderPipeline']) {
    assert.throws(() => device.call(name, {}), fault);
  }
  await assert.rejects(async () => device.call('createRenderPipelineAsync', {}), fault);
  stop();
  assert.deepEqual(gpu.all(), before);
});

test('missing or frozen WebGPU is reported', (t) => {
  const { sink } = recorded();
  const objects = new GpuObjects(new Assets(sink));
  assert.equal(webgpu(objects)(sink), 'the browser has no WebGPU');
  const { GPUDevice, GPUTexture, GPUBuffer, GPUQueue, ...encoders } = fakeWebGpu(t);
  const { GPURenderPassEncoder, GPURenderBundleEncoder } = encoders;
  for (const owner of [GPUDevice, GPUTexture, GPUBuffer, GPUQueue]) Object.freeze(owner.prototype);
  for (const owner of [GPURenderPassEncoder, GPURenderBundleEncoder]) {
    Object.freeze(owner.prototype);
  }
  assert.equal(webgpu(objects)(sink), 'its methods cannot be replaced');
  assert.equal(sink.columns.draws, false);
});
