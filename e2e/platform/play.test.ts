// Published games in a browser: isolation with threads in the store's page, no framing by other sites, saved data.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSettings } from '@svc/platform';
import { type OpenPlatform, openPlatform, type Person, publishBuild } from '@svc/platform/testing';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { BROWSER_ARGS, findBrowser } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { folderFiles } from './folder-files.ts';
import { FRAMED_GAME, threadsGame } from './games.ts';

const browserPath = findBrowser();
const skip = browserPath === null ? 'no Chromium' : false;

let browser: Browser;
let web: Server;
let webPort = 0;
let platform: OpenPlatform;
let ada: Person;

before(async () => {
  if (browserPath === null) return;
  web = createServer((request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'credentialless',
    });
    const game = new URL(request.url ?? '/', 'http://x').searchParams.get('game') ?? '';
    response.end(
      `<!doctype html><title>Store</title><iframe src="${game}" allow="cross-origin-isolated; fullscreen; gamepad; autoplay" width="600" height="400"></iframe>`,
    );
  });
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const address = web.address();
  webPort = typeof address === 'object' && address !== null ? address.port : 0;
  platform = await openPlatform({
    settings: readSettings({ SVC_WEB_ORIGIN: `http://www.svc.localhost:${webPort}` }),
  });
  ada = await platform.person('Ada');
  browser = await chromium.launch({ executablePath: browserPath, args: [...BROWSER_ARGS] });
});
after(async () => {
  if (browserPath === null) return;
  await browser.close();
  await platform[Symbol.asyncDispose]();
  web.closeAllConnections();
  web.close();
});

async function publishGame(title: string, files: Record<string, string | Uint8Array>) {
  const { game } = await ada.client.call('createProject', { body: { title } });
  await publishBuild(ada.client, game.id, '1', files);
  return game;
}

/** The address of a game on the play host, which is a sibling of the web host. */
function playAddress(slug: string): string {
  return `http://play.svc.localhost:${platform.running.port}/play/${slug}/`;
}

/** Opens a page of the host that frames the game. Returns the frame. */
async function openFramed(page: Page, host: string, slug: string): Promise<Frame> {
  await page.goto(`http://${host}:${webPort}/?game=${encodeURIComponent(playAddress(slug))}`);
  const handle = await page.waitForSelector('iframe');
  const frame = await handle.contentFrame();
  assert.ok(frame);
  return frame;
}

const text = (frame: Frame | Page, id: string): Promise<string> =>
  frame.waitForSelector(`#${id}:not(:empty)`).then((element) => element.innerText());

test('a game in the store’s page is isolated, runs threads, loads precompressed files and keeps its saved data', {
  skip,
}, async () => {
  const game = await publishGame('Threads', threadsGame('one'));
  const context = await browser.newContext();
  const page = await context.newPage();
  const frame = await openFramed(page, 'www.svc.localhost', game.slug);
  assert.equal(await text(frame, 'isolated'), 'true');
  assert.equal(await text(frame, 'total'), '100000');
  assert.equal(await text(frame, 'unity'), 'unity data');
  assert.equal(await text(frame, 'saves'), '1');
  await publishBuild(ada.client, game.id, '2', threadsGame('two'));
  const updated = await openFramed(page, 'www.svc.localhost', game.slug);
  assert.equal(await updated.waitForSelector('h1').then((element) => element.innerText()), 'two');
  assert.equal(await text(updated, 'saves'), '2');
  assert.equal(await text(updated, 'total'), '100000');
  await context.close();
});

test('a game that is opened directly, without the trailing slash, is isolated too', {
  skip,
}, async () => {
  const game = await publishGame('Alone', threadsGame('alone'));
  const page = await browser.newPage();
  await page.goto(playAddress(game.slug).slice(0, -1));
  assert.equal(page.url(), playAddress(game.slug));
  assert.equal(await text(page, 'isolated'), 'true');
  assert.equal(await text(page, 'total'), '100000');
  await page.close();
});

test('a game can show its own pages in a frame', { skip }, async () => {
  const game = await publishGame('Wrapper', FRAMED_GAME);
  const page = await browser.newPage();
  const frame = await openFramed(page, 'www.svc.localhost', game.slug);
  const inner = await frame.waitForSelector('iframe').then((element) => element.contentFrame());
  assert.ok(inner);
  assert.equal(await text(inner, 'inner'), 'playing');
  await page.close();
});

test('another site can’t frame a game', { skip }, async () => {
  const game = await publishGame('Framed', threadsGame('framed'));
  const page = await browser.newPage();
  const frame = await openFramed(page, 'evil.localhost', game.slug);
  const deadline = Date.now() + 20_000;
  while (!frame.url().startsWith('chrome-error:') && Date.now() < deadline) {
    await page.waitForTimeout(50);
  }
  assert.equal(frame.url(), 'chrome-error://chromewebdata/');
  await page.close();
});

test('the example game, built by Vite, starts from the platform', { skip }, async () => {
  const files = await folderFiles(join(ROOT, 'examples/moonhop/dist'));
  const game = await publishGame('Moonhop', files);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('response', (answer) => {
    if (answer.status() >= 400) faults.push(`${answer.status()} ${answer.url()}`);
  });
  await page.goto(playAddress(game.slug), { waitUntil: 'networkidle' });
  await page.waitForSelector('canvas');
  assert.deepEqual(
    faults.filter((fault) => !fault.endsWith('/favicon.ico')),
    [],
  );
  await page.close();
});
