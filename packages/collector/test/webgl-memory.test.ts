// The bytes of WebGL textures, renderbuffers and buffers, after the calls of a game on a fake context.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { GpuObjects } from '../src/gpu/gpu-objects.ts';
import { webgl } from '../src/webgl/webgl.ts';
import {
  ARRAY_BUFFER,
  CUBE_FACE,
  type FakeGl,
  FLOAT,
  fakeContexts,
  R8,
  RENDERBUFFER,
  RGBA,
  RGBA8,
  TEXTURE_2D,
  TEXTURE_2D_ARRAY,
  TEXTURE_3D,
  TEXTURE_CUBE_MAP,
  UNSIGNED_BYTE,
} from './fake-gl.ts';
import { begin, recorded } from './recorded.ts';

/** The parameter that returns the object bound to a target. */
const BINDING: Readonly<Record<number, number>> = {
  [TEXTURE_2D]: 0x8069,
  [TEXTURE_3D]: 0x806a,
  [TEXTURE_2D_ARRAY]: 0x8c1d,
  [TEXTURE_CUBE_MAP]: 0x8514,
  [ARRAY_BUFFER]: 0x8894,
  34963: 0x8895, // ELEMENT_ARRAY_BUFFER
  35345: 0x8a28, // UNIFORM_BUFFER
  36662: 0x8f36, // COPY_READ_BUFFER
  36663: 0x8f37, // COPY_WRITE_BUFFER
  35051: 0x88ed, // PIXEL_PACK_BUFFER
  35052: 0x88ef, // PIXEL_UNPACK_BUFFER
  35982: 0x8c8f, // TRANSFORM_FEEDBACK_BUFFER
  [RENDERBUFFER]: 0x8ca7,
};

/** Calls on the object that is bound to a target, and its bytes afterwards. */
type Row = readonly [
  what: string,
  target: number,
  calls: readonly (readonly unknown[])[],
  bytes: number,
];

function setUp(t: TestContext) {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  const { Gl1, Gl2 } = fakeContexts(t);
  t.after(begin(webgl(new GpuObjects(assets), false), sink));
  /** An asset that is bound to a target of the context. */
  const bind = (gl: FakeGl, target: number, name: string) => {
    const object = { name };
    const asset = assets.ofName(name, 'other');
    assets.tie(object, asset);
    gl.parameters.set(BINDING[target], object);
    return { object, asset };
  };
  return { sink, lines, assets, Gl1, Gl2, bind };
}

function assertRows(t: TestContext, rows: readonly Row[]): void {
  const { assets, Gl2, bind } = setUp(t);
  const gl = new Gl2();
  for (const [what, target, calls, bytes] of rows) {
    const { asset } = bind(gl, target, what);
    const before = assets.gpuBytes;
    for (const [name, ...args] of calls) gl.call(String(name), target, ...args);
    assert.equal(asset.gpuBytes, bytes, what);
    assert.equal(assets.gpuBytes - before, bytes, what);
  }
}

/** The arguments of an image after its internal format. */
const PIXELS = [0, RGBA, UNSIGNED_BYTE, null];

