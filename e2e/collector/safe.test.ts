// The collector never throws, prints or connects, and restores everything that it has replaced.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ROOT } from '../../scripts/workspaces.ts';
import { bundle, launch, openPage } from './page.ts';
import { makePng } from './png.ts';
import { ofAsset, only, readTrace, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch('--host-resolver-rules=MAP insecure.test 127.0.0.1');
});
after(() => browser.close());

const START = `import * as svc from '@svc/collector'; globalThis.svc = svc;`;
/** A game that draws, loads, decodes and uploads, and then sets `ready`, or `fault` after an error. */
const GAME = `
const errors = [];
addEventListener('error', (event) => errors.push(event.message));
try {
  const gl = document.createElement('canvas').getContext('webgl2');
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 8, 8, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(0); }'], [gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1); }']]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.deleteTexture(texture);
  if (globalThis.fetch) await (await fetch('/')).arrayBuffer();
  const sound = globalThis.OfflineAudioContext && new OfflineAudioContext(1, 100, 8000);
  if (sound) await sound.decodeAudioData(new ArrayBuffer(8)).catch(() => {});
  svc.mark('played');
} catch (error) { errors.push(String(error)); }
globalThis.fault = errors.join('; ');
globalThis.ready = true;`;

const HOSTILE: Readonly<Record<string, string>> = {
  'frozen prototypes': `
    for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext', 'Response', 'Blob', 'URL', 'HTMLImageElement',
      'BaseAudioContext', 'GPUDevice', 'GPUQueue', 'GPUTexture', 'GPUBuffer', 'GPURenderPassEncoder']) {
      if (globalThis[name]) { Object.freeze(globalThis[name].prototype); Object.freeze(globalThis[name]); }
    }`,
  'no observers, no idle callbacks': `delete globalThis.PerformanceObserver; delete globalThis.requestIdleCallback;`,
  'no frames': `delete globalThis.requestAnimationFrame; delete globalThis.cancelAnimationFrame;`,
  'no performance': `Object.defineProperty(globalThis, 'performance', { value: undefined, configurable: true });`,
  'no sound, no blobs, no bitmaps, no WebGPU': `
    for (const name of ['AudioContext', 'BaseAudioContext', 'createImageBitmap', 'GPUDevice', 'HTMLImageElement', 'Response']) delete globalThis[name];`,
  'observers that throw': `
    globalThis.PerformanceObserver = class { constructor() { throw new Error('no'); } static get supportedEntryTypes() { throw new Error('no'); } };`,
  'a clock that breaks later': `addEventListener('DOMContentLoaded', () => { performance.now = () => { throw new Error('broken'); }; });`,
  'a clock that goes backwards': `
    const clock = performance.now.bind(performance);
    let asked = 0;
    performance.now = () => clock() - (++asked % 7) * 300;`,
  'a page that took the console': `
    for (const name of Object.keys(console)) console[name] = () => { throw new Error('the console was used'); };`,
  'no room for performance entries': `performance.setResourceTimingBufferSize(0);`,
  'a clock that never worked': `performance.now = () => { throw new Error('broken'); };`,
  'timers that throw': `globalThis.setInterval = () => { throw new Error('no'); }; globalThis.queueMicrotask = () => { throw new Error('no'); };`,
};

for (const [what, script] of Object.entries(HOSTILE)) {
  test(`start() and stop() work with ${what}`, async () => {
    await using game = await openPage(`${START} svc.start(); ${GAME}`, {
      browser,
      before: async (page) => {
        await page.addInitScript(script);
      },
    });
    await game.page.waitForFunction(() => Reflect.get(globalThis, 'ready'), undefined, {
      polling: 50,
    });
    assert.equal(await game.page.evaluate('fault'), '');
    const lines = await stopAndRead(game.page);
    assert.deepEqual(
      only(lines, 'mark').map(({ name }) => name),
      ['played'],
    );
    assert.deepEqual(game.heard, []);
  });
}

