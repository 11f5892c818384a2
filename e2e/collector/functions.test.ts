// The functions of a page in the trace, in a page that allows the browser to sample them, and in one that does not.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPreview } from '@svc/delivery/preview';
import { packToFile } from '@svc/game-build';
import {
  findHitches,
  functionsOf,
  type Hitch,
  modelOf,
  momentOf,
  readVpt,
  type TraceModel,
} from '@svc/trace';
import type { Browser, Page } from 'playwright-core';
import { bundle, type GamePage, launch, openPage } from './page.ts';
import { only, readTrace } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const POLICY = { 'document-policy': 'js-profiling' };
const ALLOWED = { ...POLICY, 'server-timing': 'js-profiling' };
const STALL_MS = 1_500;
const SETUP = `
import * as svc from '@svc/collector';
globalThis.svc = svc;
globalThis.frames = (count) => new Promise((done) => {
  const frame = () => (count-- > 0 ? requestAnimationFrame(frame) : done());
  frame();
});
`;
/** The function that stalls is on line 6, after a name that must not be found. */
const GAME = `
let sum = 0;
function update() {
  if (globalThis.stallNext) { globalThis.stallNext = false; spawnWave(); }
}
function spawnWave() {
  const end = performance.now() + ${STALL_MS};
  while (performance.now() < end) for (let i = 0; i < 1e4; i++) sum = (sum * 31 + i) | 0;
  globalThis.stalls = (globalThis.stalls ?? 0) + 1;
}
(function frame() { update(); requestAnimationFrame(frame); })();
`;

const HTML =
  '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./main.js"></script><script type="module" src="./game.js?v=1"></script>';

function openGame(setup: string, headers: Record<string, string> = ALLOWED): Promise<GamePage> {
  return openPage(`${SETUP}${setup}`, {
    browser,
    headers,
    html: HTML,
    files: (path) => (path === '/game.js?v=1' ? { type: 'text/javascript', body: GAME } : null),
  });
}

/** Lets the game stall, and waits for the frames after it. */
async function stall(page: Page): Promise<void> {
  await page.evaluate('frames(5)');
  await page.evaluate('globalThis.stallNext = true; globalThis.stalls = 0;');
  await page.waitForFunction('globalThis.stalls === 1');
  await page.evaluate('frames(5)');
}

/** The longest hitch, and the functions in it. */
function longestHitch(model: TraceModel): {
  hitch: Hitch;
  functions: ReturnType<typeof functionsOf>;
} {
  const [hitch] = findHitches(model, 1000 / 60);
  assert.ok(hitch);
  const window = { from_ms: hitch.start_ms, to_ms: hitch.start_ms + hitch.duration_ms };
  const { stacks } = momentOf(model, window);
  return { hitch, functions: stacks.flatMap((one) => functionsOf(one)) };
}

/** The trace of a stopped recording, with its last functions. */
function complete(page: Page): Promise<string> {
  return page.evaluate<string>('(svc.stop(), svc.settled().then(svc.exportText))');
}

/** The records of a trace that may have no end. */
const recordsOf = (text: string) => readVpt(text).lines;

const gaps = (text: string) =>
  only(readTrace(text), 'loss').filter(({ probe }) => probe === 'stacks');

test('the functions of a hitch begin with the one that stalled, weighed by its time', async () => {
  await using game = await openGame('svc.start();');
  await stall(game.page);
  const text = await complete(game.page);
  const { hitch, functions } = longestHitch(modelOf(text));
  // The times of frames are those of the display, which a busy machine reports some frames late.
  assert.ok(hitch.duration_ms > STALL_MS * 0.8, String(hitch.duration_ms));
  const [first] = functions;
  assert.deepEqual([first?.name, first?.category], ['spawnWave game.js:6', 'js']);
  // A machine without time for the browser's sampler has fewer samples, and a loss for the time between them.
  const lost = gaps(text).reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0);
  const self = first?.self ?? 0;
  assert.ok(self > 200 && self + lost > STALL_MS / 2, `${self} ms, lost: ${lost} ms`);
  assert.ok(self <= hitch.duration_ms, `${self} ms of ${hitch.duration_ms} ms`);
  const stacks = only(readTrace(text), 'stacks');
  const place = stacks.flatMap(
    ({ names, places = [] }) => places[names.indexOf('spawnWave game.js:6')] ?? [],
  );
  assert.deepEqual(
    place,
    [`${game.origin}/game.js:6:19`],
    'the position is that of the parameters',
  );
  assert.ok(stacks.every(({ unit, scale }) => unit === 'ms' && scale === 1000));
  assert.deepEqual(game.heard, []);
});

/** What the page states about its functions: in its status, and in the trace. */
async function absence({ page }: GamePage): Promise<string[]> {
  const { absent } = await page.evaluate<{ absent: { what: string; why: string }[] }>(
    'svc.status()',
  );
  const lines = readTrace(await complete(page));
  assert.deepEqual(only(lines, 'stacks'), []);
  assert.deepEqual(gaps(await complete(page)), []);
  return [
    ...absent.flatMap(({ what, why }) => (what === 'functions' ? [why] : [])),
    ...only(lines, 'log').flatMap(
      ({ text }) => /^not recorded: functions: (.*)/.exec(text)?.[1] ?? [],
    ),
  ];
}

test('a page that is not allowed to, or does not announce it, has no functions and a quiet console', async () => {
  for (const headers of [{}, POLICY]) {
    await using game = await openGame('svc.start();', headers);
    const [status = '', ...trace] = await absence(game);
    assert.match(status, /announce.*"Document-Policy: js-profiling".*functions: true/);
    assert.deepEqual([trace, game.heard], [[status], []]);
  }
});

