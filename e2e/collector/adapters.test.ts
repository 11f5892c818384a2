// The adapters with the real packages of their engines: loads, decodes and uploads have the file's name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ROOT } from '../../scripts/workspaces.ts';
import { makeKtx2 } from './ktx2.ts';
import { launch, openPage } from './page.ts';
import { makePng } from './png.ts';
import { ofAsset, only, stopAndRead } from './trace-of.ts';
import { makeWav } from './wav.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const ROCK = makePng(256, 128);
const BASIS = join(ROOT, 'node_modules/three/examples/jsm/libs/basis');
const files = (url: string) => {
  const path = url.replace(/\?.*$/, '');
  if (path.endsWith('.png')) return { type: 'image/png', body: ROCK };
  if (path.endsWith('.glb')) return { type: 'model/gltf-binary', body: makeGlb() };
  if (path.endsWith('.wav')) return { type: 'audio/wav', body: makeWav() };
  if (path.endsWith('.ktx2')) return { type: 'image/ktx2', body: makeKtx2(256, 128) };
  if (path.startsWith('/basis/')) {
    const type = path.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
    return { type, body: readFileSync(join(BASIS, path.slice('/basis/'.length))) };
  }
  return null;
};
/** The size of 256 × 128 pixels with all mip levels, four bytes per pixel. */
const WITH_MIPS = Array.from(
  { length: 9 },
  (_level, at) => Math.max(1, 256 >> at) * Math.max(1, 128 >> at) * 4,
).reduce((sum, bytes) => sum + bytes);

/** A model with one triangle and an embedded texture, as exporters write it. */
function makeGlb(): Buffer {
  const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const corners = Buffer.from(new Float32Array([0, 0, 1, 0, 0, 1]).buffer);
  const picture = Buffer.concat([ROCK, Buffer.alloc((4 - (ROCK.length % 4)) % 4)]);
  const bin = Buffer.concat([positions, corners, picture]);
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    textures: [{ source: 0, name: 'Wall' }],
    images: [{ bufferView: 2, mimeType: 'image/png', name: 'Wall' }],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: 3,
        type: 'VEC3',
        min: [0, 0, 0],
        max: [1, 1, 0],
      },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 36 },
      { buffer: 0, byteOffset: 36, byteLength: 24 },
      { buffer: 0, byteOffset: 60, byteLength: ROCK.length },
    ],
    buffers: [{ byteLength: bin.length }],
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + 8 + padded.length + 8 + bin.length, 8);
  head.writeUInt32LE(padded.length, 12);
  head.write('JSON', 16, 'latin1');
  const next = Buffer.alloc(8);
  next.writeUInt32LE(bin.length, 0);
  next.write('BIN\0', 4, 'latin1');
  return Buffer.concat([head, padded, next, bin]);
}

