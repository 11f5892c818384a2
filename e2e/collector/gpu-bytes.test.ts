// GPU bytes by format: Chromium's WebGL or WebGPU must store each format without an error, and the trace must report the
// size that is calculated here by hand. For compressed data, WebGL itself rejects any other length.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import type { Browser } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { ofAsset, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const SETUP = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
svc.start();
const canvas = () => document.createElement('canvas');
`;

/** The last GPU size of an asset in the trace. */
function gpuBytes(lines: readonly TraceRecord[], name: string): number | undefined {
  return ofAsset(lines, name).findLast((line) => line.gpu_bytes !== undefined)?.gpu_bytes;
}

/** The size of 60 × 60 pixels in bytes, by extension and format. */
const COMPRESSED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  WEBGL_compressed_texture_s3tc: {
    COMPRESSED_RGB_S3TC_DXT1_EXT: 1800,
    COMPRESSED_RGBA_S3TC_DXT1_EXT: 1800,
    COMPRESSED_RGBA_S3TC_DXT3_EXT: 3600,
    COMPRESSED_RGBA_S3TC_DXT5_EXT: 3600,
  },
  WEBGL_compressed_texture_s3tc_srgb: {
    COMPRESSED_SRGB_S3TC_DXT1_EXT: 1800,
    COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT: 1800,
    COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT: 3600,
    COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT: 3600,
  },
  EXT_texture_compression_rgtc: {
    COMPRESSED_RED_RGTC1_EXT: 1800,
    COMPRESSED_SIGNED_RED_RGTC1_EXT: 1800,
    COMPRESSED_RED_GREEN_RGTC2_EXT: 3600,
    COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT: 3600,
  },
  EXT_texture_compression_bptc: {
    COMPRESSED_RGBA_BPTC_UNORM_EXT: 3600,
    COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT: 3600,
    COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT: 3600,
    COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT: 3600,
  },
  WEBGL_compressed_texture_etc: {
    COMPRESSED_R11_EAC: 1800,
    COMPRESSED_SIGNED_R11_EAC: 1800,
    COMPRESSED_RG11_EAC: 3600,
    COMPRESSED_SIGNED_RG11_EAC: 3600,
    COMPRESSED_RGB8_ETC2: 1800,
    COMPRESSED_SRGB8_ETC2: 1800,
    COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2: 1800,
    COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2: 1800,
    COMPRESSED_RGBA8_ETC2_EAC: 3600,
    COMPRESSED_SRGB8_ALPHA8_ETC2_EAC: 3600,
  },
  WEBGL_compressed_texture_etc1: { COMPRESSED_RGB_ETC1_WEBGL: 1800 },
  WEBGL_compressed_texture_astc: {
    COMPRESSED_RGBA_ASTC_4x4_KHR: 3600,
    COMPRESSED_RGBA_ASTC_5x4_KHR: 2880,
    COMPRESSED_RGBA_ASTC_5x5_KHR: 2304,
    COMPRESSED_RGBA_ASTC_6x5_KHR: 1920,
    COMPRESSED_RGBA_ASTC_6x6_KHR: 1600,
    COMPRESSED_RGBA_ASTC_8x5_KHR: 1536,
    COMPRESSED_RGBA_ASTC_8x6_KHR: 1280,
    COMPRESSED_RGBA_ASTC_8x8_KHR: 1024,
    COMPRESSED_RGBA_ASTC_10x5_KHR: 1152,
    COMPRESSED_RGBA_ASTC_10x6_KHR: 960,
    COMPRESSED_RGBA_ASTC_10x8_KHR: 768,
    COMPRESSED_RGBA_ASTC_10x10_KHR: 576,
    COMPRESSED_RGBA_ASTC_12x10_KHR: 480,
    COMPRESSED_RGBA_ASTC_12x12_KHR: 400,
    COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR: 3600,
    COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR: 1024,
    COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR: 400,
  },
};

test('compressed formats of WebGL have the size of their blocks, and WebGL accepts this length', async () => {
  await using game = await openPage(
    `${SETUP}
    const gl = canvas().getContext('webgl2');
    globalThis.faults = [];
    for (const [extension, formats] of Object.entries(${JSON.stringify(COMPRESSED)})) {
      const enums = gl.getExtension(extension);
      if (enums === null) { faults.push(extension + ' is not offered'); continue; }
      for (const [name, bytes] of Object.entries(formats)) {
        const texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, texture);
        svc.asset(texture, { name, kind: 'texture' });
        gl.compressedTexImage2D(gl.TEXTURE_2D, 0, enums[name], 60, 60, 0, new Uint8Array(bytes + 1));
        if (gl.getError() !== gl.INVALID_VALUE) faults.push(name + ': a byte too many was taken');
        gl.compressedTexImage2D(gl.TEXTURE_2D, 0, enums[name], 60, 60, 0, new Uint8Array(bytes));
        const error = gl.getError();
        if (error !== 0) faults.push(name + ': error ' + error);
      }
    }
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual(await game.page.evaluate('faults'), []);
  const lines = await stopAndRead(game.page);
  const expected = Object.assign({}, ...Object.values(COMPRESSED));
  const reported = Object.keys(expected).map((name) => [name, gpuBytes(lines, name)]);
  assert.deepEqual(Object.fromEntries(reported), expected);
  assert.ok(reported.length >= 40);
});