test('replaced methods and getters look like the originals, and stop() restores the originals', async () => {
  await using game = await openPage(
    `${START}
    const owners = ['WebGLRenderingContext', 'WebGL2RenderingContext', 'Response', 'Blob', 'HTMLImageElement', 'BaseAudioContext',
      'GPUDevice', 'GPUQueue', 'GPUTexture', 'GPUBuffer', 'GPURenderPassEncoder', 'GPURenderBundleEncoder'].map((name) => globalThis[name].prototype).concat(URL, globalThis);
    const FIELDS = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'];
    const look = () => owners.map((owner) => new Map(Reflect.ownKeys(owner).map((key) => [key, Object.getOwnPropertyDescriptor(owner, key)])));
    const isSame = (one, other) => FIELDS.every((field) => Object.is(one?.[field], other?.[field]));
    const changed = (one, other) => one.flatMap((all, at) => [...new Set([...all.keys(), ...other[at].keys()])]
      .filter((key) => !isSame(all.get(key), other[at].get(key)))
      .map((key) => ({ name: String(key), before: all.get(key), after: other[at].get(key) })));
    const before = look();
    svc.start();
    const during = changed(before, look());
    svc.stop();
    const left = changed(before, look());
    globalThis.replaced = during.length;
    globalThis.getters = during.filter(({ before }) => before.get !== undefined).map(({ name }) => name);
    globalThis.unlike = during.filter(({ before, after }) => {
      const [one, other] = before.get === undefined ? [before.value, after.value] : [before.get, after.get];
      const alike = other.name === one.name && other.length === one.length && String(other) === String(one);
      const rest = FIELDS.filter((field) => field !== 'value' && field !== 'get');
      return !alike || rest.some((field) => before[field] !== after[field]);
    }).map(({ name }) => name);
    globalThis.left = left.map(({ name }) => name);
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.ok((await game.page.evaluate<number>('replaced')) > 60);
  assert.deepEqual(await game.page.evaluate('getters'), ['body']);
  assert.deepEqual(await game.page.evaluate('unlike'), []);
  assert.deepEqual(await game.page.evaluate('left'), []);
});

test('errors and rejections of the game reach the game unchanged', async () => {
  await using game = await openPage(
    `${START} svc.start();
    globalThis.seen = [];
    addEventListener('unhandledrejection', (event) => { event.preventDefault(); seen.push('unhandled ' + event.reason.name); });
    const gl = document.createElement('canvas').getContext('webgl2');
    for (const call of [() => gl.drawArrays(gl.TRIANGLES, 0), () => gl.texImage2D(1), () => WebGL2RenderingContext.prototype.drawArrays.call({}, 4, 0, 3), () => URL.createObjectURL(1)]) {
      try { call(); seen.push('no error'); } catch (error) { seen.push(error.name); }
    }
    createImageBitmap(new Blob(['no image']));
    try { await createImageBitmap(new Blob(['no image'])); } catch (error) { seen.push('caught ' + error.name); }
    setTimeout(() => { globalThis.ready = true; }, 50);`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const seen = await game.page.evaluate<string[]>('seen');
  assert.deepEqual(seen.slice(0, 4), ['TypeError', 'TypeError', 'TypeError', 'TypeError']);
  assert.deepEqual(seen.slice(4).sort(), [
    'caught InvalidStateError',
    'unhandled InvalidStateError',
  ]);
  assert.deepEqual(game.heard, []);
});

test('calls in any order and with any arguments are accepted', async () => {
  await using game = await openPage(
    `${START}
    globalThis.faults = [];
    const call = (what, work) => { try { work(); } catch (error) { faults.push(what + ': ' + error); } };
    const odd = [undefined, null, 0, NaN, 10n, '', 'x', Symbol('s'), {}, [], () => {}, new Proxy({}, { get() { throw new Error('trap'); } }), '\\ud800', 'x'.repeat(100000)];
    const all = (round) => {
      for (const one of odd) {
        call('mark', () => svc.mark(one));
        call('span', () => { const made = svc.span(one, one); made.end(); made.end(); });
        call('counter', () => svc.counter(one, one, one));
        call('counter', () => svc.counter('ok', one, one));
        for (const other of odd) call('asset', () => svc.asset(one, other));
        call('asset', () => svc.asset('key', { name: one, kind: one, phase: one, bytes: one, durationMs: one }));
      }
    };
    call('stop before', () => svc.stop());
    all('idle');
    globalThis.idle = [svc.exportText(), svc.export().size, svc.status().state];
    for (const one of odd) { call('start', () => svc.start(one)); call('stop', () => svc.stop()); }
    call('start', () => svc.start({ budgetBytes: NaN, whenFull: 'never', parts: null, spool: { append() { throw new Error('full'); } } }));
    call('start again', () => svc.start());
    all('recording');
    requestAnimationFrame(() => {
      call('stop in a frame', () => svc.stop());
      call('stop again', () => svc.stop());
      globalThis.first = svc.exportText();
      all('stopped');
      globalThis.unchanged = svc.exportText() === first;
      call('start in a frame', () => svc.start());
      globalThis.ready = true;
    });`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual(await game.page.evaluate('faults'), []);
  assert.deepEqual(await game.page.evaluate('idle'), ['', 0, 'idle']);
  assert.equal(await game.page.evaluate('unchanged'), true);
  readTrace(await game.page.evaluate<string>('first'));
  await stopAndRead(game.page);
  assert.deepEqual(game.heard, []);
});

test('no request is sent, and no connection is opened', async () => {
  const asked: string[] = [];
  await using game = await openPage(`${START} svc.start(); ${GAME}`, {
    browser,
    before: async (page) => {
      page.on('request', (request) => asked.push(request.url()));
      page.on('websocket', (socket) => asked.push(socket.url()));
    },
  });
  await game.page.waitForFunction('globalThis.ready');
  await game.page.waitForFunction('svc.status().records > 8');
  await stopAndRead(game.page);
  await game.page.evaluate('svc.export().text()');
  const origin = `${game.origin}/`;
  assert.deepEqual(
    asked.filter((url) => !url.startsWith('data:')),
    [origin, `${origin}main.js`, origin],
  );
});

test('a worker without a document records its own frames and uploads', async () => {
  const worker = await bundle(
    `${START}
    svc.start();
    const gl = new OffscreenCanvas(64, 64).getContext('webgl2');
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    svc.asset(texture, { name: 'made in a worker' });
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    const loading = fetch('/rock.png').then((response) => response.blob()).then(createImageBitmap);
    let loaded = false;
    loading.then((rock) => { gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, rock); loaded = true; });
    let frames = 0;
    (function frame() {
      gl.drawArrays(gl.POINTS, 0, 0);
      if (++frames < 20 || !loaded) requestAnimationFrame(frame);
      else { svc.download(); svc.stop(); postMessage(svc.exportText()); }
    })();`,
    'iife',
  );
  await using game = await openPage(
    `new Worker('/worker.js').onmessage = (event) => { globalThis.exported = event.data; globalThis.ready = true; };`,
    {
      browser,
      files: (path) => {
        if (path === '/rock.png') return { type: 'image/png', body: makePng(32, 16) };
        return path === '/worker.js' ? { type: 'text/javascript', body: worker } : null;
      },
    },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = readTrace(await game.page.evaluate<string>('exported'));
  assert.ok(only(lines, 'frames').flatMap((line) => line.duration_ms).length > 10);
  assert.equal(
    only(lines, 'asset').findLast(({ name }) => name === 'made in a worker')?.gpu_bytes,
    16_384,
  );
  const rock = ofAsset(lines, 'rock.png');
  assert.ok(rock.some(({ phase }) => phase === 'decode'));
  assert.equal(rock.findLast(({ phase }) => phase === 'upload')?.gpu_bytes, 32 * 16 * 4);
  assert.deepEqual(game.heard, []);
});

test('an iframe is recorded as a separate page', async () => {
  await using game = await openPage(`${START} svc.start(); ${GAME}`, {
    browser,
    html: '<!doctype html><link rel="icon" href="data:,"><iframe src="/frame.html" width="300" height="200"></iframe>',
    files: (path) =>
      path === '/frame.html'
        ? {
            type: 'text/html',
            body: '<!doctype html><script type="module" src="/main.js"></script>',
          }
        : null,
  });
  const frame = game.page.frames().find((one) => one.url().endsWith('frame.html'));
  assert.ok(frame);
  await frame.waitForFunction('globalThis.ready');
  await frame.waitForFunction('svc.status().records > 5');
  const lines = readTrace(await frame.evaluate<string>('(svc.stop(), svc.exportText())'));
  assert.deepEqual(
    only(lines, 'mark').map(({ name }) => name),
    ['played'],
  );
  assert.ok(only(lines, 'frames').length > 0);
});

test('under a strict content security policy it records, shows its overlay and exports', async () => {
  const policy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'";
  await using game = await openPage(
    `${START}
    import { addOverlay } from '@svc/collector/overlay';
    svc.start();
    addOverlay({ open: true });
    svc.download();
    ${GAME}`,
    {
      browser,
      html: `<!doctype html><meta http-equiv="content-security-policy" content="${policy}"><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>`,
    },
  );
  await game.page.waitForFunction(() => Reflect.get(globalThis, 'ready'), undefined, {
    polling: 50,
  });
  assert.equal(await game.page.evaluate('fault'), '');
  const overlay = game.page.getByRole('region', { name: 'Profiler' });
  await overlay.getByText('Recording').waitFor();
  assert.equal((await overlay.boundingBox())?.width, 320, 'its own style holds');
  await stopAndRead(game.page);
  assert.deepEqual(game.heard, []);
});

test('in a sandboxed frame without storage it records', async () => {
  const code = await bundle(
    `${START}
    import { addOverlay } from '@svc/collector/overlay';
    import { leftOver, makeSpool } from '@svc/collector/spool';
    addEventListener('unhandledrejection', (event) => { globalThis.rejected = String(event.reason); });
    svc.start({ spool: makeSpool() });
    addOverlay({ open: true });
    svc.download();
    svc.mark('in a sandbox');
    leftOver().then((found) => { globalThis.found = found.length; globalThis.ready = true; });`,
    'iife',
  );
  await using game = await openPage('', {
    browser,
    html: '<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts allow-downloads" src="/frame.html" width="400" height="300"></iframe>',
    files: (path) =>
      path === '/frame.html'
        ? { type: 'text/html', body: `<!doctype html><body><script>${code}</script>` }
        : null,
  });
  const frame = game.page.frames().find((one) => one.url().endsWith('frame.html'));
  assert.ok(frame);
  await frame.waitForFunction('globalThis.ready');
  assert.equal(await frame.evaluate('globalThis.origin'), 'null');
  assert.equal(await frame.evaluate('found'), 0);
  assert.equal(await frame.evaluate('globalThis.rejected'), undefined);
  const lines = readTrace(await frame.evaluate<string>('(svc.stop(), svc.exportText())'));
  assert.deepEqual(
    only(lines, 'mark').map(({ name }) => name),
    ['in a sandbox'],
  );
  assert.deepEqual(game.heard, []);
});

test('a page in an insecure context records the available data', async () => {
  await using game = await openPage(
    `${START} svc.start(); globalThis.secure = isSecureContext; ${GAME}`,
    {
      browser,
      isolated: false,
      host: 'insecure.test',
    },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.equal(await game.page.evaluate('secure'), false);
  assert.equal(await game.page.evaluate('fault'), '');
  const lines = await stopAndRead(game.page);
  assert.ok(only(lines, 'log').some(({ text }) => text.includes('webgpu')));
  assert.deepEqual(game.heard, []);
});

test('a server that renders the page can import and call it without effect', async () => {
  const code = await bundle(
    `${START} svc.start(); svc.mark('x'); svc.span('y').end(); svc.counter('z', 1); svc.asset('a', {}); svc.download(); svc.stop();
    process.stdout.write(JSON.stringify([svc.status(), svc.exportText(), svc.export().size]));`,
  );
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  assert.equal(run.stderr, '');
  assert.deepEqual(JSON.parse(run.stdout), [
    { state: 'idle', bytes: 0, records: 0, lost: 0, absent: [] },
    '',
    0,
  ]);
});
