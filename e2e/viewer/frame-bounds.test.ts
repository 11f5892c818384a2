// What bounds the frames: the line on Timeline and Frames with its evidence, and the parts of a hitch in the dialog.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import type { Locator, Page } from 'playwright-core';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { traceText } from './sample-trace.ts';
import { go, showTimeline } from './sample-viewer.ts';

const SKIP = { skip: noBrowser };

/** A hitch that a script bounds, and one in which the main thread waits, with graphics in software. */
const WAITED = traceFromText(`browser gpu=SwiftShader software=
  0 frames 10*5 80 10*5 40 10*5 main_ms=${[9, 9, 9, 9, 9, 12, 9, 9, 9, 9, 9, 38, 9, 9, 9, 9, 9].join()}
  0 stacks m_[M];update_[S] 1000@0 | m_[M];update_[S] 34000@180 | m_[M];update_[S] 1000@259
  214 span 3 layout rendering`);
const SOFTWARE =
  'Graphics was rendered in software (SwiftShader), so this says nothing about computers with a GPU.';

/** The cells of a table, row by row. */
async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}

const lineIn = (page: Page): Locator =>
  page.getByRole('region', { name: 'What bounds the frames' });

test(
  'Timeline and Frames state what bounds the frames of the whole trace, with its evidence',
  SKIP,
  async () => {
    await using viewer = await openViewer();
    const { page, faults } = viewer;
    await pickFile(page, { name: 'waited.vpt', text: WAITED });
    await showTimeline(page);
    const line = lineIn(page);
    const answer = `Not bound by the main thread, which was mostly idle in 73 % of the time over budget. The game waited for the GPU, the compositor, a timer or other programs. ${SOFTWARE}`;
    await line.getByText(answer, { exact: true }).waitFor();
    await go(page, 'Frames');
    await line.getByText(answer, { exact: true }).waitFor();
    assert.equal(await line.getByRole('table').count(), 0);
    await line.getByRole('button', { name: 'Show evidence' }).click();
    assert.deepEqual(await cellsOf(line.getByRole('table', { name: /^Time over budget/ })), [
      ['Unknown', '1', '63.3 ms', '73.1 %'],
      ['Script', '1', '23.3 ms', '26.9 %'],
    ]);
    const work = await cellsOf(line.getByRole('table', { name: /^Time of the main thread/ }));
    assert.deepEqual(
      work.map(([name]) => name),
      ['Other work of the browser', 'Script', 'Rendering', 'Loading', 'Garbage collection'],
    );
    await line.getByText('Graphics adapter: SwiftShader, which renders on the CPU').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByLabel('Own frame budget, in ms').fill('100');
    await page.getByLabel('Own frame budget, in ms').press('Enter');
    await line.getByText(/^No frame is over budget\. Most time of the main thread is/).waitFor();
    await page.evaluate(() => {
      location.hash = 'view=frames&range=0-40';
    });
    await line.getByText('In the whole trace: Not bound').waitFor();
    assert.deepEqual(faults, []);
  },
);

test(
  'the dialog of a hitch shows its bound and its parts, and of several hitches their bounds',
  SKIP,
  async () => {
    await using viewer = await openViewer();
    const { page, faults } = viewer;
    await pickFile(page, { name: 'waited.vpt', text: WAITED });
    await showTimeline(page);
    await lineIn(page).waitFor();
    const show = async (range: string, selected: string): Promise<Locator> => {
      await page.evaluate((to) => {
        location.hash = `view=frames&range=${to}`;
      }, range);
      await page.getByText('Only the selected time range.').waitFor();
      await page.getByText(`Selected ${selected}`).waitFor();
      await page.keyboard.press('m');
      return page.getByRole('dialog').getByRole('region', { name: 'What bounds it' });
    };
    const hitch = await show('180-220', '0:00.180 to 0:00.220');
    await hitch.getByText('Bound by script: 34 of 40 ms on the main thread.').waitFor();
    assert.deepEqual(await cellsOf(hitch.getByRole('table', { name: /^Parts of this frame/ })), [
      ['Script', '34.0 ms', '85.0 %'],
      ['Rendering', '3.00 ms', '7.50 %'],
      ['Loading', '0 ms', '0 %'],
      ['Garbage collection', '0 ms', '0 %'],
      ['Other work', '1.00 ms', '2.50 %'],
      ['Idle', '2.00 ms', '5.00 %'],
      ['GPU', 'not measured', '–'],
    ]);
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Earlier hitch' }).click();
    await hitch.getByText(`the trace does not show for which. ${SOFTWARE}`).waitFor();
    await page.keyboard.press('Escape');
    const several = await show('0-300', '0:00.000 to 0:00.300');
    await several.getByText('2 hitches in this time range.').waitFor();
    assert.equal(await several.getByRole('table').locator('tbody tr').count(), 2);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await show('0-40', '0:00.000 to 0:00.040');
    await page.getByRole('dialog').getByText('within budget').first().waitFor();
    assert.equal(await page.getByRole('region', { name: 'What bounds it' }).count(), 0);
    assert.deepEqual(faults, []);
  },
);

test(
  'an unknown bound names the recording that shows it, and traces without frames have no answer',
  SKIP,
  async () => {
    await using viewer = await openViewer();
    const { page, faults } = viewer;
    const text = traceText({ type: 'frames', t: 0, duration_ms: [10, 80, 10] });
    await pickFile(page, { name: 'unknown.vpt', text });
    await showTimeline(page);
    await lineIn(page)
      .getByText(/^The trace does not show .* For a browser game, svc record/)
      .waitFor();
    await page.keyboard.press('n');
    await page.keyboard.press('m');
    const hitch = page.getByRole('dialog').getByRole('region', { name: 'What bounds it' });
    await hitch.getByText(/^Unknown bound: .* For a browser game, svc record/).waitFor();
    assert.deepEqual(
      (await cellsOf(hitch.getByRole('table'))).map(([, time]) => time),
      new Array(7).fill('not measured'),
    );
    await page.keyboard.press('Escape');
    await pickFile(page, {
      name: 'marks.vpt',
      text: traceText({ type: 'mark', t: 5, name: 'level' }),
    });
    await page.getByRole('heading', { name: 'marks.vpt' }).waitFor();
    await page.getByText('Marks').first().waitFor();
    assert.equal(await lineIn(page).count(), 0);
    assert.deepEqual(faults, []);
  },
);

test('a long answer fits a phone, with its evidence and in the dialog', SKIP, async () => {
  await using viewer = await openViewer({ size: { width: 390, height: 844 } });
  const { page, faults } = viewer;
  const name = `ANGLE (${'Subzero'.repeat(20)})`;
  await pickFile(page, { name: 'long.vpt', text: WAITED.replace('SwiftShader', name) });
  await showTimeline(page);
  await page.getByText('long.vpt').first().waitFor();
  await lineIn(page).getByRole('button', { name: 'Show evidence' }).click();
  await lineIn(page)
    .getByText(/^Graphics adapter/)
    .waitFor();
  const overflow = (selector: string): Promise<number> =>
    page.locator(selector).evaluate((box) => box.scrollWidth - box.clientWidth);
  assert.equal(await overflow('#view'), 0);
  await page.keyboard.press('n');
  await page.keyboard.press('m');
  await page.getByRole('region', { name: 'What bounds it' }).waitFor();
  assert.equal(await overflow('dialog'), 0);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});
