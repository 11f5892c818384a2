// The pictures of the timeline in the room of the window: heights, the scale of frames, the crosshair and its second.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile, type Viewer, type ViewerOptions } from './open-viewer.ts';
import { sampleTrace, traceText } from './sample-trace.ts';
import { showTimeline } from './sample-viewer.ts';

const SKIP = { skip: noBrowser };

/** Ten seconds of frames with hitches of 250 and 700 ms, an asset, marks and a counter. */
const SLOW = traceText(
  { type: 'frames', t: 0, duration_ms: [...new Array(500).fill(10), 250, 700] },
  { type: 'frames', t: 6000, duration_ms: new Array(400).fill(10) },
  {
    type: 'asset',
    t: 5000,
    id: 1,
    name: 'https://cdn.game.example/build/textures/rock_albedo.ktx2',
    kind: 'texture',
    phase: 'load',
    duration_ms: 400,
  },
  { type: 'mark', t: 5100, name: 'boss' },
  { type: 'mark', t: 9999, name: 'end' },
  { type: 'counter', t: 0, name: 'enemies', unit: 'count', value: 3 },
  { type: 'counter', t: 5000, name: 'enemies', unit: 'count', value: 8 },
);

async function openTrace(text: string, options: ViewerOptions = {}): Promise<Viewer> {
  const viewer = await openViewer(options);
  await pickFile(viewer.page, { name: 'sample.vpt', text });
  await showTimeline(viewer.page);
  return viewer;
}

/** The height of the row of each track. */
const heights = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const labels = [...document.querySelectorAll('.track-label')];
    return Object.fromEntries(
      labels.map((label) => [
        label.querySelector('b')?.textContent ?? '',
        label.getBoundingClientRect().height,
      ]),
    );
  });

/** Waits for the text beside a track. */
const reads = async (page: Page, track: string, text: string): Promise<void> => {
  const label = page
    .locator('.track-label')
    .filter({ has: page.getByText(track, { exact: true }) });
  await label.locator('.read-out').getByText(text).first().waitFor();
};

/** Moves the mouse to a part of the width of the tracks. */
async function pointAt(page: Page, part: number): Promise<void> {
  const box = await page.locator('.track-canvas').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * part, box.y + 60);
}

test('tracks grow and shrink with the window, and rows of events stay compact', SKIP, async () => {
  await using viewer = await openTrace(SLOW, { size: { width: 1440, height: 800 } });
  const { page, faults } = viewer;
  const small = await heights(page);
  await page.setViewportSize({ width: 1440, height: 1100 });
  await page.waitForFunction(
    (before) => (document.querySelector('.track-label')?.clientHeight ?? 0) > before,
    small['Frame time'] ?? 0,
  );
  const large = await heights(page);
  for (const name of ['Frame time', 'enemies']) {
    assert.ok((large[name] ?? 0) > (small[name] ?? 0) + 40, JSON.stringify([small, large]));
  }
  for (const name of ['Assets', 'Marks']) assert.equal(large[name], small[name]);
  const fits = (): Promise<boolean> =>
    page.locator('.view').evaluate((view) => view.scrollHeight <= view.clientHeight);
  assert.equal(await fits(), true, 'all tracks are visible');
  await page.setViewportSize({ width: 1440, height: 420 });
  await page.waitForFunction(
    (before) => (document.querySelector('.track-label')?.clientHeight ?? 0) < before,
    small['Frame time'] ?? 0,
  );
  assert.equal(await fits(), false, 'the view scrolls');
  assert.deepEqual(faults, []);
});

test(
  'the scale of frames reaches the slowest frame, and its change is labelled',
  SKIP,
  async () => {
    await using viewer = await openTrace(SLOW, { size: { width: 1440, height: 1000 } });
    const { page } = viewer;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'SVG', exact: true }).click();
    const svg = await readFile(await (await download).path(), 'utf8');
    for (const label of ['budget 16.7 ms', '2× 33.3 ms', 'logarithmic above 50 ms', '100 ms']) {
      assert.ok(svg.includes(`>${label}<`), label);
    }
    assert.ok(svg.includes('>700 ms<'));
  },
);

test(
  'the mouse moves one crosshair with the values of every track, and no track is drawn again',
  SKIP,
  async () => {
    await using viewer = await openTrace(SLOW);
    const { page, faults } = viewer;
    await pointAt(page, 0.2);
    await reads(page, 'Frame time', '10.0 ms');
    await reads(page, 'enemies', '3');
    // Every drawing of the tracks begins with a rectangle.
    await page.evaluate(() => {
      const draw = CanvasRenderingContext2D.prototype.fillRect;
      CanvasRenderingContext2D.prototype.fillRect = function (...box) {
        document.body.dataset['drawn'] = 'yes';
        draw.apply(this, box);
      };
    });
    await pointAt(page, 0.51);
    await reads(page, 'Frame time', '250 ms');
    await reads(page, 'enemies', '8');
    await reads(page, 'Assets', '400 ms');
    await reads(page, 'Marks', 'boss');
    assert.equal(await page.locator('.track-canvas .cursor').count(), 1);
    const panel = page.getByRole('region', { name: 'The second at the crosshair' });
    await panel.getByText('0:05 to 0:06').waitFor();
    const asset = panel.getByRole('region', { name: 'Assets at work' });
    await asset.getByTitle('https://cdn.game.example/build/textures/rock_albedo.ktx2').waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset['drawn']), undefined);
    await page.mouse.move(5, 5);
    await page.locator('.track-canvas .cursor').waitFor({ state: 'detached' });
    await panel.getByText('0:05 to 0:06').waitFor();
    assert.deepEqual(faults, []);
  },
);

