// The records of a page: frames, loads, decodes, uploads with their URL, and records of the game.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { makePng } from './png.ts';
import { ofAsset, only, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const ROCK = makePng(256, 128);
const files = (path: string) =>
  path.startsWith('/art/') ? { type: 'image/png', body: ROCK } : null;

const SETUP = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
svc.start();
globalThis.gl = document.getElementById('c').getContext('webgl2');
globalThis.texture = () => { const made = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, made); return made; };
globalThis.upload = (source) => gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, source);
`;

test('an image that is fetched as a blob is one asset for load, decode and upload', async () => {
  await using game = await openPage(
    `${SETUP}
    texture();
    const blob = await (await fetch('/art/rock.png?v=3#x')).blob();
    upload(await createImageBitmap(blob));
    gl.generateMipmap(gl.TEXTURE_2D);
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const records = ofAsset(await stopAndRead(game.page), 'art/rock.png');
  assert.deepEqual(
    new Set(records.map(({ phase }) => phase)),
    new Set(['load', 'decode', 'upload']),
  );
  assert.equal(new Set(records.map(({ id }) => id)).size, 1);
  const [load] = records.filter(({ phase }) => phase === 'load');
  assert.equal(load?.encoded_bytes, ROCK.length);
  assert.equal(load?.cached, false);
  const [decode] = records.filter(({ phase }) => phase === 'decode');
  assert.equal(decode?.bytes, 256 * 128 * 4);
  const uploads = records.filter(({ phase }) => phase === 'upload');
  let chain = 0;
  for (let level = 0; level <= 8; level++)
    chain += Math.max(1, 256 >> level) * Math.max(1, 128 >> level) * 4;
  assert.equal(uploads.at(-1)?.gpu_bytes, chain);
  assert.deepEqual(uploads.at(-1)?.dims, [256, 128]);
  assert.deepEqual(game.heard, []);
});

