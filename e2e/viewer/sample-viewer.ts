// The viewer with the sample trace, and common actions of its tests.
import type { Page } from 'playwright-core';
import { openViewer, pickFile, type Viewer } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';

/** Opens a viewer with the sample. */
export async function openSample(dark = false): Promise<Viewer> {
  const viewer = await openViewer({ dark });
  await pickFile(viewer.page, { name: 'sample.vpt', text: sampleTrace() });
  await showTimeline(viewer.page);
  return viewer;
}

/** Leaves the overview, with which a trace opens, for the timeline. */
export async function showTimeline(page: Page): Promise<void> {
  await go(page, 'Timeline');
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
}

/** Opens a view by its tab. */
export const go = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name: view, exact: true }).click();

/** Opens another sample in the empty comparison. */
export async function pickSecond(page: Page): Promise<void> {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const buffer = Buffer.from(sampleTrace({ hitchEvery: 41, seconds: 50 }));
  await (await asked).setFiles({ name: 'before.vpt', mimeType: 'text/plain', buffer });
  await page.getByText('before.vpt').first().waitFor();
}