test('the bytes of a texture include its images, levels and faces, by every call', (t) => {
  const image = (level: number, width: number, height: number) =>
    ['texImage2D', level, RGBA8, width, height, ...PIXELS] as const;
  const data = new Uint8Array(8);
  assertRows(t, [
    ['storage', TEXTURE_2D, [['texStorage2D', 3, RGBA8, 16, 8]], (128 + 32 + 8) * 4],
    ['one image', TEXTURE_2D, [image(0, 16, 8)], 128 * 4],
    ['levels by hand', TEXTURE_2D, [image(0, 8, 8), image(1, 4, 4)], (64 + 16) * 4],
    ['generated', TEXTURE_2D, [image(0, 16, 8), ['generateMipmap']], (128 + 32 + 8 + 2 + 1) * 4],
    [
      'generated twice',
      TEXTURE_2D,
      [image(0, 4, 4), ['generateMipmap'], ['generateMipmap']],
      (16 + 4 + 1) * 4,
    ],
    [
      'a level by hand over generated ones',
      TEXTURE_2D,
      [image(0, 8, 8), ['generateMipmap'], image(1, 4, 4), image(2, 2, 2)],
      85 * 4,
    ],
    [
      'generated over levels by hand',
      TEXTURE_2D,
      [image(0, 8, 8), image(1, 2, 2), ['generateMipmap']],
      85 * 4,
    ],
    [
      'generated of storage',
      TEXTURE_2D,
      [['texStorage2D', 2, RGBA8, 4, 4], ['generateMipmap']],
      80,
    ],
    ['replaced', TEXTURE_2D, [image(0, 512, 512), image(0, 4, 4)], 64],
    [
      'only written into',
      TEXTURE_2D,
      [image(0, 4, 4), ['texSubImage2D', 0, 0, 0, 2, 2, RGBA, UNSIGNED_BYTE, data]],
      64,
    ],
    ['of no size', TEXTURE_2D, [image(0, -4, -4)], 0],
    ['of an unknown format', TEXTURE_2D, [['texImage2D', 0, 0xdead, 4, 4, ...PIXELS]], 0],
    ['an invalid level', TEXTURE_2D, [image(0, 4, 4), image(32, 4, 4), image(-1, 4, 4)], 64],
    [
      'by the type of its data',
      TEXTURE_2D,
      [['texImage2D', 0, RGBA, 4, 4, 0, RGBA, FLOAT, null]],
      256,
    ],
    ['copied', TEXTURE_2D, [['copyTexImage2D', 0, RGBA, 5, 6, 16, 8, 0]], 512],
    ['compressed', TEXTURE_2D, [['compressedTexImage2D', 0, 0x83f0, 60, 60, 0, data]], 1_800],
    ['text as numbers', TEXTURE_2D, [['texStorage2D', 1, RGBA8, '20', 10.7]], 800],
    ['cube storage', TEXTURE_CUBE_MAP, [['texStorage2D', 4, RGBA8, 8, 8]], 85 * 6 * 4],
    ['array', TEXTURE_2D_ARRAY, [['texStorage3D', 2, RGBA8, 8, 8, 5]], (64 + 16) * 5 * 4],
    ['volume', TEXTURE_3D, [['texStorage3D', 4, R8, 8, 8, 8]], 512 + 64 + 8 + 1],
    [
      'generated volume',
      TEXTURE_3D,
      [['texImage3D', 0, R8, 8, 8, 8, 0, 0x1903, UNSIGNED_BYTE, null], ['generateMipmap']],
      512 + 64 + 8 + 1,
    ],
    [
      'long volume',
      TEXTURE_3D,
      [['texImage3D', 0, R8, 1, 1, 4, 0, 0x1903, UNSIGNED_BYTE, null], ['generateMipmap']],
      4 + 2 + 1,
    ],
    [
      'generated array',
      TEXTURE_2D_ARRAY,
      [['texImage3D', 0, R8, 8, 8, 32, 0, 0x1903, UNSIGNED_BYTE, null], ['generateMipmap']],
      85 * 32,
    ],
    [
      'volume by the type of its data',
      TEXTURE_3D,
      [['texImage3D', 0, RGBA, 2, 2, 2, 0, RGBA, FLOAT, null]],
      128,
    ],
    [
      'compressed layers',
      TEXTURE_2D_ARRAY,
      [['compressedTexImage3D', 0, 0x83f0, 60, 60, 2, 0, data]],
      3_600,
    ],
  ]);
});

