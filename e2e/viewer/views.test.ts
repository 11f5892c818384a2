// All views with data: their content, the tables of their charts, and no violation found by axe, in both themes.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { go, openSample, pickSecond, showTimeline } from './sample-viewer.ts';

for (const dark of [false, true]) {
  test(`axe finds no violation in any view, table or dialog with data, ${dark ? 'dark' : 'light'}`, {
    skip: noBrowser,
  }, async () => {
    await using viewer = await openSample(dark);
    const { page, faults } = viewer;
    const clean = async (what: string): Promise<void> => {
      assert.deepEqual(await violations(page), [], what);
    };
    await clean('timeline');
    await page.getByRole('button', { name: 'Show table' }).click();
    await page.getByRole('region', { name: 'Everything on the timeline' }).waitFor();
    await clean('timeline as a table');
    await go(page, 'Frames');
    await page.getByRole('region', { name: 'Hitches, worst first' }).waitFor();
    await clean('frames');
    await page.getByRole('button', { name: /^0:/ }).first().click();
    await page.getByRole('dialog').waitFor();
    await clean('moment');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show table' }).click();
    await page.getByRole('region', { name: 'Frames by length' }).waitFor();
    await clean('frames as a table');
    await go(page, 'Stacks');
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    await clean('stacks, left heavy');
    for (const mode of ['In order', 'Sandwich', 'Table', 'Tree']) {
      await page.getByRole('button', { name: mode, exact: true }).click();
      await page.locator('tbody tr, .flame-boxes canvas').first().waitFor();
      await clean(`stacks, ${mode}`);
    }
    await go(page, 'Assets');
    await page.getByRole('region', { name: 'Assets, most expensive first' }).waitFor();
    await page.getByLabel('Memory budget').fill('64');
    await page.locator('.row-button').first().click();
    await clean('assets');
    await go(page, 'Compare');
    await clean('compare, before a second trace');
    await pickSecond(page);
    await page.getByRole('region', { name: 'Frames and memory, before and after' }).waitFor();
    await clean('compare, numbers');
    await page.getByRole('button', { name: 'Memory over time' }).click();
    await page.getByRole('img', { name: /^Memory over time, before and after/ }).waitFor();
    await clean('compare, memory');
    await page.getByRole('button', { name: 'Show table' }).click();
    const curves = page.getByRole('region', { name: 'Memory over time, before and after' });
    await curves
      .getByRole('cell', { name: /^[+−±]/ })
      .first()
      .waitFor();
    await clean('compare, memory as a table');
    for (const part of ['Stacks', 'Assets']) {
      await page
        .getByRole('group', { name: 'What is compared' })
        .getByRole('button', { name: part })
        .click();
      await page.locator('.compare table tbody tr, .compare .flame-boxes canvas').first().waitFor();
      await clean(`compare, ${part}`);
    }
    for (const [key, name] of [
      ['?', 'Keyboard shortcuts'],
      ['k', 'Commands'],
      ['i', 'sample.vpt'],
    ] as const) {
      await page.locator('body').press(key);
      await page.getByRole('dialog', { name }).waitFor();
      await clean(name);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('dialog', { name: 'End the session?' }).waitFor();
    await clean('end session');
    assert.deepEqual(faults, []);
  });
}

test('a selection restricts every view, is part of the address, and is restored from it', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  const box = await page.locator('.track-canvas').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.1, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await page.getByText(/Compare show this time range\.$/).waitFor();
  const range = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('range');
  assert.match(range ?? '', /^\d+(\.\d+)?-\d+(\.\d+)?$/);
  const [from = 0, to = 0] = (range ?? '').split('-').map(Number);
  assert.ok(Math.abs(from - 6000) < 200 && Math.abs(to - 12_000) < 200, range ?? '');
  await go(page, 'Frames');
  await page.getByText('Only the selected time range.').waitFor();
  await go(page, 'Assets');
  await page.getByText(/active from 0:0[56].* to 0:1[12]/).waitFor();
  const inRange = await page.locator('.assets tbody tr').count();
  await go(page, 'Stacks');
  await page.getByText(/ of 3.?563 samples/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(/ of 3.?563 samples/).waitFor({ state: 'detached' });
  await go(page, 'Assets');
  await page.getByText('of the whole trace').waitFor();
  const inAll = await page.locator('.assets tbody tr').count();
  assert.ok(inRange > 0 && inRange < inAll, `${inRange} of ${inAll} assets`);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `view=frames&range=${range}`);
  await page.getByText('Only the selected time range.').waitFor();
  assert.deepEqual(faults, []);
});

