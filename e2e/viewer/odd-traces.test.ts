// Traces with little or unusual data: each view shows the existing data only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord } from '@svc/trace';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { traceText } from './sample-trace.ts';
import { go } from './sample-viewer.ts';

test('a trace with only losses lists them', { skip: noBrowser }, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const text = traceText(
    { type: 'loss', t: 1000, reason: 'hidden_tab', duration_ms: 5000 },
    { type: 'loss', t: 7000, reason: 'buffer_full' },
  );
  await pickFile(page, { name: 'lost.vpt', text });
  await page.getByText('5.0 s of 7.0 s is missing: hidden tab, buffer full.').waitFor();
  await go(page, 'Timeline');
  await page.getByText('hidden_tab at 0:01.000 for 5.00 s, buffer_full at 0:07.000.').waitFor();
  assert.deepEqual(faults, []);
});

test('a trace with many assets lists the costliest and the number of others, which are included in the totals', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const text = traceText(
    ...Array.from(
      { length: 10_003 },
      (_, id): KnownRecord => ({
        type: 'asset',
        t: 1,
        id,
        name: `asset ${id}`,
        kind: id % 2 === 0 ? 'data' : 'audio',
        phase: 'read',
        duration_ms: id + 1,
      }),
    ),
  );
  await pickFile(page, { name: 'many.vpt', text });
  await go(page, 'Assets');
  await page.getByText('3 more assets are not listed.').waitFor();
  await page.getByText(/10\s000 of 10\s003 assets of the whole trace/).waitFor();
  const unknown = page.getByText('of unknown size');
  assert.match(await unknown.innerText(), /^10\s003 of/, 'the totals are of all assets');
  await page.getByLabel('Kind').selectOption('data');
  await page.getByText(/^5\s000 of 10\s003 assets of the whole trace/).waitFor();
  assert.match(await unknown.innerText(), /^5\s000 of/, 'with a filter they are of what is listed');
  await page.getByLabel('Kind').selectOption('');
  await page.getByLabel('Source').selectOption({ index: 1 });
  await page.getByText(/^10\s000 of 10\s003 assets of the whole trace/).waitFor();
  assert.match(await unknown.innerText(), /^10\s000 of/);
  assert.deepEqual(faults, []);
});

test('the sandwich view of another trace starts with a function of that trace', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'one.folded', text: 'main;draw 30\nmain;walk 10\n' });
  await go(page, 'Stacks');
  await page.getByRole('button', { name: 'Sandwich', exact: true }).click();
  await page.getByRole('application', { name: /^Callers of draw/ }).waitFor();
  await page.locator('.row-button', { hasText: 'walk' }).click();
  await page.getByRole('application', { name: /^Callers of walk/ }).waitFor();
  // A function that is also in the next trace stays selected.
  await pickFile(page, { name: 'two.folded', text: 'main;jump 30\nmain;walk 10\n' });
  await page.locator('.row-button', { hasText: 'jump' }).waitFor();
  await page.getByRole('application', { name: /^Callers of walk/ }).waitFor();
  await pickFile(page, { name: 'three.folded', text: 'main;swim 30\nmain;fly 40\n' });
  await page.getByRole('application', { name: /^Callers of fly/ }).waitFor();
  await page.getByLabel('Hide').fill('fly');
  await page
    .getByText('fly does not occur in the shown stacks. Choose another function.')
    .waitFor();
  assert.deepEqual(faults, []);
});

test('weights that exceed a double, of one sample and of 0 are reported', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const huge = 'main;a 123456789012345678901234567890\nmain;b 9007199254740993000000\nmain;c 1\n';
  await pickFile(page, { name: 'huge.folded', text: huge });
  await go(page, 'Stacks');
  await page.getByText('Total 1.23 × 10²⁹').waitFor();
  await page.getByTitle('exactly 123456798019544933642227567891 count in total').waitFor();
  await pickFile(page, { name: 'zero.folded', text: 'main;a 0\nmain;b 0\n' });
  await page.getByText('nothing to draw: the total weight is 0').waitFor();
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await pickFile(page, { name: 'one.folded', text: 'main 1\n' });
  await page.getByText(/^1 function; percent of 1 shown/).waitFor();
  assert.deepEqual(faults, []);
});

test('frames at the limit of the budget are counted equally in the number and in the list', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const steady = Array.from({ length: 120 }, (_, i) => (i % 2 === 0 ? 16.5 : 16.9));
  const text = traceText({ type: 'frames', t: 0, duration_ms: [...steady, 18, 40] });
  await pickFile(page, { name: 'steady.vpt', text });
  await go(page, 'Frames');
  await page.getByText('2 frames more than 5 % over budget').waitFor();
  const figure = page.locator('.frame-figures > div', { hasText: 'Over budget' });
  const figures = await figure.locator('dd').innerText();
  assert.match(figures, /^2\s*by more than 5 %; 1\.64 % of frames/);
  assert.deepEqual(faults, []);
});

test('a card before Start lists the probes', { skip: noBrowser }, async () => {
  await using viewer = await openViewer({ target: true });
  const { page } = viewer;
  await page.getByText('Then CPU, RSS and PSS are read once a second. The recording').waitFor();
});

test('a selection in one trace does not restrict the next trace', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const frames = (t: number, ...duration_ms: number[]): string =>
    traceText({ type: 'frames', t, duration_ms });
  await pickFile(page, { name: 'first.vpt', text: frames(0, 16, 50, 16, 16) });
  await go(page, 'Frames');
  await page.getByRole('region', { name: 'Hitches, worst first' }).waitFor();
  await page.locator('body').press('n');
  await page.getByText('Only the selected time range.').waitFor();
  await pickFile(page, { name: 'second.vpt', text: frames(0, 16, 16, 16, 70, 16) });
  await page.getByText('of 5 frames').waitFor();
  assert.equal(await page.getByText('Only the selected time range.').count(), 0);
  assert.deepEqual(faults, []);
});

test('a call tree with too many nodes is truncated, and each view reports it', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  /** How often each loaded script of a worker has the limit. */
  const limits: number[] = [];
  await page.route('**/assets/*engine-*.js', async (route) => {
    const answer = await route.fetch();
    const parts = (await answer.text()).split('nodes:33554432');
    limits.push(parts.length - 1);
    await route.fulfill({ response: answer, body: parts.join('nodes:1000') });
  });
  await page.reload();
  const stacks = Array.from({ length: 4000 }, (_, i) => `main;part_${i % 7};leaf_${i} 1\n`);
  await pickFile(page, { name: 'wide.folded', text: stacks.join('') });
  const notice = page.getByRole('status').filter({ hasText: 'Truncated.' });
  await notice.getByText(/of 4.000 samples \(7\d\.\d %\) are deeper and end in/).waitFor();
  assert.ok(limits.length > 0 && limits.every((count) => count === 1), limits.join(', '));
  // The sums include the truncated frames.
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.getByText(/percent of 4.000 shown/).waitFor();
  await notice.waitFor();
  await page.getByRole('button', { name: 'Tree', exact: true }).click();
  await page
    .getByRole('treegrid')
    .getByText(/^4.000$/)
    .waitFor();
  await notice.waitFor();
  assert.deepEqual(faults, []);
});
