// The names and kinds of assets that a game does not name itself: shaders, textures, and files of engines.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { makePng } from './png.ts';
import { only, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const VERTEX = `#version 300 es
uniform vec4 hlslcc_mtx4x4unity_ObjectToWorld[4];
uniform vec4 _MainTex_ST;
out vec2 uv;
void main() { uv = _MainTex_ST.xy; gl_Position = hlslcc_mtx4x4unity_ObjectToWorld[0]; }`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform mediump vec4 _Color;
uniform lowp sampler2D _MainTex;
in vec2 uv;
out vec4 color;
void main() { color = _Color * texture(_MainTex, uv); }`;

const GAME = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
svc.start();
const gl = document.getElementById('c').getContext('webgl2');
const link = (...sources) => {
  const program = gl.createProgram();
  sources.forEach((source, at) => {
    const shader = gl.createShader(at === 0 ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS);
};
const sources = ${JSON.stringify([VERTEX, FRAGMENT])};
globalThis.linked = [
  link(...sources),
  link(...sources),
  link(sources[0], sources[1].replace('#version 300 es', '#version 300 es\\n#define SHADER_NAME Rock')),
  link({ toString: () => 'not a shader' }, sources[1]),
  link(sources[0] + '//' + 'x'.repeat(200_000), sources[1]),
];
const bind = () => gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
bind();
gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, 512, 256);
const image = new Image();
image.src = '/art/rock.png';
await image.decode();
bind();
gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
const files = ['Build/game.data.unityweb', 'Build/game.framework.js.br', 'Build/game.wasm.gz', 'index.pck'];
for (const file of files) await (await fetch('/' + file)).arrayBuffer();
const isLoaded = (file) => performance.getEntriesByName(new URL('/' + file, location).href).length > 0;
while (!files.every(isLoaded)) await new Promise(requestAnimationFrame);
globalThis.ready = true;`;

const BODY = Buffer.alloc(1000, 'a');
const IMAGE = makePng(256, 128);

function files(path: string) {
  const type = 'application/octet-stream';
  if (path === '/art/rock.png') return { type: 'image/png', body: IMAGE };
  if (path.endsWith('.br')) {
    return { type, body: brotliCompressSync(BODY), headers: { 'content-encoding': 'br' } };
  }
  if (path.endsWith('.gz')) {
    return { type, body: gzipSync(BODY), headers: { 'content-encoding': 'gzip' } };
  }
  return path === '/index.pck' || path.endsWith('.unityweb') ? { type, body: BODY } : null;
}

/** Names and kinds of all assets of one run of the game, sorted. */
async function record(): Promise<{ names: string[]; linked: unknown; heard: string[] }> {
  await using game = await openPage(GAME, { browser, files });
  await game.page.waitForFunction('globalThis.ready');
  const linked = await game.page.evaluate('linked');
  const lines = await stopAndRead(game.page);
  // The last record of an asset has its name.
  const last = new Map(only(lines, 'asset').map((line) => [line.id, `${line.kind} ${line.name}`]));
  return { names: [...last.values()].sort(), linked, heard: game.heard };
}

test('shaders, textures and compressed files of a game have telling names and kinds, the same in each recording', async () => {
  const first = await record();
  assert.deepEqual(first.linked, [true, true, true, false, true]);
  assert.deepEqual(first.heard, []);
  const { names } = first;
  for (const name of [
    'data Build/game.data.unityweb',
    'data index.pck',
    'script Build/game.framework.js.br',
    'script Build/game.wasm.gz',
    'shader Rock',
    'texture art/rock.png',
    'texture texture 512×256 RGBA8 1',
  ]) {
    assert.ok(names.includes(name), `${name}: ${names.join(', ')}`);
  }
  const shaders = names.filter((name) => /^shader shader /.test(name));
  assert.equal(shaders.length, 3, `two programs with the same source share a name: ${names}`);
  for (const name of shaders) assert.match(name, /^shader shader _MainTex _Color [0-9a-f]{6}$/);
  assert.deepEqual((await record()).names, names);
});
