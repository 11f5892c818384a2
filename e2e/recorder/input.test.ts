// `svc record --input` and `--record-input` in Chromium: a game gets the steps of a script, and what it gets can be written again.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Documents } from '../../packages/cli/src/documents.ts';
import { finish, runSvc, startSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { until } from '../../scripts/until.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { writeGame } from './write-game.ts';

const SKIP = { skip: noBrowser };

/** A game that lists what the player does, and requests a file with the list for a name when the key Q is pressed. */
const GAME = `<!doctype html><title>Game</title><body style="margin:0"><canvas width=640 height=400></canvas><script>
const g = document.querySelector('canvas').getContext('2d');
const seen = [];
const note = (...parts) => seen.push(parts.join(' '));
for (const type of ['keydown', 'keyup']) addEventListener(type, ({ code, key, keyCode }) => {
  note(type, code, key === ' ' ? 'space' : key, keyCode);
  if (type === 'keyup' && code === 'KeyQ') fetch('seen-' + encodeURIComponent([innerWidth, ...seen].join(';')));
});
for (const type of ['mousedown', 'mouseup', 'dblclick']) addEventListener(type, (event) => {
  if (!event.sourceCapabilities?.firesTouchEvents) note(type, event.clientX, event.clientY, event.button);
});
addEventListener('wheel', ({ clientX, clientY, deltaX, deltaY }) => note('wheel', clientX, clientY, deltaX, deltaY));
for (const type of ['touchstart', 'touchmove', 'touchend']) addEventListener(type, ({ changedTouches: [{ clientX, clientY }] }) => note(type, clientX, clientY));
addEventListener('contextmenu', (event) => event.preventDefault());
addEventListener('gamepadconnected', ({ gamepad }) => note('connected', gamepad.index, gamepad.mapping));
let last = '';
function frame() {
  const [pad] = navigator.getGamepads();
  const now = pad === null ? '' : [pad instanceof Gamepad, pad.axes[1], pad.buttons[3].pressed, pad.buttons.length].join(' ');
  if (now !== last) note('pad', now);
  last = now;
  g.fillRect(Math.random() * 600, 0, 10, 10);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
</script>`;

/** Steps far enough apart for a busy machine, on which a frame can take long. */
const SCRIPT = `# What a player does.
size 700x500
0.2 key press Space
0.4 mouse click 120 110
0.55 mouse click 121 110
0.9 mouse down 50 60 right
1.1 mouse up 50 60 right
1.4 wheel 50 60 0 120
1.6 touch down 0 30 40
1.8 touch down 1 60 40
2.0 touch move 1 80 45
2.2 touch up 0 30 40
2.4 touch up 1 80 45
2.6 gamepad 0 axis 1 -0.5
4.1 gamepad 0 button 3 1
5.6 gamepad 0 button 3 0
6.9 key down KeyW
7.1 key up KeyW
7.3 key press KeyQ
9 end
`;

const SEEN = [
  ...['700', 'keydown Space space 32', 'keyup Space space 32'],
  ...['mousedown 120 110 0', 'mouseup 120 110 0', 'mousedown 121 110 0', 'mouseup 121 110 0'],
  ...['dblclick 121 110 0', 'mousedown 50 60 2', 'mouseup 50 60 2', 'wheel 50 60 0 120'],
  ...[
    'touchstart 30 40',
    'touchstart 60 40',
    'touchmove 80 45',
    'touchend 30 40',
    'touchend 80 45',
  ],
  ...['connected 0 standard', 'pad true -0.5 false 17', 'pad true -0.5 true 17'],
  ...['pad true -0.5 false 17', 'keydown KeyW w 87', 'keyup KeyW w 87', 'keydown KeyQ q 81'],
  'keyup KeyQ q 81',
];

/** The steps that the recording of the script has. A mouse also moves, which depends on the frames. */
const WRITTEN = [
  ...['key down Space', 'key up Space', 'mouse down 120 110 left', 'mouse up 120 110 left'],
  ...['mouse down 121 110 left', 'mouse up 121 110 left', 'mouse down 50 60 right'],
  ...['mouse up 50 60 right', 'wheel 50 60 0 120', 'touch down 0 30 40', 'touch down 1 60 40'],
  ...['touch move 1 80 45', 'touch up 0 30 40', 'touch up 1 80 45', 'gamepad 0 axis 1 -0.5'],
  ...['gamepad 0 button 3 1', 'gamepad 0 button 3 0', 'key down KeyW', 'key up KeyW'],
  ...['key down KeyQ', 'key up KeyQ'],
];

type Played = { readonly recorded: Documents['record']; readonly stderr: string };

/** Records the target into `game.vpt` of the folder. */
async function play(
  t: TestContext,
  cwd: string,
  target: string,
  ...more: string[]
): Promise<Played> {
  const browser = findBrowser() ?? '';
  const args = ['record', target, '--headless', '--browser', browser, '-o', 'game.vpt', '--json'];
  const { code, stdout, stderr } = await runSvc(t, [...args, '--no-stacks', ...more], { cwd });
  assert.equal(code, 0, stderr);
  return { recorded: JSON.parse(stdout), stderr };
}

/** What the game has listed. */
function seenBy(stderr: string): string[] {
  const [, list = ''] = /requested seen-(.+), which/.exec(stderr) ?? [];
  return byDevice(list.split(';'));
}

/** Steps or events with those of one device together. Only their order matters: browsers treat devices by themselves. */
function byDevice(events: readonly string[]): string[] {
  const devices = [/^key/, /^mouse|^dblclick/, /^wheel/, /^touch/, /^gamepad|^pad|^connected/];
  const deviceOf = (event: string): number => devices.findIndex((device) => device.test(event));
  return events.toSorted((a, b) => deviceOf(a) - deviceOf(b));
}

/** The steps of a written script without their times, and its times. */
function readScript(path: string): { readonly steps: string[]; readonly times: number[] } {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line));
  return {
    times: lines.map((line) => Number.parseFloat(line)),
    steps: lines.map((line) => line.slice(line.indexOf(' ') + 1)),
  };
}

