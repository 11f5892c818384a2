// A folder in the upload form in a browser: its rules, what is sent of it, and how an upload continues after a cut.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { Page, Request, Response, Route } from 'playwright-core';
import type { PlatformClient } from '../../packages/contracts/src/platform.ts';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');
const MIB = 1024 * 1024;

type Files = Readonly<Record<string, string | Buffer>>;

let store: Store;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ({ page, client } = await store.owner('Ada'));
});
after(() => store?.[Symbol.asyncDispose]());

/** A page that shows what it loads. Its other files can't be compressed. */
function gameFiles(levels: number): Record<string, string | Buffer> {
  const level = (at: number) => [`levels/${at}.bin`, randomBytes(MIB)] as const;
  return {
    'index.html':
      '<!doctype html><title>game</title><p id="out"></p><script src="main.js"></script>',
    'main.js': 'document.getElementById("out").textContent = "it plays";',
    ...Object.fromEntries(Array.from({ length: levels }, (_, at) => level(at))),
  };
}

async function writeFolder(t: TestContext, files: Files): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), 'svc-folder-'));
  t.after(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, 'my game');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Opens the page of a new draft. */
async function openDraft(t: TestContext, title: string): Promise<string> {
  const { game } = await client.call('createProject', { body: { title } });
  await page.goto(`${store.site.origin}/dashboard/games/${game.id}`);
  t.after(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  return game.id;
}

const choose = (folder: string) => page.getByLabel('Choose a folder').setInputFiles(folder);
const chosen = (words: string | RegExp) => page.locator('[data-chosen]').getByText(words);
const publish = () => page.locator('[data-publish]');
const check = () => page.getByRole('button', { name: 'Check only' });
const status = (words: string | RegExp) => page.locator('[data-status]').getByText(words);
const published = () => page.getByText('Published. Players now get this release').waitFor();

/** Counts the bytes of the parts that the page sends from now on. `answer` can answer a request instead of the store. */
async function countParts(
  answer: (route: Route, count: number) => Promise<void> = (route) => route.fallback(),
): Promise<{ count: number; bytes: number }> {
  const sent = { count: 0, bytes: 0 };
  await page.route('**/parts/*', async (route) => {
    sent.count++;
    sent.bytes += route.request().postDataBuffer()?.length ?? 0;
    await answer(route, sent.count);
  });
  return sent;
}

/** Counts the parts that the store has confirmed from now on. */
function countStored(t: TestContext): { count: number } {
  const stored = { count: 0 };
  const onResponse = (response: Response): void => {
    if (response.url().includes('/parts/') && response.ok()) stored.count++;
  };
  page.on('response', onResponse);
  t.after(() => page.off('response', onResponse));
  return stored;
}

async function versions(id: string): Promise<string[]> {
  const { releases } = await client.call('releases', { params: { id } });
  return releases.map(({ version }) => version);
}

test('a folder is published without ignored files and played, and then only a changed file is sent', {
  skip: noBrowser,
}, async (t) => {
  const own = { '.svcignore': '*.psd\n', 'svc.json': '{"ignore":["/notes/"]}' };
  const left = { 'a.psd': 'x', 'notes/todo.txt': 'x', '.DS_Store': 'x' };
  const folder = await writeFolder(t, { ...gameFiles(3), ...own, ...left });
  const id = await openDraft(t, 'From a folder');
  const first = await countParts();
  await choose(folder);
  await chosen('5 files · 3.0 MiB · 2 paths excluded by ignore rules').waitFor();
  await chosen('my game').waitFor();
  await publish().click();
  await published();
  assert.equal(first.count, 4);
  assert.ok(first.bytes >= 3 * MIB && first.bytes < 3 * MIB + 1000, `${first.bytes} bytes`);
  const { releases } = await client.call('releases', { params: { id } });
  assert.equal(releases[0]?.file_count, 5);

  const visitor = await store.visitor();
  await visitor.goto(`${store.site.origin}/games/from-a-folder`);
  await visitor.getByRole('link', { name: 'Play', exact: true }).click();
  await visitor.frameLocator('iframe').getByText('it plays').waitFor();

  await writeFile(join(folder, 'levels/1.bin'), randomBytes(20_000));
  await page.reload();
  const second = await countParts();
  await choose(folder);
  await chosen('5 files · 2.0 MiB').waitFor();
  await check().click();
  await status('1 changed, 4 unchanged').waitFor();
  assert.deepEqual(second, { count: 1, bytes: 20_000 });
  assert.deepEqual(await versions(id), ['1.0.0']);
  await publish().click();
  await published();
  assert.deepEqual(second, { count: 1, bytes: 20_000 }, 'the check has sent everything');
  assert.deepEqual(await versions(id), ['1.0.1', '1.0.0']);
});

test('an upload survives lost connections and a store that is restarted', {
  skip: noBrowser,
}, async (t) => {
  const folder = await writeFolder(t, gameFiles(3));
  const id = await openDraft(t, 'Bad line');
  const sent = await countParts(async (route, count) => {
    if (count <= 4) return route.abort('connectionreset');
    if (count > 6) return route.fallback();
    const error = { code: 'shutting_down', message: 'The server is shutting down', details: [] };
    return route.fulfill({ status: 503, json: { error } });
  });
  await choose(folder);
  await publish().click();
  await status('The store can’t be reached. The upload continues').waitFor();
  await published();
  assert.equal(sent.count, 4 + 6);
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('Stop keeps what was uploaded, and the same folder continues after the page was loaded again', {
  skip: noBrowser,
}, async (t) => {
  const folder = await writeFolder(t, gameFiles(8));
  const id = await openDraft(t, 'Stopped folder');
  const stored = countStored(t);
  // The first three parts are sent, and the others wait.
  const never = new Promise<void>(() => {});
  await countParts((route, count) => (count <= 3 ? route.fallback() : never));
  await choose(folder);
  await page.getByLabel('Release notes').fill('Kept notes');
  await publish().click();
  await status('Uploading: 3.0 MiB of 8.0 MiB, 37 %').waitFor();
  await until(
    () => stored.count,
    (count) => count === 3,
    'three parts are stored',
  );
  const bar = page.getByRole('progressbar', { name: 'Upload' });
  assert.equal(await bar.evaluate((one) => Math.round(8 * Number(one.getAttribute('value')))), 3);
  assert.ok(await publish().isDisabled());
  assert.ok(await page.getByLabel('Choose a folder').isDisabled());
  await page.getByRole('button', { name: 'Stop' }).click();
  await status('Stopped. Nothing was published.').waitFor();
  assert.equal(await page.getByLabel('Release notes').inputValue(), 'Kept notes');
  assert.ok(await publish().isEnabled());
  assert.deepEqual(await versions(id), []);

  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  const held = Promise.withResolvers<void>();
  const sent = await countParts(async (route) => {
    await held.promise;
    await route.fallback();
  });
  await choose(folder);
  await publish().click();
  const words = await status(/^Continuing: \d\.0 MiB was already uploaded\.$/).textContent();
  held.resolve();
  await published();
  // A part that was on its way at the stop can arrive.
  const before = Number(words?.replace(/\D*(\d).*/, '$1'));
  assert.ok(before >= 3 && before <= 7, `${before} parts`);
  assert.equal(sent.count, 9 - before);
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('an expired session is reported, and the upload continues after the sign-in in another tab', {
  skip: noBrowser,
}, async (t) => {
  const folder = await writeFolder(t, gameFiles(6));
  const id = await openDraft(t, 'Signed out in the middle');
  const stored = countStored(t);
  const sent = await countParts(async (route, count) => {
    if (count === 7) {
      await until(
        () => stored.count,
        (done) => done === 6,
        'all other parts are stored',
      );
      await page.context().clearCookies();
    }
    await route.fallback();
  });
  await choose(folder);
  await publish().click();
  await status('Your session has ended. Nothing was published.').waitFor();
  await status('then publish again. The upload continues').waitFor();
  assert.deepEqual([sent.count, await versions(id)], [7, []]);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Sign in in a new tab' }).click();
  const tab = await opened;
  await tab.getByLabel('Your name').fill('Ada');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await tab.close();
  await publish().click();
  await published();
  assert.equal(sent.count, 8, 'only the last part is sent again');
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('a folder with secrets or without a start page is refused at once, and nothing is sent', {
  skip: noBrowser,
}, async (t) => {
  const id = await openDraft(t, 'Refused');
  const calls: string[] = [];
  const onRequest = (request: Request): void => {
    if (request.method() === 'POST') calls.push(request.url());
  };
  page.on('request', onRequest);
  t.after(() => page.off('request', onRequest));
  await choose(await writeFolder(t, { 'index.html': 'x', '.env': 'KEY=1', '.git/config': 'x' }));
  const alert = page.locator('[data-status]').getByRole('alert');
  await alert.getByText('The folder can’t be published. Nothing was uploaded.').waitFor();
  assert.deepEqual(await alert.locator('code').allTextContents(), ['.env', '.git/']);
  await publish().click();
  await alert.getByText('looks like an environment file').waitFor();
  await choose(await writeFolder(t, { 'a/index.html': 'x', 'b.js': 'x' }));
  await alert.getByText('There is no index.html at the top level.').waitFor();
  // The content of a file is searched when it is read.
  const key = '-----BEGIN RSA PRIVATE KEY-----';
  await choose(await writeFolder(t, { 'index.html': 'x', 'config.json': key }));
  await chosen('2 files').waitFor();
  assert.equal(await alert.count(), 0);
  await publish().click();
  await alert.getByText('appears to contain a private key').waitFor();
  assert.deepEqual(calls, []);
  await page.reload();
  await publish().click();
  await status('No build is chosen.').waitFor();
  assert.deepEqual(calls, []);
  assert.deepEqual(await versions(id), []);
});

test('a finding of the platform and a used version are reported', {
  skip: noBrowser,
}, async (t) => {
  const id = await openDraft(t, 'Found');
  const build = { 'index.html': '<!doctype html><script src="Main.js"></script>', 'main.js': 'x' };
  await choose(await writeFolder(t, build));
  await check().click();
  const fine = page.locator('[data-status]').getByRole('status');
  await fine.getByText('The build passed all checks: 2 files').waitFor();
  await fine.locator('code').first().waitFor();
  await publish().click();
  await fine.getByRole('link', { name: 'Continue' }).waitFor();
  assert.deepEqual(await versions(id), ['1.0.0']);
  await publish().click();
  await page.locator('[data-status]').getByRole('alert').getByText('1.0.0').first().waitFor();
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('a file that changes after the folder was chosen is reported', {
  skip: noBrowser,
}, async (t) => {
  const folder = await writeFolder(t, gameFiles(1));
  const id = await openDraft(t, 'Changed');
  await choose(folder);
  await chosen('3 files').waitFor();
  await writeFile(join(folder, 'main.js'), 'longer than before'.repeat(9));
  await publish().click();
  await status('The file "main.js" was changed after the folder was chosen').waitFor();
  assert.deepEqual(await versions(id), []);
  await choose(folder);
  await publish().click();
  await published();
});

test('a dropped folder is published, and a ZIP file that is chosen after it replaces it', {
  skip: noBrowser,
}, async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 230 }, (_, at) => [`many/${at}.txt`, `${at}`]),
  );
  const folder = await writeFolder(t, { ...gameFiles(1), ...many });
  const id = await openDraft(t, 'Dropped folder');
  const form = await page.locator('.drop').boundingBox();
  assert.ok(form !== null);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const at = { x: form.x + 20, y: form.y + 20 };
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  }
  await chosen('233 files').waitFor();
  await chosen('my game').waitFor();
  await publish().click();
  await published();
  const { releases } = await client.call('releases', { params: { id } });
  assert.equal(releases[0]?.file_count, 233);

  await choose(folder);
  await chosen('233 files').waitFor();
  await page.getByLabel('Build (ZIP file)').setInputFiles({
    name: 'small.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('no ZIP'),
  });
  await chosen('small.zip').waitFor();
  await publish().click();
  await page.locator('[data-status]').getByRole('alert').getByText('ZIP').first().waitFor();
});

test('without JavaScript the form has an input for a ZIP file only', {
  skip: noBrowser,
}, async (t) => {
  await openDraft(t, 'Plain');
  assert.ok(await page.getByText('Choose a folder').isVisible());
  const plain = await store.withoutScripts(page);
  assert.ok(await plain.getByText('Build (ZIP file)').isVisible());
  assert.ok(await plain.getByLabel('Build (ZIP file)').isVisible());
  assert.equal(await plain.getByText('Choose a folder').isVisible(), false);
  assert.equal(await plain.getByText('From a folder').isVisible(), false);
  await plain.close();
});

test('both ways are reachable by keyboard, and axe finds no violation in any state of the form', {
  skip: noBrowser,
}, async (t) => {
  const tester = await store.visitor({ bypassCSP: true });
  const shared = page;
  t.after(() => {
    page = shared;
  });
  await tester.context().addCookies(await page.context().cookies());
  page = tester;
  await openDraft(t, 'For axe');
  const violations = async (): Promise<string[]> => {
    await page.evaluate(AXE);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>(
        'axe.run(document.querySelector("form[data-upload]"))',
      );
      found.push(...violations.map(({ id }) => `${id}, ${colorScheme}`));
    }
    return found;
  };
  await page.getByLabel('Release notes').focus();
  const focused: string[] = [];
  for (let at = 0; at < 5; at++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      return element instanceof HTMLInputElement
        ? [...(element.labels ?? [])].map((label) => label.textContent).join('; ')
        : element?.textContent;
    });
    focused.push(name ?? '');
  }
  assert.deepEqual(focused, [
    'Choose a folder',
    'Build (ZIP file); Choose a ZIP file',
    'Upload and publish',
    'Stage',
    'Check only',
  ]);
  assert.deepEqual(await violations(), []);
  await choose(await writeFolder(t, { 'index.html': 'x', '.env': 'KEY=1' }));
  await page.getByRole('alert').waitFor();
  assert.deepEqual(await violations(), [], 'refused');
  await choose(await writeFolder(t, gameFiles(2)));
  await chosen('4 files').waitFor();
  assert.deepEqual(await violations(), [], 'chosen');
  await page.route('**/parts/*', (route) => route.abort('connectionreset'));
  await publish().click();
  await status('The store can’t be reached.').waitFor();
  assert.deepEqual(await violations(), [], 'waiting');
  await page.getByRole('button', { name: 'Stop' }).click();
  await status('Stopped.').waitFor();
  assert.deepEqual(await violations(), [], 'stopped');
});
