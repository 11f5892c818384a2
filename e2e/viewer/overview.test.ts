// The overview: the first tab of a trace, whose lines lead to the views that show them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { traceFromText } from '../../packages/trace/src/testing/trace-from-text.ts';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { go } from './sample-viewer.ts';

const SKIP = { skip: noBrowser };

/** Three shader compiles and a collection of garbage while a level loads, with functions and memory. */
const LEVEL = traceFromText(`browser
  0 frames 10*100 80 10*9 70 10*9 60 10*9 40 10*100
  900 span 600 level-2 loading
  1000 asset 1 Lava shader compile main_thread_ms=76
  1170 asset 2 Water shader compile main_thread_ms=66
  1330 asset 3 Fire shader compile main_thread_ms=56
  1480 span 36 major gc
  0 asset 4 sky.png texture upload main_thread_ms=2 gpu_bytes=4000000
  0 stacks main_[M];update_[S] 5000@1 | main_[M];draw_[S] 1000@7
  0 counter js_heap_bytes bytes 1000000 1100000
  2500 end off`);

async function open(page: Page, name: string, text: string): Promise<void> {
  await pickFile(page, { name, text });
  await page.getByText(name).first().waitFor();
}

test('a trace opens on the verdict, and its lines lead to their evidence', SKIP, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await open(page, 'level.vpt', LEVEL);
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  await page
    .getByRole('heading', {
      name: 'Main thread bound: 3 of 4 hitches (87 % of the time over budget) are caused by shader compiles during “level-2”.',
    })
    .waitFor();
  const causes = await panel('What caused the hitches').getByRole('listitem').allInnerTexts();
  assert.deepEqual(
    causes.map((text) => text.replaceAll(/\s+/g, ' ')),
    [
      '87.3 % Shader compiles during “level-2” 3 hitches',
      '12.7 % Garbage collection during “level-2” 1 hitch',
    ],
  );
  await panel('What caused the hitches')
    .getByRole('button', { name: /Garbage/ })
    .click();
  await page.getByRole('dialog', { name: '0:01.480, 40.0 ms' }).waitFor();
  await page.keyboard.press('Escape');
  await panel('Worst moments')
    .getByRole('button', { name: /compiling the shader Lava/ })
    .click();
  await page.getByRole('dialog', { name: '0:01.000, 80.0 ms' }).waitFor();
  await page.keyboard.press('Escape');
  await panel('Hottest functions')
    .getByRole('button', { name: /^83\.3 %\s*update/ })
    .click();
  await page.waitForURL(/view=stacks&stacks=sandwich&focus=update/);
  await go(page, 'Overview');
  await panel('Costliest assets').getByRole('button', { name: /Water/ }).click();
  await page.getByRole('complementary', { name: /Water/ }).waitFor();
  await go(page, 'Overview');
  await panel('Memory').getByRole('listitem').getByRole('button').click();
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
  await page.keyboard.press('1');
  await panel('Frame pacing')
    .getByRole('button', { name: /^Frames/ })
    .click();
  await page.getByRole('region', { name: 'Hitches, worst first' }).waitFor();
  await go(page, 'Overview');
  await panel('Not in this trace').getByText('The time of the GPU').waitFor();
  await page.getByLabel('Own frame budget, in ms').fill('100');
  await page.getByLabel('Own frame budget, in ms').press('Enter');
  await page.getByRole('heading', { name: /^Smooth: none of 231 frames is over/ }).waitFor();
  assert.equal(await panel('Worst moments').count(), 0);
  assert.deepEqual(faults, []);
});

for (const dark of [false, true]) {
  test(`axe finds no violation in the overview, ${dark ? 'dark' : 'light'}`, SKIP, async () => {
    await using viewer = await openViewer({ dark });
    const { page, faults } = viewer;
    for (const [name, text] of [
      ['level.vpt', LEVEL],
      ['sample.vpt', sampleTrace()],
    ] as const) {
      await open(page, name, text);
      await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
      await page.getByRole('region', { name: 'Memory', exact: true }).waitFor();
      assert.deepEqual(await violations(page), [], name);
    }
    assert.deepEqual(faults, []);
  });
}

test('a native trace shows CPU and memory first', SKIP, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const rss = Array.from({ length: 60 }, (_, i) => (100 + i) * 1_048_576).join(' ');
  await open(
    page,
    'native.vpt',
    traceFromText(`native\n0 process rss ${rss}\n0 process cpu=50 rss=0\n60000 end off`),
  );
  await page.getByRole('heading', { name: /^RSS grows by .* MiB a minute/ }).waitFor();
  const names = await page
    .locator('main section')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(names, ['CPU', 'Memory', 'Not in this trace']);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});

test(
  'folded stacks open on Stacks, and their overview names the hottest function',
  SKIP,
  async () => {
    await using viewer = await openViewer();
    const { page, faults } = viewer;
    await open(page, 'game.folded', 'main;update 30\nmain;draw 10\n');
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    await go(page, 'Overview');
    await page.getByRole('heading', { name: 'update itself has 75 % of all samples.' }).waitFor();
    assert.deepEqual(faults, []);
  },
);

test('a trace with nothing to show says so', SKIP, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await open(page, 'empty.vpt', traceFromText('browser\n0 end off'));
  await page
    .getByRole('heading', { name: /^The trace has no frames, samples or assets/ })
    .waitFor();
  assert.deepEqual(faults, []);
});
