// A rejected form in a browser: the message is at its field, visible and accessible, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { noBrowser, openStore, type Store } from './open-store.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

let store: Store;
before(async () => {
  if (noBrowser === false) store = await openStore();
});
after(() => store?.[Symbol.asyncDispose]());

test('a rejected form shows at each field what is wrong and what is allowed', {
  skip: noBrowser,
}, async () => {
  const page = await store.visitor({ bypassCSP: true });
  await store.site.developer('Ada');
  await page.goto(`${store.site.origin}/sign-in?return_to=/dashboard/new`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Title').fill('Moon Hop');
  await page.getByLabel('Address').fill('admin');
  await page.getByRole('button', { name: 'Create draft' }).click();
  const slug = page.getByLabel('Address');
  await slug.and(page.locator('[aria-invalid="true"]')).waitFor();
  const fault = page.locator('#slug-fault');
  assert.equal(await fault.textContent(), 'The slug "admin" is reserved. Choose another.');
  assert.match((await slug.getAttribute('aria-describedby')) ?? '', /^slug-fault slug-hint$/);
  assert.equal(await page.getByLabel('Title').getAttribute('aria-invalid'), null);
  assert.equal(await slug.inputValue(), 'admin');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const found = await page.evaluate<{ violations: { id: string }[] }>('axe.run(document)');
    assert.deepEqual(
      found.violations.map(({ id }) => id),
      [],
      colorScheme,
    );
  }
});
