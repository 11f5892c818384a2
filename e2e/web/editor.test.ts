// The editor in a browser: live preview, layout, expired session, unsaved changes, no JavaScript.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import type { PlatformClient } from '../../packages/contracts/src/platform.ts';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

let store: Store;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ({ page, client } = await store.owner('Ada'));
});
after(() => store?.[Symbol.asyncDispose]());

async function openEditor(
  title: string,
): Promise<{ id: string; slug: string; preview: FrameLocator }> {
  const { game } = await client.call('createProject', { body: { title } });
  const context = page.context();
  await page.close();
  page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${store.site.origin}/dashboard/games/${game.id}/page`);
  const preview = page.frameLocator('iframe[title="Preview of the page"]');
  await preview.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  return { id: game.id, slug: game.slug, preview };
}

test('the preview shows a draft as visitors would see it, and only its owner can open it', {
  skip: noBrowser,
}, async () => {
  const { slug, preview } = await openEditor('Written live');
  await page.getByLabel('Title').fill('Other title');
  await preview.getByRole('heading', { level: 1, name: 'Other title' }).waitFor();
  await page.getByLabel('Tagline').fill('A tagline');
  await preview.locator('.lead', { hasText: 'A tagline' }).waitFor();
  await page.getByRole('textbox', { name: 'Description' }).fill(`# Hello\n\n**bold** ${EVIL}`);
  await preview.getByRole('heading', { name: 'Hello' }).waitFor();
  assert.equal(await preview.locator('.prose img, .prose script').count(), 0);
  await page.getByRole('textbox', { name: 'Tags' }).fill('space, Short');
  await preview.getByRole('link', { name: 'short', exact: true }).waitFor();
  await page.getByLabel('Category').selectOption('puzzle');
  await preview.locator('.facts').getByText('Puzzle').waitFor();
  assert.equal(await preview.getByRole('link', { name: 'Sign in' }).count(), 1);
  assert.equal(await preview.getByRole('heading', { name: 'Your game' }).count(), 0);

  const answer = await fetch(`${store.site.origin}/games/${slug}`);
  assert.equal(answer.status, 404);
  assert.deepEqual(store.faults, []);
});

test('template, theme, accent and the order of sections change the preview at once', {
  skip: noBrowser,
}, async () => {
  const { preview } = await openEditor('Laid out');
  await page.getByRole('textbox', { name: 'Description' }).fill('Words');
  await preview.getByRole('heading', { name: 'About' }).waitFor();
  await page.getByLabel('Template').selectOption('wide');
  await preview.locator('article.game.wide').waitFor();
  await page.getByLabel('Theme').selectOption('dark');
  await preview.locator('html[data-theme="dark"]').waitFor();
  await page.getByLabel('Accent colour').fill('#ffb000');
  await preview.locator('html[style*="#ffb000"]').waitFor();
  const play = preview.locator('.play');
  assert.deepEqual(
    await play.evaluate((element) => {
      const { backgroundColor, color } = getComputedStyle(element);
      return [backgroundColor, color];
    }),
    ['rgb(255, 176, 0)', 'rgb(0, 0, 0)'],
  );
  await page.getByRole('combobox', { name: 'Developer' }).selectOption('1');
  await page.getByRole('combobox', { name: 'Description' }).selectOption('2');
  await preview.locator('section:has(#maker) + section:has(#about)').waitFor();
  await page.getByLabel('Accent colour').fill('');
  await preview.locator('html:not([style*="#ffb000"])').waitFor();
});

test('the preview has a phone width, disabled links and a stable scroll position', {
  skip: noBrowser,
}, async () => {
  const { preview } = await openEditor('As on a phone');
  const inner = () => preview.locator('html').evaluate(() => innerWidth);
  assert.equal(await inner(), 1280);
  await page.getByRole('button', { name: 'Phone' }).click();
  await until(inner, (width) => width === 390, 'the preview is as wide as a phone');
  const address = await preview.locator('html').evaluate(() => location.href);
  await preview.getByRole('link', { name: 'Sign in' }).click();
  await preview.getByRole('link', { name: 'Play', exact: true }).click();
  assert.equal(await preview.locator('html').evaluate(() => location.href), address);
  await page.getByRole('textbox', { name: 'Description' }).fill('line\n\n'.repeat(80));
  await preview.locator('.prose p').nth(79).waitFor();
  await preview.locator('html').evaluate(() => scrollTo(0, 900));
  await page.getByLabel('Tagline').fill('Now with a tagline');
  await preview.locator('.lead').waitFor();
  assert.ok((await preview.locator('html').evaluate(() => scrollY)) > 500);
});

test('an expired session keeps the input in the editor, and after Save until the sign-in in another tab', {
  skip: noBrowser,
}, async () => {
  const { id } = await openEditor('Ended');
  const typed = `Long "words" </textarea> ${EVIL}`;
  await page.context().clearCookies();
  await page.getByRole('textbox', { name: 'Description' }).fill(typed);
  await page.getByText('Your session has ended. Sign in in another tab').waitFor();
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Your input is kept on this page').waitFor();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: '1. Sign in in a new tab' }).click();
  const tab = await opened;
  await tab.getByLabel('Your name').fill('Ada');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await page.getByRole('button', { name: '2. Submit again' }).click();
  await page.getByText('Saved. If the game is published').waitFor();
  const project = await client.call('project', { params: { id } });
  assert.equal(project.page.description, typed);
});

test('leaving with unsaved changes asks for confirmation, and leaving after saving does not', {
  skip: noBrowser,
}, async () => {
  await openEditor('Leaving');
  await page.getByLabel('Tagline').pressSequentially('typed');
  const asked = page.waitForEvent('dialog');
  await page.getByRole('link', { name: 'Your games' }).click({ noWaitAfter: true });
  assert.equal((await asked).type(), 'beforeunload');
  assert.equal(await page.getByLabel('Tagline').inputValue(), 'typed');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved. If the game is published').waitFor();
  await page.getByRole('link', { name: 'Your games' }).click();
  await page.getByRole('heading', { name: 'Your games' }).waitFor();
  assert.deepEqual(
    store.faults.filter((fault) => !/status of 401/.test(fault)),
    [],
  );
});

test('without JavaScript the preview is a separate page, and another site can’t frame it', {
  skip: noBrowser,
}, async () => {
  const { id } = await openEditor('Plain');
  const plain = await store.withoutScripts(page);
  await plain.getByLabel('Tagline').fill('Not saved');
  const opened = plain.context().waitForEvent('page');
  await plain.getByRole('button', { name: 'Preview in a new tab' }).click();
  const tab = await opened;
  await tab.getByText('Not saved').waitFor();
  const { headers } = await fetch(`${store.site.origin}/dashboard/games/${id}/preview`, {
    headers: {
      cookie: (await page.context().cookies(store.site.origin))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    },
  });
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/);
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
  assert.equal((await client.call('project', { params: { id } })).page.tagline, null);
});
