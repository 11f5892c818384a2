// Real recordings: Chromium samples a page that stalls for 80 ms, and the viewer and the command line name the function.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runSvc } from '../../packages/cli/test/svc.ts';
import { until } from '../../scripts/until.ts';
import { launch, openPage } from '../collector/page.ts';
import { violations } from './axe.ts';
import { noBrowser, openViewer } from './open-viewer.ts';

const SKIP = { skip: noBrowser };

/** Every thirtieth frame calls `stallInLevel`, which works for 80 ms in a loop of its own. */
const GAME = `
globalThis.stalls = 0;
let frames = 0;
let sum = 0;
function stallInLevel() {
  const end = performance.now() + 80;
  while (performance.now() < end) for (let i = 0; i < 20000; i++) sum += Math.sqrt(i + sum);
  globalThis.stalls++;
}
function frame() {
  if (++frames % 30 === 0) stallInLevel();
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
`;

type Hitch = {
  readonly t: number;
  readonly duration_ms: number;
  readonly bound: string;
  readonly functions: readonly { readonly name: string; readonly self: number }[];
};
const isStall = ({ name }: { readonly name: string }): boolean =>
  name.startsWith('stallInLevel main.js:');

/** Records the page until it has stalled five times: a Chrome trace, and a CPU profile after it. */
async function record(): Promise<{ trace: string; profile: string }> {
  // Without the optimizing compilers, which would inline the function into its caller.
  await using browser = await launch('--js-flags=--no-opt --no-maglev');
  await using game = await openPage(GAME, { browser });
  const { page } = game;
  const cdp = await page.context().newCDPSession(page);
  const stalled = async (times: number): Promise<void> => {
    const before = await page.evaluate('stalls');
    await until(
      () => page.evaluate('stalls'),
      (stalls) => Number(stalls) >= Number(before) + times,
      'the page to stall',
    );
  };
  const events: unknown[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: [
        'devtools.timeline',
        'disabled-by-default-devtools.timeline',
        'disabled-by-default-devtools.timeline.frame',
        'disabled-by-default-v8.cpu_profiler',
      ],
    },
  });
  await stalled(5);
  await cdp.send('Tracing.end');
  await complete;
  await cdp.send('Profiler.enable');
  await cdp.send('Profiler.setSamplingInterval', { interval: 500 });
  await cdp.send('Profiler.start');
  await stalled(2);
  const { profile } = await cdp.send('Profiler.stop');
  return { trace: JSON.stringify({ traceEvents: events }), profile: JSON.stringify(profile) };
}

test(
  'a recording of Chromium opens in the viewer, and its hitches name the function that stalled',
  SKIP,
  async (t) => {
    const { trace, profile } = await record();
    await using viewer = await openViewer();
    const { page, faults, folder } = viewer;
    const path = (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const compressed = path('level.json.gz', gzipSync(trace));
    const { stdout } = await runSvc(t, [
      'trace',
      'hitches',
      compressed,
      '--limit',
      '1000',
      '--json',
    ]);
    const { hitches } = JSON.parse(stdout);
    // A busy machine samples some stalls only in part, and starves some in its GPU process. The one with the most samples that the
    // script bounds represents them.
    const [worst] = hitches
      .filter(({ bound }: Hitch) => bound === 'script')
      .map((hitch: Hitch) => ({ hitch, stall: hitch.functions.find(isStall)?.self ?? 0 }))
      .sort((a: { stall: number }, b: { stall: number }) => b.stall - a.stall);
    assert.ok(worst !== undefined, stdout);
    const { t: start, duration_ms, functions }: Hitch = worst.hitch;
    assert.ok(functions[0] !== undefined && isStall(functions[0]), stdout);
    assert.ok(functions[0].self <= duration_ms && duration_ms >= 80, stdout);

    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open a file…' }).click();
    await (await choosing).setFiles(compressed);
    await page.getByText('level.json.gz').first().waitFor();
    await page.evaluate(
      (range) => {
        location.hash = `view=frames&range=${range}`;
      },
      `${Math.floor(start)}-${Math.ceil(start + duration_ms)}`,
    );
    await page.getByText('Only the selected time range.').waitFor();
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog');
    const list = dialog.getByRole('region', { name: 'Functions that ran', exact: true });
    await list
      .getByRole('listitem')
      .first()
      .filter({ hasText: /^stallInLevel main\.js:/ })
      .waitFor();
    assert.deepEqual(await violations(page), []);
    await list.getByRole('button').first().click();
    await dialog.waitFor({ state: 'hidden' });
    await page
      .getByText(/stallInLevel main\.js:\d+/)
      .first()
      .waitFor();

    const choosingAgain = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open…', exact: true }).click();
    await (await choosingAgain).setFiles(path('level.cpuprofile', profile));
    await page.getByText('level.cpuprofile').first().waitFor();
    const info = await runSvc(t, ['trace', 'info', join(folder, 'level.cpuprofile'), '--json']);
    assert.equal(JSON.parse(info.stdout).format, 'cpuprofile');
    const analysis = await runSvc(t, ['trace', 'analyze', join(folder, 'level.cpuprofile')]);
    // On a starved machine another function may have more samples, but the finding lists this one, too.
    assert.match(
      analysis.stdout,
      /stallInLevel main\.js:\d+ (?:takes \d+ % of the work by itself| ?[\d.]+ % self)/,
    );
    assert.deepEqual(faults, []);
  },
);
