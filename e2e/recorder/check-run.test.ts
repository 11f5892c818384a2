// `svc check --run` in Chromium, on games with one known fault each.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Check } from 'typebox/value';
import { DOCUMENTS, type Documents } from '../../packages/cli/src/documents.ts';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { type Files, writeGame } from './write-game.ts';

type Checked = Documents['check'] & { readonly error?: { code: string; details?: object[] } };

const CANVAS = '<!doctype html><title>Game</title><canvas width=640 height=400></canvas>';
/** Draws on the canvas `c` in each frame. */
const DRAWING = `const g = c.getContext('2d');
function frame(t) {
  g.fillRect(t % 600, 0, 9, 9);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
`;
const PAGE = `${CANVAS}<script>const c = document.querySelector('canvas');\n${DRAWING}</script>`;

async function check(
  t: TestContext,
  files: Files,
  ...more: string[]
): Promise<{ code: number | null; checked: Checked; stderr: string; left: string[] }> {
  const temporary = temporaryFolder(t);
  const args = ['check', writeGame(t, files), '--run', '--browser', findBrowser() ?? '', '--json'];
  const { code, stdout, stderr } = await runSvc(t, [...args, '--seconds', '1', ...more], {
    env: { TMPDIR: temporary },
  });
  const checked: unknown = JSON.parse(stdout);
  assert.ok(Check(DOCUMENTS.check, checked), stdout);
  return {
    code,
    checked,
    stderr,
    left: readdirSync(temporary).filter((name) => name.startsWith('svc-')),
  };
}

/** The rules and places of what keeps the game from starting. */
function faultsOf({ run }: Checked): unknown[] {
  return (run?.start.faults ?? []).map(({ rule, path }) => [rule, path]);
}

test('a game that starts passes, and its trace can be kept', { skip: noBrowser }, async (t) => {
  const trace = join(temporaryFolder(t), 'kept.vpt');
  const { code, checked, left } = await check(t, { 'index.html': PAGE }, '-o', trace);
  assert.equal(code, 0, JSON.stringify(checked.run));
  const { start } = checked.run ?? {};
  assert.deepEqual([start?.faults, start?.warnings], [[], []]);
  assert.ok((start?.first_frame_ms ?? -1) >= 0 && (start?.frames ?? 0) > 0);
  assert.match(readFileSync(trace, 'utf8'), /"type":"frames"/);
  assert.deepEqual(left, [], 'nothing is left in the folder for temporary files');
});

const FAULTS: readonly [name: string, files: Files, expected: unknown[]][] = [
  [
    'requests a missing file',
    { 'index.html': PAGE.replace('const g', 'fetch("level 1.json"); const g') },
    ['missing_file', 'level 1.json'],
  ],
  [
    'requests a missing file in a worker',
    {
      'index.html': `${CANVAS}<script>new Worker('w.js')</script>`,
      'w.js': 'importScripts("gone.js");',
    },
    ['missing_file', 'gone.js'],
  ],
  [
    'does not catch an error before its first frame',
    { 'index.html': `${CANVAS}<script src="game.js"></script>`, 'game.js': '\n  start();\n' },
    ['uncaught_error', 'game.js:2:3'],
  ],
  [
    'does not catch an error in a worker',
    {
      'index.html': `${CANVAS}<script>new Worker('w.js')</script>`,
      'w.js': 'throw new Error("no level");',
    },
    ['uncaught_error', 'w.js:1:7'],
  ],
  [
    'prints that isolation is missing',
    { 'index.html': PAGE.replace('const g', 'console.error("Cross Origin Isolation"); const g') },
    ['isolation', null],
  ],
  [
    'loads a script without encryption',
    { 'index.html': `<script src="http://cdn.invalid/lib.js"></script>${PAGE}` },
    ['plain_http', 'http://cdn.invalid/lib.js'],
  ],
  ['draws nothing', { 'index.html': CANVAS }, ['no_frame', null]],
];

for (const [name, files, expected] of FAULTS) {
  test(`a game that ${name} does not start: exit code 9`, { skip: noBrowser }, async (t) => {
    const { code, checked, left } = await check(t, files);
    assert.equal(code, 9, JSON.stringify(checked.run));
    assert.deepEqual(faultsOf(checked)[0], expected);
    assert.equal(checked.error?.code, 'game_does_not_start');
    assert.equal(checked.error?.details?.length, faultsOf(checked).length);
    assert.deepEqual(left, []);
  });
}

const STARTING: readonly [name: string, files: Files][] = [
  [
    'a game that a worker draws',
    {
      'index.html': `${CANVAS}<script>
const canvas = document.querySelector('canvas').transferControlToOffscreen();
new Worker('w.js').postMessage(canvas, [canvas]);
</script>`,
      'w.js': `onmessage = ({ data: c }) => {\n${DRAWING}};`,
    },
  ],
  [
    'a game in a frame',
    { 'index.html': '<iframe src="inner.html" width=700 height=500></iframe>', 'inner.html': PAGE },
  ],
  ['a game of text', { 'index.html': '<!doctype html><h1>You are in a cave.</h1>' }],
  [
    'a game with WebGL',
    {
      'index.html': `${CANVAS}<script>
const gl = document.querySelector('canvas').getContext('webgl');
const frame = () => { gl.clear(gl.COLOR_BUFFER_BIT); requestAnimationFrame(frame); };
requestAnimationFrame(frame);
</script>`,
    },
  ],
];