test('the keyboard moves the crosshair, which is spoken and stays until Escape', SKIP, async () => {
  await using viewer = await openTrace(SLOW);
  const { page, faults } = viewer;
  await page.getByRole('application', { name: /^Timeline/ }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByText(/^0:05\.000\. Frame time 250 ms\..* enemies 8$/).waitFor();
  await reads(page, 'enemies', '8');
  await page.keyboard.press('ArrowLeft');
  await page.getByText(/^0:04\.800\. Frame time 10\.0 ms\. enemies 3$/).waitFor();
  const panel = page.getByRole('region', { name: 'The second at the crosshair' });
  await panel.getByText('0:04 to 0:05').waitFor();
  await panel.getByRole('button', { name: 'Select' }).click();
  await page.getByText(/Compare show this time range\.$/).waitFor();
  assert.match(page.url(), /range=4000-5000/);
  await page.getByRole('application', { name: /^Timeline/ }).focus();
  await page.keyboard.press('Escape');
  await page.locator('.track-canvas .cursor').waitFor({ state: 'detached' });
  assert.match(page.url(), /range=4000-5000/, 'Escape lets go of one thing after another');
  assert.deepEqual(faults, []);
});

for (const dark of [false, true]) {
  test(
    `the second lists memory, assets and functions without a violation, ${dark ? 'dark' : 'light'}`,
    SKIP,
    async () => {
      await using viewer = await openTrace(sampleTrace(), { dark });
      const { page, faults } = viewer;
      await pointAt(page, 0.08);
      const panel = page.getByRole('region', { name: 'The second at the crosshair' });
      await panel.getByText('0:04 to 0:05').waitFor();
      await panel.getByRole('region', { name: 'Memory' }).getByText('RSS').waitFor();
      await panel
        .getByTitle(/^\w+s\/\w+_4\.bin$/)
        .first()
        .waitFor();
      assert.deepEqual(await violations(page), []);
      await page.setViewportSize({ width: 800, height: 900 });
      assert.deepEqual(await violations(page), [], 'below the tracks');
      const functions = panel.getByRole('region', { name: 'Functions by own time' });
      await functions.getByTitle('Callers and callees of update').first().click();
      await page.getByRole('application', { name: /^Callers of update/ }).waitFor();
      assert.match(page.url(), /range=4000-5000/);
      assert.deepEqual(faults, []);
    },
  );
}

test('the histogram grows with the window', SKIP, async () => {
  await using viewer = await openTrace(SLOW, { size: { width: 1440, height: 700 } });
  const { page, faults } = viewer;
  await page.getByRole('navigation').getByRole('button', { name: 'Frames', exact: true }).click();
  const chart = page.getByRole('img', { name: /^Histogram of frame times/ });
  await chart.waitFor();
  const before = (await chart.boundingBox())?.height ?? 0;
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.waitForFunction(
    (height) => (document.querySelector('.chart canvas')?.clientHeight ?? 0) > height + 200,
    before,
  );
  // It is drawn again a frame after its size has changed. Then it is sharp.
  await page.waitForFunction(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas');
    return canvas?.height === Math.round((canvas?.clientHeight ?? 0) * devicePixelRatio);
  });
  assert.deepEqual(faults, []);
});

test(
  'a long path in a table shows its file, and is copied without a line break',
  SKIP,
  async () => {
    await using viewer = await openTrace(SLOW, { size: { width: 1000, height: 700 } });
    const { page, faults } = viewer;
    await page.getByRole('navigation').getByRole('button', { name: 'Assets', exact: true }).click();
    const path = 'https://cdn.game.example/build/textures/rock_albedo.ktx2';
    const name = page.getByTitle(path, { exact: true }).first();
    await name.waitFor();
    assert.equal(await name.innerText(), path);
    const [start, end] = await name.evaluate((element) =>
      Array.from(element.children, (part) => part.scrollWidth - part.clientWidth),
    );
    assert.ok((start ?? 0) > 0, 'the start is cut');
    assert.equal(end, 0, 'the end is whole');
    const beyond = await name.evaluate(
      (element) =>
        (element.lastElementChild?.getBoundingClientRect().right ?? Number.NaN) -
        element.getBoundingClientRect().right,
    );
    assert.ok(beyond <= 0.5, `the end is ${beyond} pixels beyond its place`);
    assert.deepEqual(faults, []);
  },
);
