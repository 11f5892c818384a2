// `svc record` in Chromium, on games with one known fault each. The games know nothing of svc.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { readVpt } from '@svc/trace';
import { finish, runSvc, startSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { until } from '../../scripts/until.ts';
import { only } from '../collector/trace-of.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { argumentsFor, CANVAS, DRAWING, firstFunction, LOOP, record } from './record-game.ts';
import { type Files, writeGame } from './write-game.ts';

const STALLING: Files = {
  'index.html': `${CANVAS}<script src="game.js"></script>`,
  'game.js': DRAWING,
};

test('the function that stalls a game is named first, and names are relative to the build', {
  skip: noBrowser,
}, async (t) => {
  const { recorded, trace, verdict, stderr } = await record(t, {
    ...STALLING,
    'index.html': `${CANVAS}<script src="game.js"></script><script src="gone.js"></script>`,
  });
  assert.match(firstFunction(recorded), /^spawnWave game\.js:3$/);
  assert.match(verdict, /^Main thread bound: .* caused by the function spawnWave game\.js:3\./);
  assert.match(verdict, /The game requested gone\.js, which does not exist\./);
  assert.ok((recorded.worst?.functions[0]?.self_ms ?? 0) > 500, JSON.stringify(recorded.worst));
  assert.equal(recorded.ended, 'stopped');
  assert.ok(recorded.frames > 0 && recorded.hitches > 0);
  assert.deepEqual([recorded.bound, recorded.worst?.bound], ['script', 'script']);
  assert.match(recorded.answer, /^Bound by script: \d+ % of the time over budget\.$/);
  assert.equal(recorded.symbols, null);
  assert.match(trace, /^\{"vpt":1,.*"gpu":\{"name":"[^"]+","software":(?:true|false)\}/);
  assert.match(trace, /^\{"vpt":1,.*"build":\{"digest":"sha256:[0-9a-f]{64}"\}/);
  assert.match(trace, /"name":"game\.js","kind":"script","phase":"load"/);
  assert.doesNotMatch(trace, /127\.0\.0\.1|play\//, 'the address of the preview has a secret');
  assert.match(trace, /\n\{"type":"end",.*"reason":"stopped"\}\n$/);
  assert.match(stderr, /The game requested gone\.js, which the build does not have\./);
});

test('functions of a minified build have the names and lines of the source', {
  skip: noBrowser,
}, async (t) => {
  const { recorded, trace, verdict, stderr } = await record(t, {
    'index.html': `${CANVAS}<script src="game.js"></script>`,
    'game.js': `${DRAWING.replaceAll('spawnWave', 'a')}//# sourceMappingURL=game.js.map\n`,
    'game.js.map': JSON.stringify({
      version: 3,
      sources: ['src/waves.js'],
      sourcesContent: ['// The waves.\n\n\n\nfunction spawnWave() {}\n'],
      names: [],
      // Line 3, column 9 is the name of the function: line 5, column 9 of the source.
      mappings: ';;AAIA,SAAS',
    }),
  });
  assert.match(firstFunction(recorded), /^spawnWave waves\.js:5$/);
  assert.match(verdict, /caused by the function spawnWave waves\.js:5/);
  assert.ok((recorded.symbols?.resolved ?? 0) >= 1, JSON.stringify(recorded.symbols));
  assert.match(trace, /src\/waves\.js:5/);
  assert.doesNotMatch(trace, /"a game\.js:3/);
  assert.match(trace, /\n\{"type":"end",.*"reason":"stopped"\}\n$/);
  assert.doesNotMatch(stderr, /Cannot use|do not have the names/);
});

test('a source map that cannot be used is reported, and the functions keep their names', {
  skip: noBrowser,
}, async (t) => {
  const { recorded, stderr } = await record(t, {
    ...STALLING,
    'game.js': `${DRAWING}//# sourceMappingURL=game.js.map\n`,
    'game.js.map': '{"version":3,',
  });
  assert.match(firstFunction(recorded), /^spawnWave game\.js:3$/);
  assert.equal(recorded.symbols, null);
  assert.match(stderr, /Cannot use game\.js\.map: /);
});

test('a shader that is slow in software is not blamed on the game', {
  skip: noBrowser,
}, async (t) => {
  const { recorded, trace, verdict } = await record(t, {
    'index.html': `${CANVAS}<script>
const gl = document.querySelector('canvas').getContext('webgl2');
const program = gl.createProgram();
for (const [type, source] of [
  [gl.VERTEX_SHADER, '#version 300 es\\nin vec2 a; void main() { gl_Position = vec4(a, 0, 1); }'],
  [gl.FRAGMENT_SHADER, '#version 300 es\\nprecision highp float; uniform float t; out vec4 o; void main() { float s = 0.; for (int i = 0; i < 1500; i++) s += sin(float(i) * t + gl_FragCoord.x); o = vec4(s); }'],
]) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  gl.attachShader(program, shader);
}
gl.linkProgram(program);
gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
gl.enableVertexAttribArray(0);
gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
requestAnimationFrame(function draw(now) {
  gl.uniform1f(gl.getUniformLocation(program, 't'), now);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  requestAnimationFrame(draw);
});
</script>`,
  });
  // A GPU may draw this in time.
  if (!trace.split('\n', 1)[0]?.includes('"software":true')) return;
  assert.ok(recorded.hitches > 0);
  assert.ok(recorded.bound === 'unknown' || recorded.bound === 'gpu', recorded.answer);
  assert.match(recorded.answer, /Graphics was rendered in software \(.*SwiftShader.*\)/);
  assert.match(recorded.worst?.causes[0]?.kind ?? '', /^(browser|waiting|gpu)$/);
  assert.match(verdict, /Graphics was rendered in software/);
});

test('a game in a frame is recorded', { skip: noBrowser }, async (t) => {
  const { recorded, verdict } = await record(t, {
    'index.html': '<!doctype html><iframe src="inner/index.html" width=700 height=500></iframe>',
    'inner/index.html': `${CANVAS}<script src="game.js"></script>`,
    'inner/game.js': DRAWING,
  });
  assert.match(firstFunction(recorded), /^spawnWave game\.js:3$/);
  assert.match(verdict, /caused by the function spawnWave game\.js:3/);
});

test('a game that a worker draws is recorded with the frames of the worker', {
  skip: noBrowser,
}, async (t) => {
  const { recorded } = await record(t, {
    'index.html': `${CANVAS}<script>
const canvas = document.querySelector('canvas').transferControlToOffscreen();
new Worker('worker.js').postMessage(canvas, [canvas]);
</script>`,
    'worker.js': `let g;
${LOOP}onmessage = ({ data }) => {
  g = data.getContext('2d');
  requestAnimationFrame(frame);
};
`,
  });
  assert.match(firstFunction(recorded), /^spawnWave worker\.js:3$/);
});

test('--no-stacks records frames without functions, and the page has the size that was asked for', {
  skip: noBrowser,
}, async (t) => {
  const files = {
    'index.html': `${CANVAS}<meta name="viewport" content="width=device-width"><script src="game.js"></script>`,
    'game.js': `${DRAWING}fetch('size-' + Math.min(innerWidth, screen.width) + 'x' + Math.min(innerHeight, screen.height) + '-' + devicePixelRatio + '-' + navigator.maxTouchPoints);\n`,
  };
  const { recorded, trace, stderr } = await record(t, files, '--no-stacks', '--size', '500x400');
  assert.ok(recorded.hitches > 0);
  assert.deepEqual(recorded.worst?.functions, []);
  assert.doesNotMatch(trace, /"type":"stacks"/);
  assert.match(stderr, /requested size-500x400-1-0,/);
  const phone = await record(t, files, '--no-stacks', '--mobile', '--cpu-slowdown', '2');
  assert.match(phone.stderr, /requested size-390x844-3-[1-9]\d*,/);
});

test('a game does not see the recorder: no global is added', {
  skip: noBrowser,
}, async (t) => {
  const { stderr } = await record(t, {
    'index.html': `${CANVAS}<iframe id="plain"></iframe><script>
const plain = new Set(Object.getOwnPropertyNames(document.querySelector('#plain').contentWindow));
const added = Object.getOwnPropertyNames(window).filter((name) => /^_[0-9a-f]+$|svc/i.test(name) || !plain.has(name) && !/^(plain|added|\\d+)$/.test(name));
fetch('added-' + added.join('-') + '.');
</script>`,
  });
  assert.match(stderr, /requested added-\.,/);
});

test('a crash of the tab or of the browser leaves a partial trace and an error', {
  skip: noBrowser,
}, async (t) => {
  for (const [code, isMeant] of [
    ['tab_crashed', (line: string) => line.includes('--type=renderer')],
    ['browser_crashed', (line: string) => !line.includes('--type=')],
  ] as const) {
    const folder = temporaryFolder(t);
    const trace = join(folder, 'game.vpt');
    const child = startSvc(t, argumentsFor(writeGame(t, STALLING), trace), {
      env: { TMPDIR: folder },
    });
    const ended = finish(child);
    const hasFrames = () => {
      const written = `${trace}.partial`;
      return existsSync(written) && readFileSync(written, 'utf8').includes('"frames"');
    };
    await until(hasFrames, Boolean, 'frames are in the trace');
    for (const pid of browserProcesses(child.pid ?? 0, isMeant)) process.kill(pid, 'SIGKILL');
    const { code: exit, stdout, stderr } = await ended;
    assert.equal(exit, 1, stderr);
    const document = JSON.parse(stdout);
    assert.equal(document.error.code, code);
    assert.equal(document.ended, 'crashed');
    assert.ok(document.frames > 0);
    assert.doesNotMatch(readFileSync(trace, 'utf8'), /"type":"end"/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => /^svc-browser|\.partial$/.test(name)),
      [],
      'no profile and no half file remain',
    );
  }
});

test('Ctrl-C ends a recording with 0, and a kill leaves no browser', {
  skip: noBrowser,
}, async (t) => {
  const folder = temporaryFolder(t);
  const trace = join(folder, 'game.vpt');
  const start = () => startSvc(t, argumentsFor(writeGame(t, STALLING), trace));
  const interrupted = start();
  const ended = finish(interrupted);
  await until(() => existsSync(`${trace}.partial`), Boolean, 'the trace has begun');
  interrupted.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).ended, 'stopped');

  const killed = start();
  await until(() => existsSync(`${trace}.partial`), Boolean, 'the trace has begun');
  const browsers = browserProcesses(killed.pid ?? 0, () => true);
  assert.notEqual(browsers.length, 0);
  killed.kill('SIGKILL');
  await until(
    () => browsers.some(isRunning),
    (running) => !running,
    'the browser has ended',
  );
});

test('a page that may sample its own functions has them once, from the browser', {
  skip: noBrowser,
}, async (t) => {
  const headers = { 'document-policy': 'js-profiling' };
  const server = createServer(({ url = '' }, response) => {
    const content = STALLING[url === '/' ? 'index.html' : url.slice(1)];
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': type, ...headers });
    response.end(content);
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const output = join(temporaryFolder(t), 'game.vpt');
  const args = argumentsFor(`http://127.0.0.1:${port}/`, output);
  const { code, stdout, stderr } = await runSvc(t, [...args, '--seconds', '6']);
  assert.equal(code, 0, stderr);
  assert.match(firstFunction(JSON.parse(stdout)), /^spawnWave game\.js:3$/);
  const { lines } = readVpt(readFileSync(output, 'utf8'));
  const stacks = only(lines, 'stacks');
  const roots = stacks.flatMap(({ parents, categories = [] }) =>
    categories.filter((_, node) => parents[node] === -1),
  );
  assert.ok(roots.includes('main'));
  assert.deepEqual(
    roots.filter((category) => category !== 'main' && category !== 'thread'),
    [],
  );
  // The collector of the recording does not even try.
  const reasons = only(lines, 'log').filter(({ text }) => text.includes('functions'));
  assert.deepEqual(reasons, []);
});

test('what cannot be recorded is explained, and leaves no file', { skip: noBrowser }, async (t) => {
  const browser = findBrowser() ?? '';
  for (const [args, exit, expected] of [
    [['http://127.0.0.1:9/', '--browser', browser], 10, /browsers do not open this port/],
    [['http://127.0.0.1:1234/', '--browser', '/nowhere/chrome'], 1, /no browser at "\/nowhere/],
    [['http://127.0.0.1:1234/', '--browser', process.execPath], 1, /does not start/],
    [['--seconds', '0'], 2, /seconds from 1 to 3600/],
    [['--size', '1280'], 2, /such as 1280x720/],
    [['nothing-here', '--browser', browser], 7, /does not exist/],
    [['-o', 'no/game.vpt', '--browser', browser], 1, /"no\/game\.vpt": its folder does not exist/],
    [['-o', '.', '--browser', browser], 1, /it is a folder/],
  ] as const) {
    const cwd = temporaryFolder(t);
    const { code, stderr } = await runSvc(t, ['record', '--headless', ...args], { cwd });
    assert.equal(code, exit, stderr);
    assert.match(stderr, expected);
    assert.deepEqual(readdirSync(cwd), []);
  }
});

/** The processes of the browser that this `svc` has started, by their profile. */
function browserProcesses(svc: number, isMeant: (commandLine: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const line = commandLineOf(pid);
      return line.includes(`svc-browser-${svc}-`) && isMeant(line);
    });
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  return commandLineOf(pid).includes('svc-browser-');
}