/** Bytes per pixel of each sized format of WebGL 2. Three channels are stored as four. */
const SIZED: Readonly<Record<string, number>> = {
  R8: 1,
  R8_SNORM: 1,
  R8UI: 1,
  R8I: 1,
  R16F: 2,
  R16UI: 2,
  R16I: 2,
  R32F: 4,
  R32UI: 4,
  R32I: 4,
  RG8: 2,
  RG8_SNORM: 2,
  RG8UI: 2,
  RG16F: 4,
  RG16UI: 4,
  RG32F: 8,
  RG32I: 8,
  RGB8: 4,
  SRGB8: 4,
  RGB8_SNORM: 4,
  RGB8UI: 4,
  RGB565: 2,
  R11F_G11F_B10F: 4,
  RGB9_E5: 4,
  RGB16F: 8,
  RGB16UI: 8,
  RGB32F: 16,
  RGB32UI: 16,
  RGBA8: 4,
  SRGB8_ALPHA8: 4,
  RGBA8_SNORM: 4,
  RGBA8UI: 4,
  RGB5_A1: 2,
  RGBA4: 2,
  RGB10_A2: 4,
  RGB10_A2UI: 4,
  RGBA16F: 8,
  RGBA16I: 8,
  RGBA32F: 16,
  RGBA32UI: 16,
  DEPTH_COMPONENT16: 2,
  DEPTH_COMPONENT24: 4,
  DEPTH_COMPONENT32F: 4,
  DEPTH24_STENCIL8: 4,
  DEPTH32F_STENCIL8: 8,
};

