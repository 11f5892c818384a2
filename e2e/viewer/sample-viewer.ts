// The viewer with the sample trace in it, and what tests of its views do most.
import type { Page } from 'playwright-core';
import { openViewer, pickFile, type Viewer } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';

/** A viewer with the sample in it. */
export async function openSample(dark = false): Promise<Viewer> {
  const viewer = await openViewer({ dark });
  await pickFile(viewer.page, { name: 'sample.vpt', text: sampleTrace() });
  await viewer.page.getByRole('application', { name: /^Timeline/ }).waitFor();
  return viewer;
}

/** Goes to a view by its tab. */
export const go = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name: view, exact: true }).click();

/** Opens another sample to compare with, from the empty comparison. */
export async function pickSecond(page: Page): Promise<void> {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const buffer = Buffer.from(sampleTrace({ hitchEvery: 41, seconds: 50 }));
  await (await asked).setFiles({ name: 'before.vpt', mimeType: 'text/plain', buffer });
  await page.getByText('before.vpt').first().waitFor();
}
