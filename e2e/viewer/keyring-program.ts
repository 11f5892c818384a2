// Runs in a separate D-Bus session with a keyring: stores a provider's key from the page, finds it, and removes it.
import assert from 'node:assert/strict';
import { violations } from './axe.ts';
import { openViewer, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { showTimeline } from './sample-viewer.ts';

const KEY = 'sk-from-the-page-0123456789';

await using viewer = await openViewer({ agent: { env: process.env } });
const { page, faults } = viewer;
const chooseProvider = async (id: string): Promise<void> => {
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.getByRole('combobox', { name: 'Provider' }).selectOption(id);
};
const kept = page.getByText('The key for anthropic is in the system’s keyring.');
await pickFile(page, { name: 'sample.vpt', text: sampleTrace({ seconds: 10 }) });
await showTimeline(page);
await page.getByRole('button', { name: 'Analysis', exact: true }).click();

await chooseProvider('openai');
const keep = page.getByRole('button', { name: 'Store in the keyring' });
assert.ok(await keep.isDisabled(), 'nothing to keep yet');
await page.getByLabel('Key for openai').fill('sk-for-another');
await page.getByRole('combobox', { name: 'Provider' }).selectOption('anthropic');
const field = page.getByLabel('Key for anthropic');
assert.equal(await field.inputValue(), '', 'what was typed is for one provider');
assert.equal(await field.getAttribute('type'), 'password');
await field.fill(KEY);
await keep.click();
await kept.waitFor();
await page.getByText('Stored the key for anthropic in the keyring.').waitFor();
assert.ok(!(await page.content()).includes(KEY), 'the page forgets it');
const stored = await page.evaluate(() =>
  JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
);
assert.ok(!stored.includes(KEY) && !page.url().includes(KEY), 'and keeps it nowhere');
assert.deepEqual(await violations(page), []);

await page.reload();
await chooseProvider('anthropic');
await kept.waitFor();
await page.getByRole('button', { name: 'Remove the key' }).click();
await page.getByLabel('Key for anthropic').waitFor();
await page.getByText('This provider needs a key first.').waitFor();
assert.deepEqual(faults, []);
console.log('all held');
