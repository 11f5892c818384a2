// Unusual games: sizes that are not integers, failing calls, browser APIs that are replaced during a recording. The trace
// stays valid and correct, and the game is not affected.
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

const START = `import * as svc from '@svc/collector'; globalThis.svc = svc; svc.start();`;
const GL = `
const gl = document.createElement('canvas').getContext('webgl2');
const texture = (name) => { const made = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, made); svc.asset(made, { name }); };
const buffer = (name) => { const made = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, made); svc.asset(made, { name }); };
const program = gl.createProgram();
for (const [type, source] of [[gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(0); }'], [gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1); }']]) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  gl.attachShader(program, shader);
}
gl.linkProgram(program);
gl.useProgram(program);
const frame = () => new Promise((done) => requestAnimationFrame(done));
`;

test('sizes and counts that are not integers are recorded as the browser converts them', async () => {
  await using game = await openPage(
    `${START} ${GL}
    buffer('buffer'); gl.bufferData(gl.ARRAY_BUFFER, 1000.9, gl.STATIC_DRAW);
    buffer('text'); gl.bufferData(gl.ARRAY_BUFFER, '2000', gl.STATIC_DRAW);
    texture('storage'); gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, 20.7, 10.2);
    texture('image'); gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, '30', 20.5, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    const multi = gl.getExtension('WEBGL_multi_draw');
    await frame();
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 5.5);
    multi.multiDrawArraysWEBGL(gl.TRIANGLES, [0, 0], 0, [3, 6], 0, 1.5);
    await frame(); await frame();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  for (const [name, bytes, dims] of [
    ['buffer', 1000],
    ['text', 2000],
    ['storage', 800, [20, 10]],
    ['image', 2400, [30, 20]],
  ] as const) {
    const last = ofAsset(lines, name).findLast(({ phase }) => phase === 'upload');
    assert.deepEqual([last?.gpu_bytes, last?.dims], [bytes, dims], name);
  }
  const frames = only(lines, 'frames');
  assert.deepEqual(
    frames.flatMap(({ draws }) => draws ?? []).filter((count) => count !== 0),
    [2],
  );
  assert.deepEqual(
    frames.flatMap(({ triangles }) => triangles ?? []).filter((count) => count !== 0),
    [4],
  );
  assert.deepEqual(game.heard, []);
});

test('failing calls record no sizes, and times out of bounds are ignored', async () => {
  await using game = await openPage(
    `${START} ${GL}
    texture('negative'); gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, -40, -40, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    texture('none'); gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, NaN, Infinity, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    svc.asset('endless', { phase: 'decode', durationMs: 1.7e308, mainThreadMs: 1e300, bytes: 7 });
    for (let time = 0; time < 40; time++) gl.drawArraysInstanced(gl.TRIANGLES, 0, 2147483647, -2147483647);
    await frame(); await frame();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  for (const name of ['negative', 'none']) {
    const last = ofAsset(lines, name).at(-1);
    assert.deepEqual([last?.dims, last?.gpu_bytes ?? 0], [undefined, 0], name);
  }
  const [endless] = ofAsset(lines, 'endless');
  assert.deepEqual(
    [endless?.duration_ms, endless?.main_thread_ms, endless?.bytes],
    [undefined, undefined, 7],
  );
});

test('the browser warns once about an error of the game, as without the collector', async () => {
  const wrong = `
    const [one, other] = [0, 1].map(() => document.createElement('canvas').getContext('webgl'));
    one.createBuffer();
    one.bufferData(0x8a11, 1000, one.STATIC_DRAW);
    one.texImage2D(0x806f, 0, one.RGBA, 8, 8, 0, one.RGBA, one.UNSIGNED_BYTE, null);
    const program = one.createProgram();
    other.linkProgram(program);
    one.deleteProgram(program);
    one.linkProgram(program);
    globalThis.ready = true;`;
  const warnings: string[][] = [];
  for (const start of ['', START]) {
    await using game = await openPage(`${start} ${wrong}`, { browser });
    await game.page.waitForFunction('globalThis.ready');
    warnings.push(game.heard.splice(0));
  }
  assert.equal(warnings[0]?.length, 4, String(warnings[0]));
  assert.deepEqual(warnings[1], warnings[0]);
});

/** Changes of browser APIs after the start. */
const CHANGES: Readonly<Record<string, string>> = {
  'frames are asked for in another way': `globalThis.requestAnimationFrame = () => { throw new Error('no frames'); };`,
  'idle moments are asked for in another way': `globalThis.requestIdleCallback = () => { throw new Error('no idle moments'); };`,
  'Reflect is changed': `Reflect.apply = () => { throw new Error('no'); };`,
  'classes are deleted': `for (const name of ['GPURenderPassEncoder', 'GPUTexture', 'WebGL2RenderingContext', 'WebGLProgram', 'Response', 'ImageBitmap', 'HTMLImageElement', 'AudioBuffer']) delete globalThis[name];`,
  'the page hides whether it is hidden': `
    Object.defineProperty(document, 'hidden', { get() { throw new Error('hidden'); } });
    document.dispatchEvent(new Event('visibilitychange'));`,
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`the game goes on and is recorded when ${what} while it records`, async () => {
    await using game = await openPage(
      `${START} ${GL}
      addEventListener('error', (event) => { globalThis.fault = event.message; });
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      ${change}
      texture('picture');
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 8, 8, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      const target = device.createTexture({ size: [8, 8], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] });
      const module = device.createShaderModule({ code: '@vertex fn v() -> @builtin(position) vec4f { return vec4f(0); } @fragment fn f() -> @location(0) vec4f { return vec4f(1); }' });
      pass.setPipeline(device.createRenderPipeline({ layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } }));
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      const image = new Image();
      image.src = '/rock.png';
      await image.decode();
      await createImageBitmap(await (await fetch('/rock.png')).blob());
      setInterval(() => gl.drawArrays(gl.TRIANGLES, 0, 3), 5);
      svc.mark('played');
      const drawn = () => svc.exportText().match(/"draws":[^\\]]*/g)?.join().match(/[1-9]\\d*/g)?.length ?? 0;
      // After the first write of the recording, and until some frames are recorded.
      setInterval(() => { globalThis.ready = drawn() > 5; }, 1_500);`,
      {
        browser,
        files: (path) =>
          path === '/rock.png' ? { type: 'image/png', body: makePng(16, 16) } : null,
      },
    );
    await game.page.waitForFunction(() => Reflect.get(globalThis, 'ready'), undefined, {
      polling: 100,
    });
    assert.equal(await game.page.evaluate('globalThis.fault'), undefined);
    const lines = await stopAndRead(game.page);
    assert.equal(only(lines, 'mark')[0]?.name, 'played');
    assert.equal(ofAsset(lines, 'picture').at(-1)?.gpu_bytes, 256);
    const draws = only(lines, 'frames').flatMap((line) => line.draws ?? []);
    assert.ok(draws.filter((count) => (count ?? 0) > 0).length > 5, String(draws));
    assert.deepEqual(game.heard, []);
  });
}

