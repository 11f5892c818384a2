// Fast keys and the focus: key presses do not wait for a frame.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, openViewer, pickFile, type Viewer } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { showTimeline } from './sample-viewer.ts';

const SKIP = { skip: noBrowser };

async function openSample(): Promise<Viewer> {
  const viewer = await openViewer();
  await pickFile(viewer.page, { name: 'sample.vpt', text: sampleTrace({ seconds: 20 }) });
  await showTimeline(viewer.page);
  return viewer;
}

/** The focused element by its id, name or tag. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.id || at?.getAttribute('aria-label') || at?.textContent || at?.tagName || '';
  });

/** Sends keys without a frame in between, like a fast typist or a slow machine. */
const strike = (page: Page, keys: readonly string[]): Promise<void> =>
  page.evaluate(async (all) => {
    for (const key of all) {
      const on = document.activeElement ?? document.body;
      const init = { key, bubbles: true, cancelable: true };
      const typed = on.dispatchEvent(new KeyboardEvent('keydown', init));
      if (typed && on instanceof HTMLInputElement && key.length === 1) {
        on.value += key;
        on.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
      // Work of a key is finished before the next key, but no frame is drawn.
      await Promise.resolve();
      await Promise.resolve();
    }
  }, keys);

test('text that is typed right after / is in the search, from any view', SKIP, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await strike(page, ['/', 'u', 'p', '2', 'd']);
  assert.equal(await page.getByLabel('Search').inputValue(), 'up2d');
  await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
  assert.match(page.url(), /view=stacks.*search=up2d/);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByLabel('Search').inputValue(), '');
  assert.equal(await focused(page), 'search-frames');
  await page.keyboard.press('Escape');
  assert.equal(await focused(page), 'view');
  assert.deepEqual(faults, []);
});

test(
  'what is typed right after K is a command, and never a shortcut of the page below',
  SKIP,
  async () => {
    await using viewer = await openSample();
    const { page, faults } = viewer;
    await strike(page, ['k', 't', 'a', 'b', 'l', 'e']);
    assert.equal(await page.getByRole('combobox', { name: 'Command' }).inputValue(), 'table');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Functions' }).waitFor();
    await strike(page, ['k', 's', 'e', 'a', 'r', 'c', 'h', ' ', 'f']);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'search-frames');
    assert.deepEqual(faults, []);
  },
);

test(
  'the focus returns to its earlier element when a dialog is closed in any way',
  SKIP,
  async () => {
    await using viewer = await openSample();
    const { page, faults } = viewer;
    const about = page.getByRole('button', { name: 'About' });
    const dialog = page.getByRole('dialog');
    for (const close of ['Escape', 'Close', 'beside']) {
      await about.focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      if (close === 'Escape') await page.keyboard.press('Escape');
      else if (close === 'Close') await dialog.getByRole('button', { name: 'Close' }).click();
      else await page.mouse.click(5, 5);
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await focused(page), 'About', close);
    }
    await page.getByRole('navigation').getByRole('button', { name: 'Frames' }).click();
    const hitch = page.getByRole('button', { name: /^0:/ }).first();
    const name = await hitch.textContent();
    await hitch.click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    assert.equal(await focused(page), name);
    assert.deepEqual(faults, []);
  },
);

test('a dialog that is reopened right after it was closed stays open', SKIP, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  const about = page.getByRole('button', { name: 'About' });
  const dialog = page.getByRole('dialog');
  const nextFrames = () =>
    page.evaluate(
      () =>
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    );
  // Browsers send the close event in the next frame, so the dialog is reopened before it.
  await about.press('Enter');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await nextFrames();
  assert.equal(await dialog.isVisible(), true, 'Escape');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  for (const close of ['Close', 'beside']) {
    await about.click();
    await dialog.waitFor();
    await page.evaluate(async (how) => {
      const shown = document.querySelector('dialog');
      const button = shown?.querySelector<HTMLElement>('[aria-label=Close]');
      if (how === 'Close') button?.click();
      else shown?.click();
      const until = performance.now() + 5000;
      while (shown?.isConnected && performance.now() < until) await Promise.resolve();
      const again = [...document.querySelectorAll('button')].find(
        (at) => at.textContent === 'About',
      );
      again?.click();
    }, close);
    await dialog.waitFor();
    await nextFrames();
    assert.equal(await dialog.isVisible(), true, close);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'About', close);
  }
  assert.deepEqual(faults, []);
});

