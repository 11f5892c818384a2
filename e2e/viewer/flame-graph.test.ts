// The flame graph compared with a model: positions, colours and keyboard navigation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutLeftHeavy, readFolded } from '@svc/trace';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { random, sampleFolded } from './sample-trace.ts';

const ROW_PX = 18;

test("the pixel at the centre of 100 random frames has the frame's colour, and pointing there names it", {
  skip: noBrowser,
}, async () => {
  const text = sampleFolded(400);
  const { tree } = readFolded(text);
  const layout = layoutLeftHeavy(tree);
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'model.folded', text });
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  await graph.waitFor();
  await page.getByText('Left heavy').waitFor();
  await page.locator('.legend li').first().waitFor();
  const box = await graph.boundingBox();
  assert.ok(box);
  const scale = box.width / layout.total;
  const next = random(3);
  const visible = Array.from({ length: tree.length }, (_, node) => node).filter((node) => {
    const wide = (layout.width[node] ?? 0) * scale;
    return wide >= 3 && ((layout.depth[node] ?? 0) + 1) * ROW_PX < box.height;
  });
  assert.ok(visible.length >= 100, `${visible.length} frames are wide enough`);
  const colours = await categoryColours(page);
  const chosen = Array.from(
    { length: 100 },
    () => visible[Math.floor(next() * visible.length)] ?? 0,
  );
  const points = chosen.map((node) => ({
    x: ((layout.start[node] ?? 0) + (layout.width[node] ?? 0) / 2) * scale,
    y: (layout.depth[node] ?? 0) * ROW_PX,
  }));
  await page.mouse.move(box.x + 1, box.y + box.height - 2);
  // The worker draws after the message of the page. The root's row is visible then.
  const [native = []] = colours;
  await until(
    () => pixelsAt(page, [{ x: 40, y: 3 }]),
    ([colour]) => native.includes(colour ?? ''),
    'the box is native',
  );
  const pixels = await pixelsAt(
    page,
    points.map(({ x, y }) => ({ x, y: y + ROW_PX - 3 })),
  );
  for (const [index, node] of chosen.entries()) {
    const point = points[index] ?? { x: 0, y: 0 };
    const frame = tree.nodeFrames[node] ?? 0;
    const shades = colours[tree.frames.categoryCode(frame)] ?? [];
    const pixel = pixels[index] ?? '';
    assert.ok(
      shades.includes(pixel),
      `${tree.frames.text(frame)} is ${pixel}, not one of ${shades.join(' ')}`,
    );
    await page.mouse.move(box.x + point.x, box.y + point.y + ROW_PX / 2);
    const tip = page.getByRole('tooltip');
    await tip.locator('b', { hasText: new RegExp(`^${tree.frames.name(frame)}$`) }).waitFor();
  }
  assert.deepEqual(faults, []);
});

/** The colours of each category in the page's palette. */
async function categoryColours(page: Page): Promise<string[][]> {
  const tokens = ['native', 'kernel', 'jit', 'inlined', 'waker'];
  const bases = await page.evaluate((names) => {
    const probe = document.createElement('i');
    document.body.append(probe);
    const found = names.map((name) => {
      probe.style.color = `var(--flame-${name})`;
      return (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
    });
    probe.remove();
    return found;
  }, tokens);
  return bases.map((base) =>
    Array.from({ length: 8 }, (_, shade) => {
      const towards = shade % 2 === 0 ? [255, 255, 255] : [150, 100, 40];
      const part = (shade >> 1) * 0.11;
      return base
        .map((value, i) => Math.round(value + ((towards[i] ?? 0) - value) * part))
        .join(',');
    }),
  );
}

/** The colours of the canvas at points in CSS pixels. */
function pixelsAt(page: Page, points: readonly { x: number; y: number }[]): Promise<string[]> {
  return page.evaluate((places) => {
    const shown = document.querySelector<HTMLCanvasElement>('.flame-boxes canvas');
    const copy = document.createElement('canvas');
    const context = copy.getContext('2d');
    if (shown === null || context === null) return [];
    copy.width = shown.width;
    copy.height = shown.height;
    context.drawImage(shown, 0, 0);
    return places.map(({ x, y }) =>
      Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3)).join(','),
    );
  }, points);
}

test('the keyboard moves between boxes and zooms, and the search reports its share', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, {
    name: 'small.folded',
    text: 'main;update;ai 30\nmain;render;draw 60\nmain;idle 10\n',
  });
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  await graph.focus();
  const chosen = page.locator('.chosen-facts b');
  await page.keyboard.press('ArrowDown');
  await chosen.filter({ hasText: 'main' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await chosen.filter({ hasText: 'render' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await chosen.filter({ hasText: 'update' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await chosen.filter({ hasText: 'ai' }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.locator('.flame-overview .overview-window').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.flame-overview .overview-window').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('^r.*r$');
  await page.getByText('1 match covers 60.0 %').waitFor();
  await page.getByLabel('Search').fill('e');
  await page.getByText('3 matches cover 100 %').waitFor();
  for (const [key, name] of [
    ['Enter', 'render'],
    ['Enter', 'update'],
    ['Shift+Enter', 'render'],
    ['Shift+Enter', 'idle'],
  ] as const) {
    await page.keyboard.press(key);
    await chosen.filter({ hasText: name }).waitFor();
  }
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Only').fill('update|render');
  await page.getByText(/90.* of 100 \(90\.0 %\)/).waitFor();
  await page.getByLabel('Only').fill('');
  await page.getByLabel('Merge').fill('render|draw');
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  const merged = page.getByRole('row', { name: /^\[render\|draw\]/ });
  await merged.getByRole('cell', { name: '60.0 %' }).first().waitFor();
  await page.getByLabel('Merge').fill('');
  await page.getByRole('button', { name: 'Tree', exact: true }).click();
  const main = page.getByRole('row', { name: /main/ });
  await main.focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('row', { name: /render/ }).waitFor();
  assert.equal(await main.getAttribute('aria-expanded'), 'true');
  assert.deepEqual(faults, []);
});

test('folded stacks with two counts open in the comparison', { skip: noBrowser }, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'diff.folded', text: 'main;a 10 40\nmain;b 30 10\n' });
  await page.getByRole('application', { name: /^Differential flame graph/ }).waitFor();
  await page.getByRole('button', { name: 'Show table' }).click();
  const row = page.getByRole('row', { name: /^a / });
  await row.getByRole('cell', { name: '+55.0 %' }).first().waitFor();
  assert.deepEqual(faults, []);
});