test('sized formats of WebGL 2 have the size of their pixels', async () => {
  await using game = await openPage(
    `${SETUP}
    const gl = canvas().getContext('webgl2');
    globalThis.faults = [];
    for (const name of ${JSON.stringify(Object.keys(SIZED))}) {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      svc.asset(texture, { name });
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl[name], 100, 10);
      const error = gl.getError();
      if (error !== 0) faults.push(name + ': error ' + error);
    }
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual(await game.page.evaluate('faults'), []);
  const lines = await stopAndRead(game.page);
  for (const [name, bytes] of Object.entries(SIZED)) {
    assert.equal(gpuBytes(lines, name), bytes * 1000, name);
  }
});

test('unsized formats of WebGL 1 have the size of their data type', async () => {
  const unsized: readonly (readonly [name: string, format: string, type: string, bytes: number])[] =
    [
      ['rgba', 'RGBA', 'UNSIGNED_BYTE', 4],
      ['rgb', 'RGB', 'UNSIGNED_BYTE', 4],
      ['rgba 4444', 'RGBA', 'UNSIGNED_SHORT_4_4_4_4', 2],
      ['rgba 5551', 'RGBA', 'UNSIGNED_SHORT_5_5_5_1', 2],
      ['rgb 565', 'RGB', 'UNSIGNED_SHORT_5_6_5', 2],
      ['luminance', 'LUMINANCE', 'UNSIGNED_BYTE', 1],
      ['luminance alpha', 'LUMINANCE_ALPHA', 'UNSIGNED_BYTE', 2],
      ['alpha', 'ALPHA', 'UNSIGNED_BYTE', 1],
      ['rgba float', 'RGBA', 'FLOAT', 16],
      ['rgb float', 'RGB', 'FLOAT', 16],
      ['depth', 'DEPTH_COMPONENT', 'UNSIGNED_SHORT', 2],
    ];
  await using game = await openPage(
    `${SETUP}
    const gl = canvas().getContext('webgl');
    gl.getExtension('OES_texture_float');
    gl.getExtension('WEBGL_depth_texture');
    globalThis.faults = [];
    for (const [name, format, type] of ${JSON.stringify(unsized)}) {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      svc.asset(texture, { name });
      gl.texImage2D(gl.TEXTURE_2D, 0, gl[format], 64, 64, 0, gl[format], gl[type], null);
      const error = gl.getError();
      if (error !== 0) faults.push(name + ': error ' + error);
    }
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual(await game.page.evaluate('faults'), []);
  const lines = await stopAndRead(game.page);
  for (const [name, , , bytes] of unsized) assert.equal(gpuBytes(lines, name), bytes * 4096, name);
});

test('mip levels, cubes, arrays, volumes, buffers, renderbuffers and deletions are added up', async () => {
  await using game = await openPage(
    `${SETUP}
    const gl = canvas().getContext('webgl2');
    const make = (name, target) => {
      const texture = gl.createTexture();
      gl.bindTexture(target, texture);
      svc.asset(texture, { name });
      return texture;
    };
    make('storage mips', gl.TEXTURE_2D);
    gl.texStorage2D(gl.TEXTURE_2D, 3, gl.RGBA8, 16, 8);
    make('generated mips', gl.TEXTURE_2D);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 16, 8, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.generateMipmap(gl.TEXTURE_2D);
    make('cube', gl.TEXTURE_CUBE_MAP);
    for (let face = 0; face < 6; face++) gl.texImage2D(gl.TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, gl.RGBA8, 8, 8, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.generateMipmap(gl.TEXTURE_CUBE_MAP);
    make('storage cube', gl.TEXTURE_CUBE_MAP);
    gl.texStorage2D(gl.TEXTURE_CUBE_MAP, 4, gl.RGBA8, 8, 8);
    make('array', gl.TEXTURE_2D_ARRAY);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 2, gl.RGBA8, 8, 8, 5);
    make('volume', gl.TEXTURE_3D);
    gl.texImage3D(gl.TEXTURE_3D, 0, gl.R8, 8, 8, 8, 0, gl.RED, gl.UNSIGNED_BYTE, null);
    gl.generateMipmap(gl.TEXTURE_3D);
    make('replaced', gl.TEXTURE_2D);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 512, 512, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 4, 4, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2, 2, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(16));
    const gone = make('deleted', gl.TEXTURE_2D);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.deleteTexture(gone);
    const buffer = (name, target, ...data) => {
      const made = gl.createBuffer();
      gl.bindBuffer(target, made);
      svc.asset(made, { name });
      gl.bufferData(target, ...data);
    };
    buffer('sized buffer', gl.ARRAY_BUFFER, 4000, gl.STATIC_DRAW);
    buffer('array buffer', gl.ARRAY_BUFFER, new Float32Array(100), gl.STATIC_DRAW);
    buffer('part of an array', gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(100), gl.STATIC_DRAW, 10, 20);
    buffer('rest of an array', gl.UNIFORM_BUFFER, new Float32Array(100), gl.STATIC_DRAW, 90);
    const target = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, target);
    svc.asset(target, { name: 'renderbuffer' });
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH24_STENCIL8, 100, 10);
    const smooth = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, smooth);
    svc.asset(smooth, { name: 'multisampled' });
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, 4, gl.RGBA8, 100, 10);
    globalThis.error = gl.getError();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.equal(await game.page.evaluate('error'), 0);
  const lines = await stopAndRead(game.page);
  const expected = {
    'storage mips': (16 * 8 + 8 * 4 + 4 * 2) * 4,
    'generated mips': (16 * 8 + 8 * 4 + 4 * 2 + 2 * 1 + 1) * 4,
    cube: (64 + 16 + 4 + 1) * 6 * 4,
    'storage cube': (64 + 16 + 4 + 1) * 6 * 4,
    array: (64 + 16) * 5 * 4,
    volume: 512 + 64 + 8 + 1,
    replaced: 64,
    deleted: 0,
    'sized buffer': 4000,
    'array buffer': 400,
    'part of an array': 40,
    'rest of an array': 40,
    renderbuffer: 4000,
    multisampled: 16_000,
  };
  const reported = Object.keys(expected).map((name) => [name, gpuBytes(lines, name) ?? 0]);
  assert.deepEqual(Object.fromEntries(reported), expected);
  const total = lines.findLast((line) => line.type === 'counter' && line.name === 'gpu_bytes');
  assert.equal(
    total?.type === 'counter' && total.value,
    Object.values(expected).reduce((sum, bytes) => sum + bytes),
  );
});

/** The size of 120 × 120 pixels in bytes. An unsupported format is an error of the device. */
const WEBGPU: Readonly<Record<string, number>> = {
  r8unorm: 14_400,
  r8snorm: 14_400,
  r16float: 28_800,
  rg8unorm: 28_800,
  r32float: 57_600,
  rg16float: 57_600,
  rgba8unorm: 57_600,
  'rgba8unorm-srgb': 57_600,
  'bgra8unorm-srgb': 57_600,
  rgb9e5ufloat: 57_600,
  rgb10a2unorm: 57_600,
  rg11b10ufloat: 57_600,
  rg32float: 115_200,
  rgba16float: 115_200,
  rgba32float: 230_400,
  stencil8: 14_400,
  depth16unorm: 28_800,
  depth24plus: 57_600,
  depth32float: 57_600,
  'depth32float-stencil8': 115_200,
  'bc1-rgba-unorm': 7_200,
  'bc2-rgba-unorm': 14_400,
  'bc3-rgba-unorm-srgb': 14_400,
  'bc4-r-unorm': 7_200,
  'bc5-rg-snorm': 14_400,
  'bc6h-rgb-ufloat': 14_400,
  'bc7-rgba-unorm': 14_400,
  'etc2-rgb8unorm': 7_200,
  'etc2-rgb8a1unorm': 7_200,
  'etc2-rgba8unorm': 14_400,
  'eac-r11unorm': 7_200,
  'eac-rg11snorm': 14_400,
  'astc-4x4-unorm': 14_400,
  'astc-5x5-unorm': 9_216,
  'astc-6x5-unorm': 7_680,
  'astc-8x8-unorm-srgb': 3_600,
  'astc-10x6-unorm': 3_840,
  'astc-12x12-unorm': 1_600,
};

test('textures and buffers of WebGPU have the size of their formats, mip levels, layers and samples', async () => {
  await using game = await openPage(
    `${SETUP}
    globalThis.faults = [];
    const adapter = await navigator.gpu.requestAdapter();
    const features = ['texture-compression-bc', 'texture-compression-etc2', 'texture-compression-astc', 'depth32float-stencil8'];
    const device = await adapter.requestDevice({ requiredFeatures: features });
    const usage = GPUTextureUsage.TEXTURE_BINDING;
    const make = async (name, shape) => {
      device.pushErrorScope('validation');
      device.createTexture({ label: name, size: [120, 120], usage, ...shape });
      const error = await device.popErrorScope();
      if (error !== null) faults.push(name + ': ' + error.message);
    };
    for (const format of ${JSON.stringify(Object.keys(WEBGPU))}) await make(format, { format });
    await make('mips', { format: 'rgba8unorm', size: [16, 8], mipLevelCount: 5 });
    await make('layers', { format: 'rgba8unorm', size: [8, 8, 6], mipLevelCount: 2 });
    await make('volume', { format: 'r8unorm', size: [8, 8, 8], dimension: '3d', mipLevelCount: 4 });
    await make('samples', { format: 'rgba8unorm', size: [10, 10], sampleCount: 4, usage: usage | GPUTextureUsage.RENDER_ATTACHMENT });
    device.createBuffer({ label: 'vertices', size: 4096, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
    const gone = device.createBuffer({ label: 'gone', size: 4096, usage: GPUBufferUsage.VERTEX });
    gone.destroy();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual(await game.page.evaluate('faults'), []);
  const lines = await stopAndRead(game.page);
  const expected = {
    ...WEBGPU,
    mips: (16 * 8 + 8 * 4 + 4 * 2 + 2 * 1 + 1) * 4,
    layers: (64 + 16) * 6 * 4,
    volume: 512 + 64 + 8 + 1,
    samples: 1600,
    vertices: 4096,
    gone: 0,
  };
  const reported = Object.keys(expected).map((name) => [name, gpuBytes(lines, name) ?? 0]);
  assert.deepEqual(Object.fromEntries(reported), expected);
});

test('passes and bundles of WebGPU are counted, and pipelines timed', async () => {
  await using game = await openPage(
    `${SETUP}
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const code = '@vertex fn v() -> @builtin(position) vec4f { return vec4f(0); } @fragment fn f() -> @location(0) vec4f { return vec4f(1); }';
    const module = device.createShaderModule({ label: 'Rock shader', code });
    const shape = (topology) => ({ label: 'Rock ' + topology, layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] }, primitive: { topology } });
    const list = await device.createRenderPipelineAsync(shape('triangle-list'));
    const strip = device.createRenderPipeline(shape('triangle-strip'));
    const lines = device.createRenderPipeline(shape('line-list'));
    const texture = device.createTexture({ size: [64, 64], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_DST });
    const recorder = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
    recorder.setPipeline(list);
    recorder.draw(9, 2);
    const bundle = recorder.finish();
    const indices = device.createBuffer({ size: 512, usage: GPUBufferUsage.INDEX | GPUBufferUsage.INDIRECT });
    let frames = 0;
    (function frame() {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(list); pass.draw(30);                                       // 10
      pass.setIndexBuffer(indices, 'uint16'); pass.drawIndexed(60, 3);             // 60
      pass.setPipeline(strip); pass.draw(12);                                      // 10
      pass.setPipeline(lines); pass.draw(12);                                      // 0
      pass.setPipeline(list); pass.drawIndirect(indices, 0);                       // unknown
      pass.executeBundles([bundle]);                                               // 1 draw, 6
      pass.end();
      device.queue.submit([encoder.finish()]);
      globalThis.ready = ++frames > 20;
      requestAnimationFrame(frame);
    })();`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const frames = lines.filter((line) => line.type === 'frames');
  const draws = frames.flatMap((line) => line.draws ?? []);
  const triangles = frames.flatMap((line) => line.triangles ?? []);
  assert.ok(draws.filter((count) => count === 6).length >= 15, String(draws));
  assert.ok(triangles.filter((count) => count === 86).length >= 15, String(triangles));
  for (const name of ['Rock shader', 'Rock triangle-list', 'Rock triangle-strip']) {
    assert.equal(ofAsset(lines, name)[0]?.phase, 'compile', name);
  }
});
