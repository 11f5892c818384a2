// WebGL contexts: several at once, one without a canvas in the page, a lost and restored one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { ofAsset, only, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const SETUP = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
svc.start();
const canvas = () => document.body.appendChild(document.createElement('canvas'));
const texture = (gl, name, size) => {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  svc.asset(made, { name });
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, size, size, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  return made;
};
const program = (gl) => {
  const made = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(2); }'], [gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1); }']]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  gl.useProgram(made);
};
const frames = (count, draw) => new Promise((done) => {
  (function frame() { draw(); if (--count > 0) requestAnimationFrame(frame); else done(); })();
});
`;

test('draws and memory of several contexts are added, for WebGL 1 and 2, in the page and offscreen', async () => {
  await using game = await openPage(
    `${SETUP}
    const contexts = [canvas().getContext('webgl2'), canvas().getContext('webgl'), new OffscreenCanvas(8, 8).getContext('webgl2')];
    contexts.forEach((gl, at) => { program(gl); texture(gl, 'picture ' + at, 16 << at); });
    await frames(40, () => contexts.forEach((gl, at) => { for (let draw = 0; draw <= at; draw++) gl.drawArrays(gl.TRIANGLES, 0, 3); }));
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const draws = only(lines, 'frames').flatMap((line) => line.draws ?? []);
  assert.ok(draws.filter((count) => count === 1 + 2 + 3).length >= 30, String(draws));
  for (const [at, bytes] of [1024, 4096, 16_384].entries()) {
    assert.equal(ofAsset(lines, `picture ${at}`).at(-1)?.gpu_bytes, bytes);
  }
  assert.deepEqual(game.heard, []);
});

test('a lost context has no memory, and resources after its restoration are counted again', async () => {
  await using game = await openPage(
    `${SETUP}
    const gl = canvas().getContext('webgl2');
    const event = (name) => new Promise((done) => gl.canvas.addEventListener(name, (event) => { event.preventDefault(); done(); }, { once: true }));
    program(gl);
    const before = texture(gl, 'before', 64);
    await frames(30, () => gl.drawArrays(gl.TRIANGLES, 0, 3));
    const loser = gl.getExtension('WEBGL_lose_context');
    const lost = event('webglcontextlost');
    loser.loseContext();
    await lost;
    await frames(20, () => gl.drawArrays(gl.TRIANGLES, 0, 3));
    gl.deleteTexture(before);
    svc.mark('lost');
    svc.exportText();
    const restored = event('webglcontextrestored');
    loser.restoreContext();
    await restored;
    program(gl);
    texture(gl, 'after', 32);
    frames(Infinity, () => gl.drawArrays(gl.TRIANGLES, 0, 3));
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  // The GPU is timed again: frames after the loss have GPU times.
  await game.page.waitForFunction(
    `svc.exportText().split('"name":"lost"')[1].includes('"gpu_ms"')`,
    undefined,
    { polling: 500, timeout: 90_000 },
  );
  const lines = await stopAndRead(game.page);
  assert.ok(only(lines, 'log').some(({ text }) => text === 'WebGL context lost'));
  assert.equal(ofAsset(lines, 'before').at(-1)?.gpu_bytes, 0);
  assert.equal(ofAsset(lines, 'after').at(-1)?.gpu_bytes, 32 * 32 * 4);
  const total = only(lines, 'counter').findLast(({ name }) => name === 'gpu_bytes');
  assert.equal(total?.value, 32 * 32 * 4);
  assert.deepEqual(
    only(lines, 'log').filter(({ text }) => text.includes('gpuTimer')),
    [],
  );
});

test('a destroyed WebGPU device has no memory', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    globalThis.svc = svc;
    svc.start();
    const fill = async (name) => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      device.createTexture({ size: [64, 64], format: 'rgba8unorm', usage: GPUTextureUsage.COPY_DST, label: name + ' texture' });
      device.createBuffer({ size: 4096, usage: GPUBufferUsage.VERTEX, label: name + ' buffer' });
      return device;
    };
    const first = await fill('first');
    first.destroy();
    await first.lost;
    await fill('second');
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const bytes = ['first texture', 'first buffer', 'second texture', 'second buffer'].map(
    (name) => ofAsset(lines, name).at(-1)?.gpu_bytes ?? 0,
  );
  assert.deepEqual(bytes, [0, 0, 16_384, 4096]);
  const total = only(lines, 'counter').findLast(({ name }) => name === 'gpu_bytes');
  assert.equal(total?.value, 16_384 + 4096);
  assert.deepEqual(game.heard, []);
});
