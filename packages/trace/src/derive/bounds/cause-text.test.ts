// The words for each kind of cause, and for work on assets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeText } from './cause-text.ts';
import type { CauseKind, HitchCause } from './hitch-causes.ts';

type Asset = NonNullable<HitchCause['asset']>;

test('each kind of cause has its words', () => {
  const words = (kind: CauseKind, name: string | null): string =>
    causeText({ kind, name, asset: null, ms: 12.4 });
  assert.equal(words('asset', 'a.png'), 'a.png took 12 ms');
  assert.equal(words('html', null), 'parsing HTML took 12 ms');
  assert.equal(words('gc', null), 'garbage collection took 12 ms');
  assert.equal(words('rendering', null), 'style, layout and paint took 12 ms');
  assert.equal(words('function', 'spawn'), 'spawn ran for 12 ms');
  assert.equal(words('script', 'game.js'), 'scripts, mostly game.js, ran for 12 ms');
  assert.equal(words('script', null), 'scripts ran for 12 ms');
  assert.equal(words('asset', ''), '(no name) took 12 ms');
  assert.equal(words('function', ''), '(no name) ran for 12 ms');
  assert.equal(words('script', ''), 'scripts, mostly (no name), ran for 12 ms');
  assert.equal(words('span', 'LoadPackage'), 'LoadPackage took 12 ms');
  assert.equal(words('browser', null), "the browser's own work, in no function, took 12 ms");
  assert.equal(words('gpu', null), 'the GPU worked for 12 ms');
  assert.equal(words('waiting', null), 'the main thread was idle for 12 ms');
  assert.equal(words('unknown', null), 'work that the trace does not show took 12 ms');
});

const work = (asset: Asset, name = 'a'): string =>
  causeText({ kind: 'asset', name, asset, ms: 9.96 });

test('work on an asset is named by its phase', () => {
  const phase = (one: Asset['phase'], kind: Asset['kind'] = 'texture'): string =>
    work({ kind, phase: one });
  assert.equal(phase('load'), 'loading a took 10 ms');
  assert.equal(phase('decode'), 'decoding a took 10 ms');
  assert.equal(phase('upload'), 'uploading a took 10 ms');
  assert.equal(phase('compile'), 'compiling a took 10 ms');
  assert.equal(phase('read'), 'reading a took 10 ms');
  assert.equal(phase('named'), 'using a took 10 ms');
  assert.equal(phase('compile', 'script'), 'compiling and running a took 10 ms');
  assert.equal(phase('load', 'script'), 'loading a took 10 ms');
});

test('the size of an asset has its width, its height and its format, as far as they are known', () => {
  const size = (more: Pick<Asset, 'dims' | 'format'>): string =>
    work({ kind: 'texture', phase: 'upload', ...more });
  assert.equal(size({ dims: [64, 32, 6] }), 'uploading a (64×32) took 10 ms');
  assert.equal(size({ dims: [64] }), 'uploading a (64) took 10 ms');
  assert.equal(size({ format: 'RGBA8' }), 'uploading a (RGBA8) took 10 ms');
  assert.equal(size({ dims: [64, 32], format: 'RGBA8' }), 'uploading a (64×32 RGBA8) took 10 ms');
});

test('a shader is called so once', () => {
  const shader = (name: string): string => work({ kind: 'shader', phase: 'compile' }, name);
  assert.equal(shader('Lava'), 'compiling the shader Lava took 10 ms');
  assert.equal(shader('shader _MainTex 3f2a91'), 'compiling shader _MainTex 3f2a91 took 10 ms');
  assert.equal(shader('pipeline sky'), 'compiling pipeline sky took 10 ms');
  assert.equal(shader('program 7'), 'compiling program 7 took 10 ms');
  assert.equal(shader('shaders.wgsl'), 'compiling the shader shaders.wgsl took 10 ms');
  assert.equal(shader('my shader'), 'compiling the shader my shader took 10 ms');
  assert.equal(work({ kind: 'texture', phase: 'load' }, 'Lava'), 'loading Lava took 10 ms');
});