test('with functions: true, a page has functions if it has the header, and otherwise the reason', async () => {
  await using allowed = await openGame('svc.start({ parts: { functions: true } });', POLICY);
  await stall(allowed.page);
  const text = await complete(allowed.page);
  assert.equal(longestHitch(modelOf(text)).functions[0]?.name, 'spawnWave game.js:6');
  assert.deepEqual(allowed.heard, []);
  await using refused = await openGame('svc.start({ parts: { functions: true } });', {});
  const why = 'the page was loaded without the header "Document-Policy: js-profiling"';
  assert.deepEqual(await absence(refused), [why, why]);
});

test('a buffer that is full is replaced, and the time until then is a loss of functions only', async () => {
  await using game = await openGame(`
    const Original = Profiler;
    globalThis.made = 0;
    globalThis.Profiler = class extends Original {
      constructor(options) { super({ ...options, maxBufferSize: 20 }); made++; }
    };
    svc.start();`);
  await game.page.waitForFunction('made > 1');
  // The stall begins with an empty buffer.
  await game.page.evaluate(`(async () => {
    for (const before = made; made === before; ) await frames(1);
    globalThis.stallNext = true;
  })()`);
  await game.page.waitForFunction('globalThis.stalls === 1');
  await game.page.evaluate('frames(5)');
  const text = await complete(game.page);
  const full = gaps(text).filter(({ reason }) => reason === 'buffer_full');
  const longest = Math.max(...full.map(({ duration_ms = 0 }) => duration_ms));
  assert.ok(longest > STALL_MS / 2, `${longest} ms`);
  const model = modelOf(text);
  const { hitch, functions } = longestHitch(model);
  assert.equal(functions[0]?.name, 'spawnWave game.js:6');
  assert.ok((functions[0]?.self ?? 0) < hitch.duration_ms / 2, 'the gap counts for no function');
  assert.deepEqual(game.heard, []);
});

test('an export at once after the end has a loss for the last functions, which arrive later', async () => {
  await using game = await openGame('svc.start();');
  await stall(game.page);
  const at = await game.page.evaluate<{
    before: string;
    now: string;
    later: string;
  }>(`(async () => {
    const before = svc.exportText();
    svc.stop();
    const now = svc.exportText();
    await svc.settled();
    return { before, now, later: svc.exportText() };
  })()`);
  const lost = (text: string) =>
    only(recordsOf(text), 'loss').filter(({ reason }) => reason === 'stacks_lost');
  for (const text of [at.before, at.now]) {
    const [loss, ...more] = lost(text);
    assert.deepEqual([loss?.probe, more], ['stacks', []]);
    assert.ok((loss?.duration_ms ?? 0) > STALL_MS / 2);
  }
  assert.equal(longestHitch(modelOf(at.now)).functions.length, 0);
  assert.deepEqual(lost(at.later), []);
  assert.equal(longestHitch(modelOf(at.later)).functions[0]?.name, 'spawnWave game.js:6');
  assert.equal(readTrace(at.now).at(-1)?.type, 'end');
  assert.deepEqual(readTrace(at.later).at(-1), readTrace(at.now).at(-1), 'the end stays last');
});

test('each recording has its own functions, and none is sampled after the end', async () => {
  await using game = await openGame(`
    const Original = Profiler;
    globalThis.running = 0;
    globalThis.Profiler = class extends Original {
      constructor(options) { super(options); running++; }
      stop() { running--; return super.stop(); }
    };
    svc.start();`);
  await stall(game.page);
  // The first recording is replaced before its last functions arrive.
  await game.page.evaluate('svc.stop(), svc.start()');
  await game.page.evaluate('frames(3)');
  const quiet = await complete(game.page);
  assert.ok(!quiet.includes('spawnWave'));
  assert.equal(await game.page.evaluate('running'), 0);
  await game.page.evaluate('svc.start()');
  await stall(game.page);
  const text = await complete(game.page);
  assert.equal(longestHitch(modelOf(text)).functions[0]?.name, 'spawnWave game.js:6');
  await game.page.evaluate('svc.start({ parts: { functions: false } })');
  assert.equal(await game.page.evaluate('running'), 0);
  await stall(game.page);
  const without = await complete(game.page);
  assert.deepEqual(only(readTrace(without), 'stacks'), []);
});

test('a download of a running recording has the functions until now', async () => {
  await using game = await openGame('svc.start();');
  await stall(game.page);
  const waiting = game.page.waitForEvent('download');
  await game.page.evaluate('svc.download("hitch.vpt")');
  const download = await waiting;
  assert.equal(download.suggestedFilename(), 'hitch.vpt');
  const text = readFileSync(await download.path(), 'utf8');
  assert.equal(longestHitch(modelOf(text)).functions[0]?.name, 'spawnWave game.js:6');
  assert.equal(await game.page.evaluate('svc.status().state'), 'recording');
});

test('a build that is served with profiling, with the headers of players, has its functions', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-profiling-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = {
    'index.html': HTML,
    'main.js': await bundle(`${SETUP}svc.start();`),
    'game.js': GAME,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const zipPath = `${folder}.zip`;
  t.after(() => rmSync(zipPath, { force: true }));
  await packToFile(folder, zipPath);
  for (const profiling of [true, false]) {
    await using preview = await startPreview({ zipPath, port: 0, profiling });
    const page = await browser.newPage();
    await page.goto(preview.url);
    await stall(page);
    const first = longestHitch(modelOf(await complete(page))).functions[0]?.name;
    assert.equal(first, profiling ? 'spawnWave game.js:6' : undefined);
    await page.close();
  }
});
