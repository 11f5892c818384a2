// Checks of an open page: accessibility by axe, and its width. The page stays as it is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

type Found = { violations: { id: string; nodes: { html: string }[] }[] };

/** All rules in the light theme, and the rules about colours in the dark theme, without the content of frames. */
export async function findNothing(page: Page, state: string): Promise<void> {
  const run = async (options: object): Promise<string[]> => {
    const all = JSON.stringify({ iframes: false, ...options });
    const found = await page.evaluate<Found>(`axe.run(document, ${all})`);
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };
  await page.evaluate(AXE);
  assert.deepEqual(await run({}), [], `${state}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await run({ runOnly: ['color-contrast'] }), [], `${state}, dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Waits until nothing on the page is wider than the window, and no content of a panel wider than the panel. */
export async function fits(page: Page, width: number, state: string): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await until(
    () =>
      page.evaluate(() => {
        const parts = [document.documentElement, ...document.querySelectorAll('.panel, .scroll')];
        return Math.max(...parts.map((part) => part.scrollWidth - part.clientWidth));
      }),
    (tooMany) => tooMany <= 0,
    `the page and its panels fit ${width} px, ${state} (last: px too wide)`,
    10_000,
  );
}