test('data that can’t be observed is reported as missing', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector'; globalThis.svc = svc;
    for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext', 'GPUDevice', 'GPUQueue', 'GPUTexture', 'GPUBuffer',
      'GPURenderPassEncoder', 'GPURenderBundleEncoder']) Object.freeze(globalThis[name].prototype);
    svc.start();`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.svc?.exportText().split("frames").length > 2');
  const absent = await game.page.evaluate<{ what: string }[]>('svc.status().absent');
  const lines = await stopAndRead(game.page);
  assert.ok(only(lines, 'frames').every(({ draws }) => draws === undefined));
  const named = absent.map(({ what }) => what);
  assert.ok(named.includes('webgl') && named.includes('webgpu'), String(named));
});

test('frames with another clock are converted to the time of the recording', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    globalThis.svc = svc;
    globalThis.requestAnimationFrame = (callback) => setTimeout(() => callback(Date.now()), 16);
    svc.start();`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.svc?.exportText().split("frames").length > 3');
  const lines = await stopAndRead(game.page);
  const end = only(lines, 'end')[0]?.t ?? 0;
  for (const { t, duration_ms } of only(lines, 'frames')) {
    const over = duration_ms.reduce((sum, ms) => sum + ms, t);
    assert.ok(over <= end + 1, `frames from ${t} to ${over} of a recording of ${end} ms`);
  }
});

test('two assets in one buffer are recorded as two, and uploads have a type', async () => {
  await using game = await openPage(
    `${START} ${GL}
    const pack = new ArrayBuffer(4096);
    const [tree, rock] = [new Uint8Array(pack, 0, 1024), new Uint8Array(pack, 1024, 256)];
    svc.asset(tree, { name: 'tree' });
    svc.asset(rock, { name: 'rock' });
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, tree, gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 8, 8, 0, gl.RGBA, gl.UNSIGNED_BYTE, rock);
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const last = (name: string) => ofAsset(lines, name).at(-1);
  assert.deepEqual([last('tree')?.kind, last('tree')?.gpu_bytes], ['mesh', 1024]);
  assert.deepEqual([last('rock')?.kind, last('rock')?.gpu_bytes], ['texture', 256]);
});
