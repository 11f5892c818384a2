// A file that the page opens and sends to the agent is never fetched back by that page, and other pages open it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { dropFile, noBrowser, openViewer, type Viewer } from './open-viewer.ts';

const FOLDED = 'main;update;ai 30\nmain;render 60\n';
/** Longer than the agent's longest pause between two live messages, which is 1.5 s. */
const TWO_MESSAGES_MS = 3500;

/** Counts how often a page opens the agent's trace. What a trace has grown by is requested with a range. */
function countOpenings(page: Page): { count: number } {
  const openings = { count: 0 };
  page.on('request', (request) => {
    const isExport = request.method() === 'GET' && request.url().endsWith('/api/trace');
    if (isExport && request.headers()['range'] === undefined) openings.count++;
  });
  return openings;
}

const titleOf = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function traceOf({ agent }: Viewer): Promise<{ id: string; name: string } | null> {
  const authorization = `Bearer ${agent.token}`;
  const answer = await fetch(`${agent.origin}/api/status`, { headers: { authorization } });
  return (await answer.json()).trace;
}

/** Holds the answer to each import back until it is released. The agent has the trace already. */
async function holdAnswers(page: Page): Promise<{ held(): number; release(): void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  await page.route('**/api/trace', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    count++;
    await promise;
    await route.fulfill({ response });
  });
  return { held: () => count, release: resolve };
}

test('a second page opens the file that the first page sent, and the first page does not open it again', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent, faults } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(agent.url);
  await other.getByRole('heading', { name: 'Open a trace' }).waitFor();
  const [own, others] = [countOpenings(page), countOpenings(other)];
  await dropFile(page, 'game.folded', FOLDED);
  await titleOf(page, 'game.folded').waitFor();
  await titleOf(other, 'game.folded').waitFor();
  await page.waitForTimeout(TWO_MESSAGES_MS);
  assert.deepEqual([own.count, others.count], [0, 1]);
  await dropFile(other, 'next.folded', FOLDED);
  await titleOf(page, 'next.folded').waitFor();
  await other.waitForTimeout(TWO_MESSAGES_MS);
  assert.deepEqual([own.count, others.count], [1, 1]);
  assert.deepEqual(faults, []);
});

test('a status that arrives before the answer to the import does not open the file again', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  const answers = await holdAnswers(page);
  const openings = countOpenings(page);
  await dropFile(page, 'game.folded', FOLDED);
  await until(answers.held, (count) => count === 1, 'the agent has the file');
  await page.waitForTimeout(TWO_MESSAGES_MS);
  answers.release();
  await page.waitForTimeout(TWO_MESSAGES_MS);
  await titleOf(page, 'game.folded').waitFor();
  assert.equal(openings.count, 0);
  assert.deepEqual(faults, []);
});

test('of two files that are opened quickly the second stays, and the agent has it in the end', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  const answers = await holdAnswers(page);
  const openings = countOpenings(page);
  await dropFile(page, 'first.folded', FOLDED);
  await until(answers.held, (count) => count === 1, 'the agent has the first file');
  await dropFile(page, 'second.folded', FOLDED);
  await titleOf(page, 'second.folded').waitFor();
  await page.waitForTimeout(TWO_MESSAGES_MS);
  assert.equal((await traceOf(viewer))?.name, 'first.folded');
  answers.release();
  await until(
    () => traceOf(viewer),
    (trace) => trace?.name === 'second.folded',
    'the agent has the second file',
  );
  await page.waitForTimeout(TWO_MESSAGES_MS);
  await titleOf(page, 'second.folded').waitFor();
  assert.equal(openings.count, 0);
  assert.deepEqual(faults, []);
});

test('a capture that starts while a file is being sent is shown', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ target: true });
  const { page, faults } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  const answers = await holdAnswers(page);
  await dropFile(page, 'game.folded', FOLDED);
  const openings = countOpenings(page);
  await until(answers.held, (count) => count === 1, 'the agent has the file');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace the open trace?' });
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Capturing', { exact: true }).waitFor();
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
  const recorded = (await traceOf(viewer))?.name ?? '';
  assert.match(recorded, /\.vpt$/);
  answers.release();
  await page.waitForTimeout(TWO_MESSAGES_MS);
  await titleOf(page, recorded).waitFor();
  assert.equal(openings.count, 1);
  assert.deepEqual(faults, []);
});