test(
  'arrow keys walk the flame graph one step a key, and Escape lets go of one thing after another',
  SKIP,
  async () => {
    await using viewer = await openViewer();
    const { page, faults } = viewer;
    const text = sampleTrace({ seconds: 20 });
    await pickFile(page, { name: 'sample.vpt', text });
    await showTimeline(page);
    await page.evaluate(() => {
      location.hash = 'view=stacks&range=2000-9000';
    });
    const graph = page.getByRole('application', { name: /^Flame graph/ });
    await page.locator('.legend li').first().waitFor();
    await graph.focus();
    await strike(page, ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'ArrowUp']);
    await page.getByText(/^loop, 100\.0 percent, depth 2$/).waitFor();
    await strike(page, ['ArrowDown', 'ArrowRight', 'Enter']);
    await page.locator('.flame-overview .overview-window').waitFor();
    await page.getByText(/^render, .* depth 3$/).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.flame-overview .overview-window').waitFor({ state: 'detached' });
    await page.getByText(/Compare show this time range\.$/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/Compare show this time range\.$/).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  },
);

test('a tooltip disappears with the pointer, also after a late response', SKIP, async () => {
  await using viewer = await openViewer();
  const { page } = viewer;
  await pickFile(page, { name: 'a.folded', text: 'main;a 1\nmain;b 2\n' });
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  await page.locator('.legend li').first().waitFor();
  await graph.evaluate((element) => {
    const { left, top } = element.getBoundingClientRect();
    const at = { clientX: left + 40, clientY: top + 9, bubbles: true };
    element.dispatchEvent(new PointerEvent('pointermove', at));
    element.dispatchEvent(new PointerEvent('pointerleave', at));
  });
  // The worker answers in order, so the question about the pointer was answered before this.
  await graph.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByText(/^main, 100\.0 percent/).waitFor();
  assert.equal(await page.getByRole('tooltip').count(), 0);
});

test('a tooltip changes during panning to the box under the pointer', SKIP, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'a.folded', text: 'main;left 10\nmain;right 10\n' });
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  await page.locator('.legend li').first().waitFor();
  const box = await graph.boundingBox();
  assert.ok(box);
  // Points near the left edge of the second of the two boxes.
  await page.mouse.move(box.x + box.width * 0.55, box.y + 27);
  const tip = page.getByRole('tooltip');
  await tip.getByText('right').waitFor();
  const left = async (): Promise<number> => (await tip.boundingBox())?.x ?? Number.NaN;
  assert.ok(Math.abs((await left()) - (box.x + box.width / 2)) < 3, `begins at ${await left()}`);
  const zoom = (deltaY: number): Promise<void> =>
    graph.evaluate(
      (element, [by, x]) => {
        const { left, top } = element.getBoundingClientRect();
        const at = {
          clientX: left + (x ?? 0),
          clientY: top + 27,
          bubbles: true,
          cancelable: true,
        };
        element.dispatchEvent(new WheelEvent('wheel', { deltaY: by ?? 0, ctrlKey: true, ...at }));
      },
      [deltaY, box.width * 0.55],
    );
  await zoom(-200);
  await page.waitForFunction(
    (most) => (document.querySelector('[role=tooltip]')?.getBoundingClientRect().x ?? most) < most,
    box.x + box.width / 2 - 20,
  );
  await tip.getByText('right').waitFor();
  await graph.evaluate((element) => {
    const event = { deltaX: -400, bubbles: true, cancelable: true };
    element.dispatchEvent(new WheelEvent('wheel', event));
  });
  await tip.getByText('left').waitFor();
  assert.deepEqual(faults, []);
});