test('each face of a cube counts separately, and every stored face gets mip levels', (t) => {
  const { Gl2, bind } = setUp(t);
  const gl = new Gl2();
  const { asset } = bind(gl, TEXTURE_CUBE_MAP, 'sky');
  for (let face = 0; face < 6; face++) {
    gl.call('texImage2D', CUBE_FACE + face, 0, RGBA8, 8, 8, ...PIXELS);
    assert.equal(asset.gpuBytes, (face + 1) * 256);
  }
  gl.call('texImage2D', CUBE_FACE + 5, 0, RGBA8, 8, 8, ...PIXELS);
  assert.equal(asset.gpuBytes, 6 * 256);
  gl.call('generateMipmap', TEXTURE_CUBE_MAP);
  assert.equal(asset.gpuBytes, 85 * 6 * 4);
  const { asset: half } = bind(gl, TEXTURE_CUBE_MAP, 'half');
  gl.call('texImage2D', CUBE_FACE, 0, RGBA8, 8, 8, ...PIXELS);
  gl.call('texImage2D', CUBE_FACE, 1, RGBA8, 4, 4, ...PIXELS);
  gl.call('texImage2D', CUBE_FACE + 1, 0, RGBA8, 8, 8, ...PIXELS);
  assert.equal(half.gpuBytes, 256 + 64 + 256);
  const { asset: other } = bind(gl, TEXTURE_CUBE_MAP, 'other');
  for (const stray of [CUBE_FACE - 1, CUBE_FACE + 6]) {
    gl.call('texImage2D', stray, 0, RGBA8, 8, 8, ...PIXELS);
  }
  assert.equal(other.gpuBytes, 0);
});

test('an image has the size of its source', (t) => {
  const { Gl2, bind } = setUp(t);
  const gl = new Gl2();
  const rows: readonly (readonly [source: unknown, dims: readonly number[] | null])[] = [
    [{ width: 4, height: 2 }, [4, 2]],
    [{ naturalWidth: 8, naturalHeight: 6, width: 4, height: 2 }, [8, 6]],
    [{ displayWidth: 8, displayHeight: 6, width: 4, height: 2 }, [8, 6]],
    [{ videoWidth: 8, videoHeight: 6, width: 4, height: 2 }, [8, 6]],
    [{ videoWidth: 0, videoHeight: 0, width: 4, height: 2 }, [4, 2]],
    [{ width: '4', height: 2 }, null],
    [null, null],
    ['text', null],
  ];
  for (const [at, [source, dims]] of rows.entries()) {
    const { asset } = bind(gl, TEXTURE_2D, `image ${at}`);
    gl.call('texImage2D', TEXTURE_2D, 0, RGBA, RGBA, 0x8033, source);
    const [width = 0, height = 0] = dims ?? [];
    assert.deepEqual([asset.gpuBytes, asset.dims], [width * height * 2, dims], String(at));
  }
});

test('a texture reports the format and size of its first level, and a renderbuffer its own', (t) => {
  const { Gl2, bind } = setUp(t);
  const gl = new Gl2();
  const { asset: texture } = bind(gl, TEXTURE_2D, 'texture');
  gl.call('texImage2D', TEXTURE_2D, 1, R8, 8, 8, ...PIXELS);
  assert.equal(texture.dims, null);
  gl.call('texImage2D', TEXTURE_2D, 0, RGBA8, 4, 2, ...PIXELS);
  assert.deepEqual([texture.format, texture.dims], ['rgba8', [4, 2]]);
  const { asset: volume } = bind(gl, TEXTURE_3D, 'volume');
  gl.call('texStorage3D', TEXTURE_3D, 1, R8, 8, 4, 2);
  assert.deepEqual([volume.format, volume.dims], ['r8', [8, 4, 2]]);
  const { asset: buffer } = bind(gl, RENDERBUFFER, 'renderbuffer');
  gl.call('renderbufferStorage', RENDERBUFFER, 0x88f0, 100, 10);
  assert.deepEqual([buffer.format, buffer.dims], ['depth24-stencil8', [100, 10]]);
});

test('the bytes of a renderbuffer are those of its pixels, times its samples', (t) => {
  assertRows(t, [
    ['depth', RENDERBUFFER, [['renderbufferStorage', 0x88f0, 100, 10]], 4_000],
    ['smooth', RENDERBUFFER, [['renderbufferStorageMultisample', 4, RGBA8, 100, 10]], 16_000],
    ['no samples', RENDERBUFFER, [['renderbufferStorageMultisample', 0, RGBA8, 100, 10]], 4_000],
    ['unknown', RENDERBUFFER, [['renderbufferStorage', 0xdead, 100, 10]], 0],
  ]);
});