for (const [name, files] of STARTING) {
  test(`${name} starts`, { skip: noBrowser }, async (t) => {
    const { code, checked } = await check(t, files);
    assert.equal(code, 0, JSON.stringify(checked.run));
    assert.ok((checked.run?.start.first_frame_ms ?? -1) >= 0);
  });
}

test('an error after the first frame, and one that browsers cause, are warnings', {
  skip: noBrowser,
}, async (t) => {
  const { code, checked } = await check(t, {
    'index.html': PAGE.replace(
      'const g',
      'setTimeout(() => later(), 500); Promise.reject(new DOMException("play", "NotAllowedError")); const g',
    ),
  });
  assert.equal(code, 0, JSON.stringify(checked.run));
  const messages = checked.run?.start.warnings.map(({ message }) => message) ?? [];
  assert.ok(
    messages.some((message) => /NotAllowedError/.test(message)),
    messages.join('; '),
  );
  assert.ok(messages.includes('Uncaught ReferenceError: later is not defined'));
});

test('--input plays a script, so that budgets hold beyond the first screen', {
  skip: noBrowser,
}, async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(
    join(cwd, 'svc.json'),
    JSON.stringify({ title: 'Game', budgets: { draw_calls: 3 } }),
  );
  writeFileSync(join(cwd, 'play.input'), '0.5 key press Enter\n3 end\n');
  const game = writeGame(t, {
    'index.html': `${CANVAS}<script>
const gl = document.querySelector('canvas').getContext('webgl');
let count = 1;
const frame = () => { for (let i = 0; i < count; i++) gl.drawArrays(gl.POINTS, 0, 1); requestAnimationFrame(frame); };
requestAnimationFrame(frame);
addEventListener('keydown', ({ code }) => { if (code === 'Enter') count = 5; });
</script>`,
  });
  const run = async (...args: string[]) => {
    const browser = ['--browser', findBrowser() ?? '', '--json'];
    const { code, stdout } = await runSvc(t, ['check', game, ...args, ...browser], { cwd });
    return { code, checked: JSON.parse(stdout) as Checked };
  };
  const idle = await run('--run', '--seconds', '1');
  assert.equal(idle.code, 0, JSON.stringify(idle.checked));
  const played = await run('--run', '--input', 'play.input');
  assert.deepEqual([played.code, played.checked.error?.code], [7, 'budget_broken']);
  assert.ok((played.checked.run?.start.duration_ms ?? 0) >= 2500, 'the script lasts for 3 s');
  const wrong = await run('--input', 'play.input');
  assert.equal(wrong.code, 2);
  const gone = await run('--run', '--input', 'gone.input');
  assert.deepEqual([gone.code, gone.checked.error?.code], [1, 'input_unreadable']);
});

test('a build is held to its budgets, and to ratios of another build', {
  skip: noBrowser,
}, async (t) => {
  const cwd = temporaryFolder(t);
  const budgets = { gpu_bytes: 0, shaders: 0, draw_calls: 3, rss_bytes: 1, frame_p99_ratio: 1.5 };
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Game', budgets }));
  const busy = 'const end = performance.now() + 600; while (performance.now() < end);';
  const slow = writeGame(t, {
    'index.html': `${CANVAS}<script>
const gl = document.querySelector('canvas').getContext('webgl');
const frame = () => { ${busy} for (let i = 0; i < 5; i++) gl.drawArrays(gl.POINTS, 0, 1); requestAnimationFrame(frame); };
requestAnimationFrame(frame);
</script>`,
  });
  const fast = writeGame(t, { 'index.html': PAGE });
  const run = async (...args: string[]) => {
    const browser = ['--browser', findBrowser() ?? '', '--seconds', '2', '--json'];
    const { code, stdout } = await runSvc(t, ['check', '--run', ...args, ...browser], { cwd });
    return { code, checked: JSON.parse(stdout) as Checked };
  };
  const verdicts = ({ run }: Checked) => run?.budgets.map(({ budget, kept }) => [budget, kept]);

  const alone = await run(fast);
  assert.equal(alone.code, 0);
  assert.deepEqual(verdicts(alone.checked), [
    ...[
      ['gpu_bytes', true],
      ['draw_calls', true],
      ['shaders', true],
    ],
  ]);
  assert.deepEqual(alone.checked.run?.unchecked, ['rss_bytes', 'frame_p99_ratio']);

  const slower = await run(slow, '--against', fast);
  assert.deepEqual([slower.code, slower.checked.error?.code], [7, 'budget_broken']);
  assert.deepEqual(verdicts(slower.checked), [
    ...[
      ['gpu_bytes', true],
      ['draw_calls', false],
      ['shaders', true],
      ['frame_p99_ratio', false],
    ],
  ]);
  assert.equal(slower.checked.run?.against, fast);

  const broken = writeGame(t, { 'index.html': `${CANVAS}<script>start()</script>` });
  const { code, checked } = await run(fast, '--against', broken);
  assert.deepEqual([code, checked.error?.code], [7, 'baseline_does_not_start']);
});
