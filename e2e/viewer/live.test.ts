// During a capture, selection and zoom stay, and new data is added.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { sampleFolded } from './sample-trace.ts';

test('a selection and a zoomed view stay while the trace grows', { skip: noBrowser }, async () => {
  await using viewer = await openViewer({ target: true });
  const { page, faults } = viewer;
  await page.getByRole('button', { name: 'Start' }).first().click();
  const timeline = page.getByRole('application', { name: /^Timeline/ });
  await timeline.waitFor();
  const recorded = page.locator('.figure', { hasText: 'Recording' }).locator('dd');
  await recorded.filter({ hasText: /^([3-9]|\d\d)/ }).waitFor();
  await timeline.focus();
  for (const key of ['+', '+', '+', 'Home', 'Shift+ArrowRight']) await page.keyboard.press(key);
  const selected = page.getByText(/Compare show this time range\.$/);
  const before = [await timeline.getAttribute('aria-label'), await selected.textContent()];
  const then = await recorded.textContent();
  await page.waitForFunction(
    (text) =>
      ![...document.querySelectorAll('.figure dd')].some((figure) => figure.textContent === text),
    then,
  );
  const after = [await timeline.getAttribute('aria-label'), await selected.textContent()];
  assert.deepEqual(after, before);
  assert.deepEqual(faults, []);
});

test('opening a large file shows its progress and can be cancelled', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'small.folded', text: 'main;a 1\nmain;b 2\n' });
  await page.getByRole('heading', { name: 'small.folded' }).waitFor();
  const large = join(viewer.folder, 'large.folded');
  const block = sampleFolded(20_000);
  await writeFile(large, block.repeat(Math.ceil(120e6 / block.length)));
  // Cancels at the first progress.
  const cancelled = page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        setTimeout(() => reject(new Error('No progress was shown for a minute')), 60_000);
        const observer = new MutationObserver(() => {
          const bar = document.querySelector('.opening');
          const text = bar?.querySelector('span')?.textContent ?? '';
          if (!/: [1-9]/.test(text)) return;
          observer.disconnect();
          bar?.querySelector('button')?.click();
          resolve(text);
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
  await pickFile(page, large);
  assert.match(await cancelled, /^Reading large\.folded: [\d.]+ [KM]iB of \d+ MiB$/);
  await page.getByText('Stopped opening large.folded.').waitFor();
  await page.getByRole('heading', { name: 'small.folded' }).waitFor();
  assert.deepEqual(faults, []);
});