test(
  'a game gets the steps of a script, and a recording of them has the same steps',
  SKIP,
  async (t) => {
    const cwd = temporaryFolder(t);
    const game = writeGame(t, { 'index.html': GAME });
    writeFileSync(join(cwd, 'a.input'), SCRIPT);
    const first = await play(t, cwd, game, '--input', 'a.input', '--record-input', 'b.input');
    assert.deepEqual(seenBy(first.stderr), byDevice(SEEN), first.stderr);
    assert.deepEqual(first.recorded.input, { path: 'a.input', steps: 21, played: 21 });
    assert.equal(first.recorded.ended, 'stopped');
    const written = readScript(join(cwd, 'b.input'));
    assert.equal(written.steps.at(-1), 'end');
    assert.equal(first.recorded.recorded_input?.steps, written.steps.length - 1);
    const withoutMoves = written.steps.filter((step) => !step.startsWith('mouse move'));
    assert.deepEqual(byDevice(withoutMoves), byDevice([...WRITTEN, 'end']));
    assert.deepEqual(
      written.times,
      written.times.toSorted((a, b) => a - b),
    );
    assert.ok((written.times.at(-1) ?? 0) >= 9 - 0.05, String(written.times.at(-1)));
    assert.match(readFileSync(join(cwd, 'b.input'), 'utf8'), /^size 700x500$/m);
    // Played again, the game sees the same.
    const second = await play(t, cwd, game, '--input', 'b.input');
    assert.deepEqual(seenBy(second.stderr), byDevice(SEEN), second.stderr);
    assert.equal(second.recorded.recorded_input, null);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['a.input', 'b.input', 'game.vpt']);
  },
);

/** A game that requests a file for the place of each press of the mouse, in its own coordinates. */
const CLICKED = `<!doctype html><body style="margin:0"><canvas width=300 height=200></canvas><script>
const g = document.querySelector('canvas').getContext('2d');
addEventListener('mousedown', ({ clientX, clientY }) => fetch('at-' + clientX + '-' + clientY));
requestAnimationFrame(function frame() {
  g.fillRect(Math.random() * 200, 0, 9, 9);
  requestAnimationFrame(frame);
});
</script>`;

