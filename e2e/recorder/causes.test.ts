// `svc record` in Chromium names what caused the longest hitch first, on games with one known fault each.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/workspaces.ts';
import { makePng } from '../collector/png.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { CANVAS, DRAWING, firstFunction, type Recorded, record, recordAt } from './record-game.ts';
import { servePages } from './serve-pages.ts';
import type { Files } from './write-game.ts';

const SKIP = { skip: noBrowser };

/** A game that draws in each frame, and calls `fault` in the 40th frame after `isReady`, and each 100 frames. */
function gameOf(setup: string, isReady = 'true'): Files {
  return {
    'index.html': `${CANVAS}<script src="game.js"></script>`,
    'game.js': `const gl = document.querySelector('canvas').getContext('webgl2');
${setup}
let n = 0;
function frame() {
  if (${isReady}) n++;
  if (n % 100 === 40) fault();
  gl.clear(gl.COLOR_BUFFER_BIT);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
`,
  };
}

/** The first cause of the longest hitch. */
function firstCause({ worst }: Recorded): string {
  const [cause] = worst?.causes ?? [];
  assert.ok(cause !== undefined && worst !== null, 'a hitch has a cause');
  assert.ok(cause.ms * 4 > worst.duration_ms, JSON.stringify(worst));
  return cause.text;
}

test('a large texture that is uploaded while playing is named with its file', SKIP, async (t) => {
  const { recorded, verdict } = await record(t, {
    ...gameOf(
      `const image = new Image();
image.src = 'art/comet.png';
function fault() {
  for (let i = 0; i < 3; i++) {
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, image);
  }
}`,
      'image.complete',
    ),
    'art/comet.png': makePng(4096, 4096),
  });
  assert.match(firstCause(recorded), /^uploading art\/comet\.png \(4096×4096 rgba8\) took \d+ ms$/);
  assert.match(verdict, /caused by uploading art\/comet\.png/);
  assert.equal(recorded.worst?.causes[0]?.phase, 'upload');
  assert.match(recorded.worst?.functions[0]?.name ?? '', /^fault game\.js:4$/);
  assert.equal(recorded.worst?.bound, 'loading');
});

test('a shader that is compiled while playing is named', SKIP, async (t) => {
  const terms = Array.from(
    { length: 24_000 },
    (_, i) => `s += sin(s * ${i}.5) * cos(gl_FragCoord.x * ${i}.25);`,
  );
  const { recorded, verdict } = await record(
    t,
    gameOf(`const LAVA = ${JSON.stringify(terms.join('\n'))};
let version = 0;
function compile(type, source) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, '#version 300 es\\n' + source);
  gl.compileShader(shader);
  return shader;
}
function fault() {
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, 'in vec2 a; void main() { gl_Position = vec4(a, 0, 1); }'));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, '#define SHADER_NAME Lava\\nprecision highp float; out vec4 o; void main() { float s = ' + version++ + '.; ' + LAVA + ' o = vec4(s); }'));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
}`),
  );
  assert.match(firstCause(recorded), /^compiling the shader Lava took \d+ ms$/);
  assert.match(verdict, /caused by (?:compiling Lava|shader compiles)/);
});

test(
  'a storm of garbage collections is named, not the function that allocates',
  SKIP,
  async (t) => {
    const { recorded, verdict } = await record(
      t,
      gameOf(`let kept = null;
class Link {
  constructor(next) {
    this.next = next;
    this.at = { x: 1.5, y: 2.5 };
  }
}
function fill(links) {
  kept = null;
  for (let i = 0; i < links; i++) kept = new Link(kept);
}
// Compiled before the fault, which would otherwise be slow where compilation in the background is.
for (let i = 0; i < 200; i++) fill(2000);
function fault() {
  fill(3000000);
}`),
    );
    assert.match(firstCause(recorded), /^garbage collection took \d+ ms$/);
    assert.match(verdict, /caused by garbage collection/);
  },
);

test('the function that stalls a game in a frame of another site is named', SKIP, async (t) => {
  await using server = await servePages({
    '/game.html': `${CANVAS}<script src="game.js"></script>`,
    '/game.js': DRAWING,
    // The page of the site is busy too, in a process of its own, which does not delay the game.
    '/': `<!doctype html><iframe width=700 height=500></iframe><script>
function spin() { for (const from = performance.now(); performance.now() - from < 200; );  }
document.querySelector('iframe').src = 'http://127.0.0.1:' + location.port + '/game.html';
setInterval(spin, 1000);
</script>`,
  });
  const { recorded, trace, verdict } = await recordAt(t, `http://localhost:${server.port}/`);
  assert.match(firstFunction(recorded), /^spawnWave game\.js:3$/);
  assert.match(verdict, /caused by the function spawnWave game\.js:3/);
  assert.equal(recorded.worst?.bound, 'script');
  assert.ok((recorded.first_frame_ms ?? -1) >= 0);
  const stacks = trace.split('\n').filter((line) => line.startsWith('{"type":"stacks"'));
  assert.ok(stacks.length > 0);
  assert.deepEqual(
    stacks.filter((line) => line.includes('"spin ')),
    [],
    'the functions are those of the process of the game',
  );
});

test('the example game names its heaviest assets first', SKIP, async (t) => {
  const { recorded, trace } = await recordAt(t, join(ROOT, 'examples/moonhop/dist'));
  const causes = recorded.worst?.causes ?? [];
  // Which one takes longer depends on the other programs of the machine.
  const [first, second] = causes
    .filter(({ kind }) => kind === 'asset')
    .slice(0, 2)
    .map(({ text }) => text)
    .toSorted();
  assert.match(first ?? '', /^compiling the shader nebula took /);
  assert.match(second ?? '', /^uploading art\/nebula\.png \(4096×4096 \w+\) took \d+ ms$/);
  assert.ok((recorded.first_frame_ms ?? -1) >= 0);
  assert.deepEqual(recorded.warnings, []);
  assert.doesNotMatch(trace, /svc-recorder/);
});