test('an image element and an object URL are assigned to the file, also after the URL is revoked', async () => {
  await using game = await openPage(
    `${SETUP}
    const image = new Image();
    image.src = '/art/element.png';
    await image.decode();
    texture(); upload(image);
    const url = URL.createObjectURL(await (await fetch('/art/object.png')).blob());
    const other = new Image();
    other.src = url;
    await other.decode();
    URL.revokeObjectURL(url);
    texture(); upload(other);
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  for (const name of ['art/element.png', 'art/object.png']) {
    const phases = ofAsset(lines, name).map(({ phase }) => phase);
    assert.deepEqual(new Set(phases), new Set(['load', 'decode', 'upload']), name);
    assert.equal(ofAsset(lines, name).at(-1)?.gpu_bytes, 256 * 128 * 4);
  }
});

test('an image that ImageDecoder decodes from a buffer or a stream is assigned to its file', async () => {
  await using game = await openPage(
    `${SETUP}
    const decode = async (data) => {
      const decoder = new ImageDecoder({ data, type: 'image/png' });
      const { image } = await decoder.decode();
      globalThis.same = decoder instanceof ImageDecoder && String(ImageDecoder).startsWith('function ImageDecoder()');
      texture(); upload(image);
      image.close();
    };
    await decode(await (await fetch('/art/buffer.png')).arrayBuffer());
    await decode((await fetch('/art/stream.png')).body);
    // A stream can be decoded before the browser reports its load.
    while (performance.getEntriesByName(new URL('/art/stream.png', location).href).length === 0) {
      await new Promise(requestAnimationFrame);
    }
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.equal(await game.page.evaluate('same'), true);
  const lines = await stopAndRead(game.page);
  for (const name of ['art/buffer.png', 'art/stream.png']) {
    const phases = ofAsset(lines, name).map(({ phase }) => phase);
    assert.deepEqual(new Set(phases), new Set(['load', 'decode', 'upload']), name);
    assert.equal(ofAsset(lines, name).at(-1)?.gpu_bytes, 256 * 128 * 4);
  }
  assert.deepEqual(game.heard, []);
});

test('frames have draws and triangles, and the game can add marks, spans and counters', async () => {
  await using game = await openPage(
    `${SETUP}
    const part = (type, source) => { const made = gl.createShader(type); gl.shaderSource(made, source); gl.compileShader(made); return made; };
    const program = gl.createProgram();
    gl.attachShader(program, part(gl.VERTEX_SHADER, '#version 300 es\\n#define SHADER_NAME Rock\\nvoid main() { gl_Position = vec4(0); }'));
    gl.attachShader(program, part(gl.FRAGMENT_SHADER, '#version 300 es\\nprecision lowp float; out vec4 c; void main() { c = vec4(1); }'));
    gl.linkProgram(program);
    gl.useProgram(program);
    const index = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(600), gl.STATIC_DRAW);
    const multi = gl.getExtension('WEBGL_multi_draw');
    let frames = 0;
    (function frame() {
      gl.drawArrays(gl.TRIANGLES, 0, 30);                             // 10 triangles
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 12);                        // 10
      gl.drawArrays(gl.TRIANGLE_FAN, 0, 12);                          // 10
      gl.drawArrays(gl.LINES, 0, 12);                                 // 0
      gl.drawElements(gl.TRIANGLES, 600, gl.UNSIGNED_SHORT, 0);       // 200
      gl.drawElementsInstanced(gl.TRIANGLES, 30, gl.UNSIGNED_SHORT, 0, 7);  // 70
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, 100);           // 200
      gl.drawRangeElements(gl.TRIANGLES, 0, 9, 30, gl.UNSIGNED_SHORT, 0);   // 10
      multi.multiDrawArraysWEBGL(gl.TRIANGLES, [0, 0, 0], 0, [3, 6, 9], 0, 3);  // 3 draws, 6
      multi.multiDrawElementsInstancedWEBGL(gl.TRIANGLES, [0, 30, 30], 1, gl.UNSIGNED_SHORT, [0, 0, 0], 0, [0, 10, 2], 1, 2); // 2 draws, 120
      globalThis.ready = ++frames > 130;
      requestAnimationFrame(frame);
    })();
    svc.mark('level 1');
    const loading = svc.span('load level', 'loader');
    loading.end();
    loading.end();
    svc.counter('enemies', 41);
    svc.counter('nonsense', Number.NaN);
    svc.asset('level-1', { kind: 'data', phase: 'decode', durationMs: 12.5, mainThreadMs: 3, bytes: 4000 });`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const frames = only(lines, 'frames');
  const draws = frames.flatMap((line) => line.draws ?? []);
  const triangles = frames.flatMap((line) => line.triangles ?? []);
  const gpu = frames.flatMap((line) => line.gpu_ms ?? []);
  assert.ok(draws.filter((count) => count === 13).length >= 25, String(draws));
  assert.ok(triangles.filter((count) => count === 636).length >= 25, String(triangles));
  const timed = gpu.filter((ms) => ms !== null && ms > 0).length;
  assert.ok(timed >= 1 && timed <= gpu.length / 8 + 1, `some frames in eight: ${gpu}`);
  assert.equal(frames.flatMap((line) => line.duration_ms).length, draws.length);
  assert.deepEqual(
    only(lines, 'mark').map(({ name }) => name),
    ['level 1'],
  );
  assert.deepEqual(
    only(lines, 'span').map(({ name, track }) => [name, track]),
    [['load level', 'loader']],
  );
  const counters = only(lines, 'counter');
  assert.deepEqual(
    counters.filter(({ name }) => name === 'enemies').map(({ value }) => value),
    [41],
  );
  assert.ok(counters.some(({ name, value }) => name === 'js_heap_bytes' && value > 0));
  const [level] = ofAsset(lines, 'level-1');
  assert.deepEqual(
    [level?.phase, level?.duration_ms, level?.main_thread_ms, level?.bytes],
    ['decode', 12.5, 3, 4000],
  );
  assert.equal(ofAsset(lines, 'Rock')[0]?.phase, 'compile');
});

test('a page that is not isolated reports what it could not record', async () => {
  await using game = await openPage(`${SETUP} globalThis.ready = true;`, {
    browser,
    isolated: false,
  });
  await game.page.waitForFunction('globalThis.ready');
  const texts = only(await stopAndRead(game.page), 'log').map(({ text }) => text);
  assert.ok(
    texts.some((text) => text.includes('memory') && text.includes('isolated')),
    texts.join('\n'),
  );
});