test('the timeline can be zoomed and moved by keyboard and wheel, and shows losses as gaps', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page } = viewer;
  const timeline = page.getByRole('application', { name: /^Timeline/ });
  const label = async (): Promise<string> => (await timeline.getAttribute('aria-label')) ?? '';
  assert.match(await label(), /from 0:00\.000 to 1:00/);
  await timeline.focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const zoomed = await label();
  assert.doesNotMatch(zoomed, /from 0:00\.000 to/);
  await page.keyboard.press('End');
  assert.match(await label(), / to 1:00/);
  await page.keyboard.press('0');
  assert.match(await label(), /from 0:00\.000 to 1:00/);
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText(/Compare show this time range\.$/).waitFor();
  await timeline.hover();
  await page.mouse.wheel(0, -600);
  await page.waitForFunction(
    () =>
      !/from 0:00\.000 to 1:00/.test(
        document.querySelector('[aria-roledescription=timeline]')?.getAttribute('aria-label') ?? '',
      ),
  );
  await page.keyboard.press('0');
  assert.equal(await page.locator('.loss').count(), 2);
  await page.getByRole('button', { name: 'Show table' }).click();
  await page.getByRole('button', { name: 'Track' }).click();
  await page
    .getByRole('cell', { name: 'late_sampler' })
    .or(page.getByRole('cell', { name: 'CPU' }))
    .first()
    .waitFor();
});

test('charts are saved as SVG and PNG with their content', { skip: noBrowser }, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  const save = async (button: string): Promise<Buffer> => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: button, exact: true }).click();
    return readFile(await (await download).path());
  };
  assert.match(String(await save('SVG')), /wave 4/);
  await go(page, 'Stacks');
  await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
  await page
    .getByText('3 563 samples', { exact: false })
    .or(page.getByText(/3.563 samples/))
    .first()
    .waitFor();
  const flame = String(await save('SVG'));
  assert.match(flame, />main</);
  assert.match(flame, />update</);
  assert.equal((await save('PNG')).subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(faults, []);
});

test('the palette runs a command that is found by a few letters', { skip: noBrowser }, async () => {
  await using viewer = await openSample();
  const { page } = viewer;
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('sandw');
  await page.keyboard.press('Enter');
  // The default is the function with the highest self cost.
  await page.getByRole('application', { name: /^Callers of \w+/ }).waitFor();
  const heaviest = await page.locator('.sandwich-list .row-button').first().textContent();
  await page.locator('.sandwich-name', { hasText: heaviest ?? '-' }).waitFor();
  await page.locator('.row-button', { hasText: 'update' }).first().click();
  await page.getByRole('application', { name: /^Callers of update/ }).waitFor();
  await page.getByRole('application', { name: /^What update calls/ }).waitFor();
  const download = page.waitForEvent('download');
  await page
    .locator('.sandwich-half', { hasText: 'Callers' })
    .getByRole('button', { name: 'SVG' })
    .click();
  assert.match(await readFile(await (await download).path(), 'utf8'), />update</);
});

test("at a phone's width and at 200 % nothing overflows horizontally", {
  skip: noBrowser,
}, async () => {
  for (const size of [
    { width: 390, height: 844 },
    { width: 720, height: 450 },
  ]) {
    await using viewer = await openViewer({ size });
    const { page } = viewer;
    await pickFile(page, { name: 'sample.vpt', text: sampleTrace() });
    const fits = async (what: string): Promise<void> => {
      const { inner, scroll } = await page.evaluate(() => {
        // Tables and tabs can scroll. The page, the view and a dialog must not.
        const parts = document.querySelectorAll('html, .view, .dialog');
        const beyond = Array.from(parts, (part) => part.scrollWidth - part.clientWidth);
        return { inner: innerWidth, scroll: innerWidth + Math.max(...beyond) };
      });
      assert.ok(scroll <= inner, `${what}: ${scroll} in ${inner}`);
    };
    await showTimeline(page);
    await page.getByText('≤ 33.3 ms').filter({ visible: true }).waitFor();
    for (const view of [
      'Overview',
      'Timeline',
      'Frames',
      'Stacks',
      'Assets',
      'Memory',
      'Compare',
      'Analysis',
    ]) {
      await go(page, view);
      await fits(view);
    }
    await go(page, 'Compare');
    await pickSecond(page);
    await page.getByLabel('Time range of the trace before').selectOption('own');
    for (const part of ['Frames and memory', 'Memory over time', 'Stacks', 'Assets']) {
      await page.getByRole('button', { name: part, exact: true }).last().click();
      await fits(`compare, ${part}`);
    }
    await go(page, 'Frames');
    await page.getByRole('button', { name: /^0:/ }).first().click();
    await page.getByRole('dialog').waitFor();
    await fits('moment');
  }
});
