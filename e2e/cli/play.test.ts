// `svc play` in a browser: a build that needs the host's headers, and one whose page frames the game.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { startSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { FRAMED_GAME, threadsGame } from '../platform/games.ts';
import { launchBrowser, noBrowser } from '../viewer/open-viewer.ts';

/** Writes the build into a folder, and serves it with `svc play`. Returns the address. */
async function play(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = temporaryFolder(t);
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const child = startSvc(t, ['play', folder, '--json']);
  const lines = createInterface(child.stdout ?? assert.fail());
  const [line] = await new Promise<[string]>((resolve, reject) => {
    lines.once('line', (text) => resolve([text]));
    child.once('exit', (code) => reject(new Error(`svc play ended with ${code}`)));
  });
  const { url } = JSON.parse(line);
  return url;
}

test('a game with threads is isolated, and its precompressed files load', {
  skip: noBrowser,
}, async (t) => {
  const url = await play(t, threadsGame('preview'));
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url.slice(0, -1));
  assert.equal(page.url(), url);
  for (const [id, text] of Object.entries({
    isolated: 'true',
    total: '100000',
    unity: 'unity data',
  })) {
    const shown = await page.waitForSelector(`#${id}:not(:empty)`);
    assert.equal(await shown.innerText(), text);
  }
});

test('a page of the build shows the game in a frame', { skip: noBrowser }, async (t) => {
  const url = await play(t, FRAMED_GAME);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  const inner = await page.waitForSelector('iframe').then((element) => element.contentFrame());
  const shown = await inner?.waitForSelector('#inner');
  assert.equal(await shown?.innerText(), 'playing');
});