test('three.js: textures, and meshes and textures inside a model', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    import { followThree } from '@svc/collector/three';
    import * as THREE from 'three';
    import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
    globalThis.svc = svc;
    svc.start();
    globalThis.unfollow = followThree(THREE.TextureLoader, THREE.FileLoader, GLTFLoader);
    const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById('c') });
    const scene = new THREE.Scene();
    const camera = new THREE.PerspectiveCamera();
    camera.position.z = 3;
    scene.add(new THREE.AmbientLight());
    const loader = new THREE.TextureLoader();
    loader.setPath('art/');
    const texture = await loader.loadAsync('rock.png');
    scene.add(new THREE.Mesh(new THREE.PlaneGeometry(), new THREE.MeshBasicMaterial({ map: texture })));
    const model = await new GLTFLoader().loadAsync('models/castle.glb?v=2');
    scene.add(model.scene);
    let frames = 0;
    renderer.setAnimationLoop(() => { renderer.render(scene, camera); globalThis.ready = ++frames > 10; });`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const rock = ofAsset(lines, 'art/rock.png').at(-1);
  assert.deepEqual([rock?.gpu_bytes, rock?.format, rock?.dims], [WITH_MIPS, 'rgba8', [256, 128]]);
  const castle = ofAsset(lines, 'models/castle.glb');
  assert.ok(castle.some(({ phase }) => phase === 'load'));
  assert.equal(castle.at(-1)?.kind, 'mesh');
  assert.ok((castle.findLast(({ gpu_bytes }) => gpu_bytes !== undefined)?.gpu_bytes ?? 0) >= 60);
  assert.equal(ofAsset(lines, 'castle.glb: Wall').at(-1)?.gpu_bytes, WITH_MIPS);
  assert.ok(
    only(lines, 'asset').some(({ kind, name }) => kind === 'shader' && name.startsWith('Mesh')),
  );
  assert.ok(
    only(lines, 'frames')
      .flatMap(({ draws }) => draws ?? [])
      .includes(2),
  );
  assert.deepEqual(
    game.heard.filter((text) => !text.startsWith('warning: [.WebGL')),
    [],
  );
});

test('three.js: a Basis texture in KTX2 counts as the blocks it was transcoded to', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    import { followThree } from '@svc/collector/three';
    import * as THREE from 'three';
    import { KTX2Loader } from 'three/examples/jsm/loaders/KTX2Loader.js';
    globalThis.svc = svc;
    svc.start();
    followThree(THREE.FileLoader, KTX2Loader);
    const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById('c') });
    const loader = new KTX2Loader().setTranscoderPath('/basis/').detectSupport(renderer);
    const texture = await loader.loadAsync('art/moss.ktx2');
    globalThis.mip = texture.mipmaps[0].data.byteLength;
    const scene = new THREE.Scene();
    scene.add(new THREE.Mesh(new THREE.PlaneGeometry(), new THREE.MeshBasicMaterial({ map: texture })));
    const camera = new THREE.PerspectiveCamera();
    camera.position.z = 3;
    let frames = 0;
    renderer.setAnimationLoop(() => { renderer.render(scene, camera); globalThis.ready = ++frames > 3; });`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const moss = ofAsset(await stopAndRead(game.page), 'art/moss.ktx2');
  assert.ok(moss.some(({ phase }) => phase === 'load'));
  const upload = moss.findLast(({ gpu_bytes }) => gpu_bytes !== undefined);
  // 64 × 32 blocks of 4 × 4 pixels with 16 bytes each, the size in ASTC, BC7 and ETC2.
  assert.equal(upload?.gpu_bytes, 64 * 32 * 16);
  assert.equal(await game.page.evaluate('mip'), upload?.gpu_bytes);
  assert.match(upload?.format ?? '', /^(astc-4x4|bc7|etc2-)/);
  assert.deepEqual(upload?.dims, [256, 128]);
});

test('Phaser: images and sounds of its own loader', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    import { followPhaser } from '@svc/collector/phaser';
    import * as Phaser from 'phaser';
    globalThis.svc = svc;
    svc.start();
    const undo = followPhaser(Phaser);
    new Phaser.Game({
      type: Phaser.WEBGL, width: 320, height: 200, banner: false,
      scene: {
        preload() { this.load.image('rock', 'art/rock.png'); this.load.audio('bell', 'sounds/bell.wav'); },
        create() { this.add.image(160, 100, 'rock'); },
        update() { globalThis.ready = ++this.count > 10; },
        init() { this.count = 0; },
      },
    });`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const rock = ofAsset(lines, 'art/rock.png');
  assert.ok(rock.some(({ phase }) => phase === 'load'));
  assert.equal(rock.findLast(({ gpu_bytes }) => gpu_bytes !== undefined)?.gpu_bytes, 256 * 128 * 4);
  assert.deepEqual(rock.findLast(({ dims }) => dims !== undefined)?.dims, [256, 128]);
  const bell = ofAsset(lines, 'sounds/bell.wav');
  assert.deepEqual(new Set(bell.map(({ phase }) => phase)), new Set(['load', 'named', 'decode']));
  assert.ok(
    only(lines, 'frames')
      .flatMap(({ draws }) => draws ?? [])
      .some((count) => count !== null && count > 0),
  );
});

test('PixiJS: textures loaded in its worker', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
      import { followPixi } from '@svc/collector/pixi';
      import { Application, Assets, Loader, Sprite } from 'pixi.js';
      globalThis.svc = svc;
      svc.start();
      followPixi({ Loader });
      const app = new Application();
      await app.init({ width: 320, height: 200, preference: 'webgl' });
      const rock = await Assets.load('art/rock.png');
      const [moss] = Object.values(await Assets.load(['art/moss.png']));
      app.stage.addChild(new Sprite(rock), new Sprite(moss));
      let frames = 0;
      app.ticker.add(() => { globalThis.ready = ++frames > 10; });`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  for (const name of ['art/rock.png', 'art/moss.png']) {
    const uploads = ofAsset(lines, name).filter(({ gpu_bytes }) => gpu_bytes !== undefined);
    assert.equal(uploads.at(-1)?.gpu_bytes, 256 * 128 * 4, name);
  }
  assert.ok(
    only(lines, 'frames')
      .flatMap(({ draws }) => draws ?? [])
      .some((count) => count !== null && count > 0),
  );
});
