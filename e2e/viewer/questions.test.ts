// The steps of docs/questions.md: each question is answered with exactly its clicks and keys, and by its command.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { runHere } from '../../packages/cli/test/run-here.ts';
import { temporaryFolder } from '../../packages/cli/test/svc.ts';
import { CountedHand } from './counted-hand.ts';
import { noBrowser, openViewer } from './open-viewer.ts';
import { gameTrace } from './questions-trace.ts';
import { commandOf, numberOf, readQuestions } from './read-questions.ts';

const TODAY = gameTrace({ lavaMs: 90 });
const YESTERDAY = gameTrace({ lavaMs: 20 });

/** The time that an answer has to appear before the next step, which must not be needless. */
const SETTLE_MS = 150;

const VERDICT =
  'Main thread bound: 12 of 14 hitches (93 % of the time over budget) are caused by shader compiles during “level-2”.';

type Answer = {
  /** The steps in the viewer, named as in the document. */
  readonly steps: Readonly<Record<string, (hand: CountedHand) => Promise<void>>>;
  /** The part of the page that has the answer. */
  readonly shown: (page: Page) => Locator;
  /** What the command prints. */
  readonly printed: RegExp;
};

const region = (page: Page, name: string): Locator =>
  page.getByRole('region', { name, exact: true });

const firstWorstMoment = (hand: CountedHand): Promise<void> =>
  hand.click(region(hand.page, 'Worst moments').getByRole('button', { name: /^0:05/ }).first());

/** The answers in the order of the document. */
const ANSWERS: readonly Answer[] = [
  {
    steps: {
      'click the bar at 0:31 in Frame pacing': (hand) =>
        hand.clickAt(
          hand.page.getByRole('img', { name: /^The longest frames over time/ }),
          31.1 / 40,
        ),
    },
    shown: (page) =>
      page
        .getByRole('dialog')
        .getByText(/^Causes: decoding boss\.png took 30.ms, spawnWave ran for 12.ms\.$/),
    printed: /^Causes: decoding boss\.png took 30 ms, spawnWave ran for 12 ms\.$/m,
  },
  {
    steps: {},
    shown: (page) =>
      region(page, 'What caused the hitches')
        .getByRole('listitem')
        .first()
        .filter({ hasText: /93\.\d.%\s*Shader compiles during “level-2”\s*12 hitches/ }),
    printed: /^ 93 % +12 +hitch:1 +shader compiles during “level-2”$/m,
  },
  {
    steps: {},
    shown: (page) => page.getByRole('heading', { name: VERDICT }),
    printed: /^Main thread bound: /,
  },
  {
    steps: {},
    shown: (page) =>
      region(page, 'Frame pacing').filter({
        hasText: /61\.3 fps.*21\.9 fps.*16\.0.ms.*90\.0.ms.*within the budget 99\.4.%/s,
      }),
    printed: /^browser +2,433 +61\.3 fps +21\.9 fps +16 ms +16 ms +90 ms +14$/m,
  },
  {
    steps: {},
    shown: (page) =>
      region(page, 'Costliest assets')
        .getByRole('listitem')
        .first()
        .filter({ hasText: /40\.\d.%\s*Lava\s*293.ms of hitches/ }),
    printed: /ASSET\n *[\d.]+ +40\.\d % +293 ms .* Lava\n/,
  },
  {
    steps: { 'click the first of Worst moments': firstWorstMoment },
    shown: (page) =>
      region(page, 'Functions that ran')
        .getByRole('listitem')
        .first()
        .filter({ hasText: /^compileShader 84\.0.ms itself/ }),
    printed: /FUNCTION\n100\.0 % +84 .* compileShader\n/,
  },
  {
    steps: {},
    shown: (page) =>
      region(page, 'Memory').filter({
        hasText:
          /Each “level-2” leaves 8\.0 MiB of GPU memory.*Most of it: terrain\.png.*JS heap grows by 60\.0/s,
      }),
    printed:
      /^Each “level-2” leaves 8\.0 MiB of GPU memory .* terrain\.png .*JS heap keeps growing/s,
  },
  {
    steps: { 'press `6`': (hand) => hand.press('6') },
    shown: (page) =>
      region(page, 'Occurrences of level-2').filter({
        hasText: /0:05\.090\s*8\.0.MiB\s*4\s*1\s*8\.0.MiB.*0:35\.090\s*32\.0.MiB/s,
      }),
    printed: / 1\. at 5\.1 s: 8\.0 MiB of GPU memory after it.* 4\. at 35\.1 s: 32\.0 MiB /s,
  },
  {
    steps: {
      'press `c`': (hand) => hand.press('c'),
      'choose yesterday.vpt': (hand) => hand.choose('yesterday.vpt', YESTERDAY),
    },
    shown: (page) =>
      region(page, 'What changed most').filter({
        hasText:
          /^The time over budget per minute rose by 62\.3 %.*Lava\s*costs 25\.20 frame budgets more.*compileShader\s*takes/s,
      }),
    printed: /^over_ms_per_minute rose by 62\.3 % .*^\+25\.20 .* Lava$/ms,
  },
  {
    steps: {
      'press `2`': (hand) => hand.press('2'),
      'point at 0:31': (hand) => hand.pointAt(hand.page.locator('.track-canvas'), 31.5 / 40),
    },
    shown: (page) =>
      region(page, 'The second at the crosshair').filter({
        hasText: /0:31 to 0:32.*JS heap.*52\.0.MiB.*boss\.png.*30\.0.ms.*decodeImage.*63\.8.%/s,
      }),
    printed:
      /Hitches\n.*\nhitch:\d+ +31\.096 s .*52\.0 MiB +\+1\.0 MiB +JS heap\n.*FUNCTION\n +30 .* decodeImage\n.*ASSET\n30\.0 ms .* boss\.png\n/s,
  },
  {
    steps: {},
    shown: (page) => region(page, 'Not in this trace').getByText(/^The time of the GPU/),
    printed: /^What is missing\n- The time of the GPU /m,
  },
  {
    steps: {
      'click the first of Worst moments': firstWorstMoment,
      'click Copy as Markdown': (hand) =>
        hand.click(hand.page.getByRole('button', { name: 'Copy as Markdown' })),
    },
    shown: (page) => page.getByRole('status').filter({ hasText: /Markdown/ }),
    printed: /^Main thread bound: /,
  },
];

