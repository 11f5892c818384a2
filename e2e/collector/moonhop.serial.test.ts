// The example game: the autopilot plays it, the overlay exports a trace, and the trace ranks the costly assets.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { assetReportOf } from '@svc/trace';
import type { Browser, Page } from 'playwright-core';
import { SVC } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { dropFile, openViewer } from '../viewer/open-viewer.ts';
import { launch } from './page.ts';
import { serveFolder } from './serve-folder.ts';
import { ofAsset, only, readTrace } from './trace-of.ts';

const GAME = join(ROOT, 'examples/moonhop/dist');
const PLAY_MS = 20_000;
/** The device of the player is this many times slower than this computer. */
const SLOWDOWN = 3;

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A small window, which the software renderer draws fast enough. */
async function openGame(origin: string, query: string): Promise<{ page: Page; heard: string[] }> {
  const page = await browser.newPage({ viewport: { width: 360, height: 480 } });
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('console', (message) => heard.push(message.text()));
  await page.goto(`${origin}/${query}`);
  await page.waitForFunction(`globalThis.svc?.exportText().includes('"name":"ready"')`);
  return { page, heard };
}

test('twenty seconds of the game have frames, hitches in their frames, and the costly assets on top in order', async (t) => {
  await using server = await serveFolder(GAME);
  const { page, heard } = await openGame(server.origin, '?pilot');
  // A fast computer uploads the comet within the time of one frame.
  const device = await page.context().newCDPSession(page);
  await device.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const began = performance.now();
  await page.waitForFunction(
    `svc.exportText().includes('"art/comet.png","kind":"texture","phase":"upload"')`,
    undefined,
    { polling: 500, timeout: 90_000 },
  );
  await page.waitForTimeout(Math.max(0, PLAY_MS - (performance.now() - began)));

  // Opens the overlay by its key, as a developer would.
  await page.keyboard.press('F9');
  const region = page.getByRole('region', { name: 'Profiler' });
  await region.getByText('Recording').waitFor();
  await region.getByText('art/nebula.png').waitFor();
  await region.getByRole('button', { name: 'Stop' }).click();
  await region.getByText('Stopped').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    region.getByRole('button', { name: 'Export' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'game.vpt');
  const file = join(await mkdtemp(join(tmpdir(), 'svc-moonhop-')), 'game.vpt');
  t.after(() => rm(dirname(file), { recursive: true }));
  await download.saveAs(file);
  const bytes = await readFile(file);
  await page.close();

  const lines = readTrace(bytes.toString('utf8'));
  assert.deepEqual(heard, []);
  const frames = only(lines, 'frames');
  const played = frames.flatMap(({ duration_ms }) => duration_ms).reduce((sum, ms) => sum + ms, 0);
  assert.ok(played >= PLAY_MS, `${played} ms of frames`);
  assert.ok(
    frames.some(
      ({ draws, gpu_ms }) => draws?.some((count) => (count ?? 0) >= 6) && gpu_ms !== undefined,
    ),
  );
  assert.ok(only(lines, 'mark').some(({ name }) => name === 'comet'));
  assert.ok(only(lines, 'counter').some(({ name, value }) => name === 'moon' && value >= 4));

  const comet = ofAsset(lines, 'art/comet.png').find(
    ({ phase, main_thread_ms }) => phase === 'upload' && (main_thread_ms ?? 0) > 1,
  );
  assert.ok(comet, 'the comet was uploaded in the middle of play');
  assert.ok(
    longestFrameWithin(frames, comet.t, comet.t + (comet.main_thread_ms ?? 0)) > 1000 / 60,
    'and its frame was a hitch',
  );

  const { assets } = await assetReportOf([bytes]);
  const textures = assets.filter(({ kind }) => kind === 'texture').map(({ name }) => name);
  assert.deepEqual(textures.slice(0, 2), ['art/nebula.png', 'art/comet.png']);
  const [first, second] = assets.filter(({ kind }) => kind === 'texture');
  assert.ok((first?.hitches ?? 0) > 0 && (second?.hitches ?? 0) > 0);
  assert.deepEqual([first?.gpu_bytes, second?.gpu_bytes], [89_478_484, 22_369_620]);
  const place = (name: string): number => assets.findIndex((asset) => asset.name === name);
  assert.ok(
    place('art/nebula.png') < 3 && place('art/comet.png') < 5,
    assets
      .slice(0, 6)
      .map(({ name }) => name)
      .join(),
  );
  for (const lesser of ['levels/sky.json', 'sounds/theme.wav', 'art/spark.png', 'art/star.png']) {
    assert.ok(place('art/comet.png') < place(lesser), lesser);
  }
  assert.ok(!bytes.includes('127.0.0.1'), 'no address of the machine leaves it');

  // The command line accepts the exported file, and the dashboard shows it.
  const check = spawnSync(process.execPath, [SVC, 'trace', 'check', file], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
  await using viewer = await openViewer();
  await viewer.page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  await dropFile(viewer.page, 'moonhop.vpt', bytes.toString('utf8'));
  await viewer.page.getByRole('heading', { name: 'moonhop.vpt' }).waitFor();
  await viewer.page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('button', { name: 'Assets' })
    .click();
  const rows = viewer.page.getByRole('table').getByRole('row');
  await rows.filter({ hasText: 'art/nebula.png' }).first().waitFor();
  const shown = (await rows.allInnerTexts()).filter((text) => text.includes('.png'));
  assert.ok(
    shown[0]?.includes('art/nebula.png') && shown[1]?.includes('art/comet.png'),
    shown.slice(0, 3).join(' | '),
  );
  await viewer.page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('button', { name: 'Frames' })
    .click();
  await viewer.page.getByRole('heading', { name: 'Hitches, worst first' }).waitFor();
  assert.deepEqual(viewer.faults, []);
});

test('a player can start, let go, and play again after a loss', async () => {
  await using server = await serveFolder(GAME);
  const { page, heard } = await openGame(server.origin, '');
  await page.getByText('Press to begin').waitFor();
  await page.keyboard.press('Space');
  await page.locator('#card').waitFor({ state: 'attached' });
  await cardIsAway(page);
  // Letting go at once loses the flight.
  await page.keyboard.press('Space');
  await page.getByText('Press to fly again').waitFor({ timeout: 60_000 });
  await page.mouse.click(100, 200);
  await cardIsAway(page);
  await page.waitForFunction(`svc.exportText().includes('"name":"new flight"')`);
  assert.deepEqual(heard, []);
  await page.close();
});

test('a held gamepad button is one press, and without gamepad permission the keys work', async () => {
  await using server = await serveFolder(GAME);
  const { page, heard } = await openGame(server.origin, '');
  await page.getByText('Press to begin').waitFor();
  await holdButton(page, true);
  await cardIsAway(page);
  // A held button does not let go or restart: the moon crumbles, and the card stays.
  await page.getByText('Press to fly again').waitFor({ timeout: 90_000 });
  await framesPass(page, 20);
  assert.equal(await page.evaluate(`svc.exportText().includes('"name":"new flight"')`), false);
  await holdButton(page, false);
  await framesPass(page, 3);
  await holdButton(page, true);
  await page.waitForFunction(`svc.exportText().includes('"name":"new flight"')`);
  await cardIsAway(page);

  await page.evaluate(
    `Object.defineProperty(navigator, 'getGamepads', { configurable: true, value() { throw new DOMException('barred', 'SecurityError'); } })`,
  );
  await framesPass(page, 3);
  await page.keyboard.press('KeyP');
  await page.getByText('Paused').waitFor();
  assert.deepEqual(heard, []);
  await page.close();
});

const cardIsAway = (page: Page) => page.waitForFunction(`document.getElementById('card').hidden`);

/** Adds two gamepads to the page. The button of the second is pressed or released. */
async function holdButton(page: Page, pressed: boolean): Promise<void> {
  await page.evaluate((down) => {
    const pads = [null, { buttons: [{ pressed: false }, { pressed: down }] }];
    Object.defineProperty(navigator, 'getGamepads', { configurable: true, value: () => pads });
  }, pressed);
}

async function framesPass(page: Page, count: number): Promise<void> {
  await page.evaluate(
    (frames) =>
      new Promise<void>((done) => {
        let left = frames;
        const frame = () => {
          if (left-- === 0) done();
          else requestAnimationFrame(frame);
        };
        frame();
      }),
    count,
  );
}

test('a built game uses only relative addresses', async () => {
  await using server = await serveFolder(join(GAME, '..'));
  const page = await browser.newPage();
  await page.goto(`${server.origin}/dist/index.html`);
  await page.waitForFunction(`globalThis.svc?.exportText().includes('"name":"ready"')`);
  assert.deepEqual(
    server.asked.filter((path) => !path.startsWith('/dist/')),
    [],
  );
  await page.close();
});

function longestFrameWithin(
  frames: readonly { t: number; duration_ms: readonly number[] }[],
  from: number,
  to: number,
): number {
  let longest = 0;
  for (const { t, duration_ms } of frames) {
    let at = t;
    for (const ms of duration_ms) {
      if (at < to && at + ms > from) longest = Math.max(longest, ms);
      at += ms;
    }
  }
  return longest;
}