/** A page that shows a game in a frame, whose content begins at 103, 53. */
function framing(address: string): string {
  const style = 'position:absolute;left:100px;top:50px;border:3px solid';
  return `<!doctype html><body style="margin:0"><iframe src="${address}" style="${style}" width=300 height=200></iframe>`;
}

/** Clicks at 153, 93 of the page, and returns where the written script has it. */
async function clickInFrame(t: TestContext, target: string): Promise<Played & { at: number[] }> {
  const cwd = temporaryFolder(t);
  const script =
    'size 800x600\n1 mouse move 20 20\n1.5 mouse move 150 90\n2 mouse click 153 93\n4 end\n';
  writeFileSync(join(cwd, 'a.input'), script);
  const played = await play(t, cwd, target, '--input', 'a.input', '--record-input', 'b.input');
  const { steps } = readScript(join(cwd, 'b.input'));
  const [, ...at] = (/mouse down (\S+) (\S+) left/.exec(steps.join('\n')) ?? []).map(Number);
  return { ...played, at };
}

test('a game in a frame is played at its place in the page', SKIP, async (t) => {
  const files = { 'index.html': framing('inner.html'), 'inner.html': CLICKED };
  const { stderr, at } = await clickInFrame(t, writeGame(t, files));
  assert.match(stderr, /requested at-50-40,/);
  assert.deepEqual(at, [153, 93]);
});

test('a game in a frame of another site, too', SKIP, async (t) => {
  const asked: (string | undefined)[] = [];
  let page = '';
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(200, { 'content-type': 'text/html' }).end(url === '/page' ? page : CLICKED);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  page = framing(`http://localhost:${address.port}/`);
  const { at } = await clickInFrame(t, `http://127.0.0.1:${address.port}/page`);
  assert.ok(asked.includes('/at-50-40'), String(asked));
  assert.deepEqual(at, [153, 93]);
});

test(
  'a script that cannot be played or written is explained, and nothing is left',
  SKIP,
  async (t) => {
    const cwd = temporaryFolder(t);
    const files = {
      'bad.input': 'size 800x600\n\n1 key down W\n',
      'none.input': '# nothing\n1 end\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const game = writeGame(t, { 'index.html': GAME });
    for (const [args, exit, expected] of [
      [['--input', 'bad.input'], 1, /bad\.input:3: "W" is not a key\. Write a code such as KeyW/],
      [['--input', 'none.input'], 1, /"none\.input": it has no step/],
      [['--input', 'gone.input'], 1, /"gone\.input": the file does not exist/],
      [['--input', '.'], 1, /"\.": it is not a file/],
      [['--record-input', 'b.input'], 2, /Without a window nobody can play/],
      [
        ['--record-input', 'x/b.input', '--input', 'none.input'],
        1,
        /"x\/b\.input": its folder does/,
      ],
      [['--record-input', 'a.vpt', '-o', './a.vpt', '--input', 'none.input'], 2, /the same path/],
      [['--open', '--json'], 2, /With --json, svc record does not open the dashboard/],
    ] as const) {
      const { code, stderr } = await runSvc(t, ['record', game, '--headless', ...args], { cwd });
      assert.equal(code, exit, stderr);
      assert.match(stderr, expected);
      assert.deepEqual(readdirSync(cwd).toSorted(), Object.keys(files).toSorted());
    }
  },
);

test('--open serves the trace in the dashboard until Ctrl-C', SKIP, async (t) => {
  const cwd = temporaryFolder(t);
  const game = writeGame(t, { 'index.html': GAME });
  const browser = findBrowser() ?? '';
  const args = ['record', game, '--headless', '--browser', browser, '--seconds', '2', '--open'];
  const env = { XDG_DATA_HOME: cwd };
  const child = startSvc(t, [...args, '-o', 'game.vpt'], { cwd, env });
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += String(chunk);
  });
  const ended = finish(child);
  const [, url = ''] =
    (await until(
      () => /^Open +(http:\/\/127\.0\.0\.1:\d+\/\S*)$/m.exec(printed),
      (found) => found !== null,
      'the address of the dashboard',
    )) ?? [];
  assert.match(printed, /^Wrote game\.vpt\. Open it with: svc dashboard game\.vpt$/m);
  assert.equal((await fetch(url)).status, 200);
  assert.ok(existsSync(join(cwd, 'game.vpt')));
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
});