test('docs/questions.md has one table for each question, and its summary agrees with them', async () => {
  const { questions, summary, tools } = await readQuestions();
  assert.equal(questions.length, ANSWERS.length);
  assert.deepEqual(
    summary,
    questions.map(({ title, ways }) => [
      title,
      ...tools.map((tool) => ways.find((way) => way.tool === tool)?.count),
    ]),
  );
  for (const { title, ways } of questions) {
    for (const { tool, count, steps } of ways) {
      assert.equal(steps.length, numberOf(count) ?? 0, `${title} ${tool}: ${steps.join('; ')}`);
    }
  }
});

test('the viewer answers each question with the steps that docs/questions.md counts', {
  skip: noBrowser,
}, async (t) => {
  const { questions } = await readQuestions();
  const file = join(temporaryFolder(t), 'game.vpt');
  writeFileSync(file, TODAY);
  await using viewer = await openViewer({ file });
  const { page, faults } = viewer;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [index, { title, ways }] of questions.entries()) {
    await t.test(title, async () => {
      const way = ways.find(({ tool }) => tool === 'svc');
      const { steps, shown } = ANSWERS[index] ?? assert.fail('no answer');
      assert.deepEqual(Object.keys(steps), way?.steps);
      // Only the fragment differs, so the page is loaded again only by the reload.
      await page.goto(viewer.agent.url);
      await page.reload();
      await page.getByRole('heading', { name: VERDICT }).waitFor();
      const hand = new CountedHand(page);
      for (const step of Object.values(steps)) {
        await page.waitForTimeout(SETTLE_MS);
        assert.equal(await shown(page).count(), 0, 'the answer is shown before the last step');
        await step(hand);
      }
      await shown(page).waitFor();
      assert.equal(hand.actions, numberOf(way?.count ?? ''));
    });
  }
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^### Hitch of 90\.0? ms at 0:05\.096 in game\.vpt\n/);
  assert.deepEqual(faults, []);
});

test('the commands of docs/questions.md print the answers', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'game.vpt'), TODAY);
  writeFileSync(join(cwd, 'yesterday.vpt'), YESTERDAY);
  const { questions } = await readQuestions();
  for (const [index, { title, ways }] of questions.entries()) {
    const [command = ''] = ways.find(({ tool }) => tool === 'terminal')?.steps ?? [];
    const { code, stdout, stderr } = await runHere(t, commandOf(command), { cwd });
    assert.equal(code, 0, `${command}: ${stderr}`);
    assert.match(stdout, ANSWERS[index]?.printed ?? /^$/, `${title} ${command}`);
  }
  assert.match(readFileSync(join(cwd, 'report.html'), 'utf8'), /<title>game\.vpt: Main thread/);
});