test('the bytes of a buffer are the given size, or the given part of the data', (t) => {
  const floats = new Float32Array(100);
  const rows: Row[] = [
    ['a size', ARRAY_BUFFER, [['bufferData', 4_000, 0]], 4_000],
    ['a fraction', ARRAY_BUFFER, [['bufferData', 1_000.9, 0]], 1_000],
    ['a text', ARRAY_BUFFER, [['bufferData', '2000', 0]], 2_000],
    ['less than nothing', ARRAY_BUFFER, [['bufferData', -5, 0]], 0],
    ['nothing', ARRAY_BUFFER, [['bufferData', null, 0]], 0],
    ['what is no data', ARRAY_BUFFER, [['bufferData', {}, 0]], 0],
    ['an array', ARRAY_BUFFER, [['bufferData', floats, 0]], 400],
    ['a part', ARRAY_BUFFER, [['bufferData', floats, 0, 10, 20]], 80],
    ['the rest', ARRAY_BUFFER, [['bufferData', floats, 0, 90]], 40],
    ['an offset past the end', ARRAY_BUFFER, [['bufferData', floats, 0, 101]], 0],
    ['a buffer', ARRAY_BUFFER, [['bufferData', new ArrayBuffer(24), 0]], 24],
    ['bytes', ARRAY_BUFFER, [['bufferData', new DataView(new ArrayBuffer(24)), 0, 4]], 20],
    [
      'written into',
      ARRAY_BUFFER,
      [
        ['bufferData', 4_000, 0],
        ['bufferSubData', 0, floats],
      ],
      4_000,
    ],
    [
      'refilled',
      ARRAY_BUFFER,
      [
        ['bufferData', 4_000, 0],
        ['bufferData', 100, 0],
      ],
      100,
    ],
  ];
  assertRows(t, rows);
});

test('every target of WebGL 2 resolves to the object bound to it', (t) => {
  const { Gl2, bind } = setUp(t);
  const gl = new Gl2();
  for (const target of Object.keys(BINDING).map(Number)) {
    const { asset } = bind(gl, target, `bound to ${target}`);
    gl.call('bufferData', target, 16, 0);
    assert.equal(asset.gpuBytes, 16, String(target));
  }
});

test('no context is queried for targets that its version does not have', (t) => {
  const { Gl1, Gl2 } = setUp(t);
  const [one, two] = [new Gl1(), new Gl2()];
  for (const gl of [one, two]) {
    for (const target of [TEXTURE_3D, TEXTURE_2D_ARRAY, 35345, 36662, 0xdead]) {
      gl.call('bufferData', target, 16, 0);
      gl.call('texImage2D', target, 0, RGBA8, 4, 4, ...PIXELS);
    }
  }
  assert.deepEqual(one.asked, []);
  assert.deepEqual(two.asked, [0x806a, 0x806a, 0x8c1d, 0x8c1d, 0x8a28, 0x8a28, 0x8f36, 0x8f36]);
  for (const target of [TEXTURE_2D, CUBE_FACE + 1, ARRAY_BUFFER, 34963, RENDERBUFFER]) {
    one.call('bufferData', target, 16, 0);
  }
  assert.deepEqual(one.asked, [0x8069, 0x8514, 0x8894, 0x8895, 0x8ca7]);
});

test('a call on a target without a bound object is not counted', (t) => {
  const { assets, Gl2 } = setUp(t);
  const gl = new Gl2();
  gl.call('texImage2D', TEXTURE_2D, 0, RGBA8, 512, 512, ...PIXELS);
  gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, 512, 512);
  gl.call('generateMipmap', TEXTURE_2D);
  gl.call('bufferData', ARRAY_BUFFER, 100_000, 0);
  gl.call('bufferSubData', ARRAY_BUFFER, 0, new Uint8Array(4));
  gl.call('renderbufferStorage', RENDERBUFFER, RGBA8, 512, 512);
  assert.deepEqual([assets.gpuBytes, assets.all.length], [0, 0]);
});

