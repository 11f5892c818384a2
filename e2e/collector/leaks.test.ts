// What a game never releases, from a recording in Chromium: textures that each load of a level forgets, with their sizes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Leaks, leakAnswer, leaksOf, modelOf } from '@svc/trace';
import type { Browser } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { only, readTrace } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Loads a level three times. `load` loads it and returns what unloads it. The pauses exceed a second, and all records until then are written. */
const GAME = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
const pause = async () => {
  await new Promise((done) => setTimeout(done, 1500));
  svc.exportText();
};
globalThis.loadThreeTimes = async (load) => {
  let unload = () => {};
  for (let level = 0; level < 3; level++) {
    const span = svc.span('load level', 'loading');
    unload();
    unload = load();
    span.end();
    await pause();
  }
  unload();
  await pause();
  globalThis.ready = true;
};
`;

const WEBGL = `${GAME}
svc.start();
const gl = document.createElement('canvas').getContext('webgl2');
const texture = (size) => {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, size, size, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  return made;
};
const objects = () => {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, 300_000, gl.STATIC_DRAW);
  const target = gl.createRenderbuffer();
  gl.bindRenderbuffer(gl.RENDERBUFFER, target);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, 200, 200);
  const level = texture(512);
  return () => {
    gl.deleteTexture(level);
    gl.deleteBuffer(buffer);
    gl.deleteRenderbuffer(target);
  };
};
`;

async function leaksOfGame(source: string): Promise<{ leaks: Leaks; text: string }> {
  await using game = await openPage(source, { browser });
  await game.page.waitForFunction('globalThis.ready');
  const text = await game.page.evaluate<string>('(svc.stop(), svc.exportText())');
  assert.deepEqual(game.heard, []);
  return { leaks: leaksOf(modelOf(text)), text };
}

test('a texture that each load forgets is named with its size', async () => {
  const { leaks, text } = await leaksOfGame(`${WEBGL}
    loadThreeTimes(() => { texture(256); return objects(); });`);
  const bytes = 256 * 256 * 4;
  assert.equal(
    leakAnswer(leaks),
    'Each “load level” leaves 256 KiB of GPU memory (2 comparisons, +256 KiB each). Most of it: texture 256×256 RGBA8 (256 KiB each).',
  );
  const [load] = leaks.repeats;
  assert.deepEqual(
    load?.assets.map(({ name, assets, total_bytes }) => [name, assets, total_bytes]),
    [['texture 256×256 RGBA8', 3, 2 * bytes]],
  );
  assert.deepEqual(
    leaks.alive?.assets.map(({ gpu_bytes }) => gpu_bytes),
    [bytes, bytes, bytes],
  );
  const releases = only(readTrace(text), 'release');
  assert.deepEqual(
    releases.map(({ gpu_bytes }) => gpu_bytes),
    Array.from({ length: 9 }, () => 0),
    'three objects of each of three levels',
  );
});

test('a game that releases everything leaves nothing', async () => {
  const { leaks } = await leaksOfGame(`${WEBGL}
    loadThreeTimes(objects);`);
  const [load] = leaks.repeats;
  assert.deepEqual([load?.leaks, load?.gpu?.low, load?.gpu?.high, load?.assets], [false, 0, 0, []]);
  assert.deepEqual([leaks.alive?.assets, leaks.releases], [[], 9]);
  assert.match(leakAnswer(leaks), /^“load level” leaves no GPU memory /);
});

test('the memory of a lost context and the end of the recording are not releases', async () => {
  const { leaks } = await leaksOfGame(`${WEBGL}
    texture(256);
    const other = document.createElement('canvas').getContext('webgl2');
    other.bindTexture(other.TEXTURE_2D, other.createTexture());
    other.texImage2D(other.TEXTURE_2D, 0, other.RGBA8, 300, 300, 0, other.RGBA, other.UNSIGNED_BYTE, null);
    await pause();
    const lost = new Promise((done) => other.canvas.addEventListener('webglcontextlost', done));
    other.getExtension('WEBGL_lose_context').loseContext();
    await lost;
    await pause();
    globalThis.ready = true;`);
  assert.equal(leaks.releases, 0);
  assert.deepEqual(
    leaks.alive?.assets.map(({ name }) => name),
    ['texture 256×256 RGBA8 1'],
  );
});

test('a WebGPU texture that is not destroyed is named, and destroyed ones are released', async () => {
  const { leaks } = await leaksOfGame(`${GAME}
    svc.start();
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const texture = (label, size) =>
      device.createTexture({ label, size: [size, size], format: 'rgba8unorm', usage: GPUTextureUsage.COPY_DST });
    loadThreeTimes(() => {
      const level = texture('level', 512);
      const buffer = device.createBuffer({ label: 'mesh', size: 4096, usage: GPUBufferUsage.VERTEX });
      texture('shadow', 256);
      return () => { level.destroy(); buffer.destroy(); };
    });`);
  const [load] = leaks.repeats;
  assert.equal(load?.gpu?.median, 256 * 256 * 4);
  assert.equal(load?.leaks, true);
  assert.deepEqual(
    load?.assets.map(({ name, kind }) => [name, kind]),
    [['shadow', 'texture']],
  );
  assert.deepEqual(
    leaks.alive?.assets.map(({ name, gpu_bytes }) => [name, gpu_bytes]),
    [['shadow', 3 * 256 * 256 * 4]],
  );
  assert.equal(leaks.releases, 6);
});
