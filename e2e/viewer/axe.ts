// Runs axe-core on a page of the viewer.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** The violations that axe finds, one line each. */
export async function violations(page: Page): Promise<string[]> {
  // Uses the DevTools protocol, because the page's content security policy would block the script.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.target.join(' ') + ' ' + node.failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  assert.ok(Array.isArray(result.value), 'axe ran');
  return result.value.map(String);
}