test('deleted objects free their memory', (t) => {
  const { assets, Gl2, bind } = setUp(t);
  const gl = new Gl2();
  const texture = bind(gl, TEXTURE_2D, 'texture').object;
  gl.call('texImage2D', TEXTURE_2D, 0, RGBA8, 4, 4, ...PIXELS);
  const buffer = bind(gl, ARRAY_BUFFER, 'buffer').object;
  gl.call('bufferData', ARRAY_BUFFER, 100, 0);
  const target = bind(gl, RENDERBUFFER, 'renderbuffer').object;
  gl.call('renderbufferStorage', RENDERBUFFER, RGBA8, 4, 4);
  assert.equal(assets.gpuBytes, 64 + 100 + 64);
  gl.call('deleteTexture', texture);
  assert.equal(assets.gpuBytes, 100 + 64);
  gl.call('deleteBuffer', buffer);
  assert.equal(assets.gpuBytes, 64);
  gl.call('deleteRenderbuffer', target);
  assert.equal(assets.gpuBytes, 0);
});

test('a texture or buffer belongs to the asset of its data', (t) => {
  const { assets, Gl2 } = setUp(t);
  const gl = new Gl2();
  const feeds: readonly (readonly [
    name: string,
    target: number,
    args: (data: object) => unknown[],
  ])[] = [
    ['texImage2D', TEXTURE_2D, (data) => [0, RGBA, RGBA, UNSIGNED_BYTE, data]],
    ['texImage2D', TEXTURE_2D, (data) => [0, RGBA, 2, 2, 0, RGBA, UNSIGNED_BYTE, data]],
    ['texImage3D', TEXTURE_3D, (data) => [0, RGBA, 2, 2, 2, 0, RGBA, UNSIGNED_BYTE, data]],
    ['texSubImage2D', TEXTURE_2D, (data) => [0, 0, 0, RGBA, UNSIGNED_BYTE, data]],
    ['texSubImage2D', TEXTURE_2D, (data) => [0, 0, 0, 2, 2, RGBA, UNSIGNED_BYTE, data, 0]],
    ['texSubImage3D', TEXTURE_3D, (data) => [0, 0, 0, 0, 2, 2, 2, RGBA, UNSIGNED_BYTE, data]],
    ['compressedTexImage2D', TEXTURE_2D, (data) => [0, 0x83f0, 4, 4, 0, data]],
    ['compressedTexImage2D', TEXTURE_2D, (data) => [0, 0x83f0, 4, 4, 0, data, 0, 8]],
    ['compressedTexImage3D', TEXTURE_3D, (data) => [0, 0x83f0, 4, 4, 1, 0, data]],
    ['compressedTexImage3D', TEXTURE_3D, (data) => [0, 0x83f0, 4, 4, 1, 0, data, 0]],
    ['compressedTexSubImage2D', TEXTURE_2D, (data) => [0, 0, 0, 4, 4, 0x83f0, data]],
    ['compressedTexSubImage3D', TEXTURE_3D, (data) => [0, 0, 0, 0, 4, 4, 1, 0x83f0, data]],
    ['bufferData', ARRAY_BUFFER, (data) => [data, 0]],
    ['bufferSubData', ARRAY_BUFFER, (data) => [0, data]],
  ];
  for (const [at, [name, target, args]] of feeds.entries()) {
    const data = new Uint8Array(8);
    const asset = assets.ofName(`data ${at}`, 'other');
    assets.tie(data, asset);
    gl.parameters.set(BINDING[target], {});
    gl.costMs = 2;
    gl.call(name, target, ...args(data));
    assert.equal(asset.mainMs, 2, `${name}, ${at}`);
    assert.equal(asset.kind, name.startsWith('buffer') ? 'mesh' : 'texture');
  }
});
