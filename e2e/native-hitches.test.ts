// Why a native game hitches: `svc dashboard --probes frames,stacks,files` on a program that hitches on purpose. The hitch opens
// with the function that ran and with the file that was read in it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCompiler, skippedWithoutBpf, startPresenter } from '@svc/agent/testing';
import { temporaryFolder } from '../packages/cli/test/svc.ts';
import { keepPicture, openPage, probesRun, runSvc, startDashboard } from './native-dashboard.ts';
import { launchBrowser, noBrowser } from './viewer/open-viewer.ts';
import { go } from './viewer/sample-viewer.ts';

const PROBES = ['frames', 'stacks', 'files'];
const LEVEL = 'level1.pak';
/** Reading so much from memory takes longer than a frame, and less than the function. */
const LEVEL_BYTES = 256 * 1024 * 1024;
const WORK_MS = 400;

test('a native hitch names the function that ran and the file that was read in it', {
  skip: noBrowser,
}, async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skippedWithoutBpf(t)) return;
  const home = temporaryFolder(t);
  await using program = startPresenter();
  writeFileSync(join(program.folder, LEVEL), Buffer.alloc(LEVEL_BYTES));
  const library = program.build('libGLX.so.0', 'glXSwapBuffers');
  await program.obey(`load ${library}`);
  const { client, url } = await startDashboard(t, home, program.pid, PROBES);
  const { capabilities } = await client.call('status', {});
  for (const { available, reason } of [
    capabilities.frames,
    capabilities.stacks,
    capabilities.files,
  ]) {
    if (!available) return t.skip(`kernel: ${reason}`);
  }
  await client.call('start', {});
  await probesRun(client, PROBES);

  // Work before and after the hitches shows that the functions of all frames are sampled.
  const smooth = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      await program.obey('work 5');
      await program.obey(`present ${library} 1 1 0`);
    }
  };
  await smooth();
  await program.obey(`work ${WORK_MS}`);
  await program.obey(`present ${library} 1 1 0`);
  await smooth();
  for (let i = 0; i < 3; i++) await program.obey(`read ${LEVEL}`);
  await program.obey(`present ${library} 1 1 0`);
  await smooth();

  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { page, faults } = await openPage(browser, url);
  await t.test('the viewer answers with both at first sight', async () => {
    await go(page, 'Overview');
    await page.getByText('load_level').first().waitFor();
    await page.getByText(LEVEL).first().waitFor();
    await keepPicture(page, 'native-hitches');
    assert.deepEqual(faults, []);
  });

  const { trace } = await client.call('off', {});
  assert.ok(trace !== null);
  const { path } = trace;
  const svc = (...args: string[]) => JSON.parse(runSvc(home, ['trace', ...args, path, '--json']));

  await t.test('svc trace hitches: the function and the file come first', () => {
    const { hitches } = svc('hitches', '--frame-ms', '100');
    // A busy machine makes the program wait, too. What it did comes first then.
    const named = hitches.map(({ causes }: { causes: { kind: string; name: string }[] }) =>
      causes.find(({ kind }) => kind !== 'waiting'),
    );
    const has = (kind: string, name: string): boolean =>
      named.some((cause: (typeof named)[number]) => cause?.kind === kind && cause.name === name);
    assert.ok(has('function', 'load_level') && has('asset', LEVEL), JSON.stringify(hitches));
  });

  await t.test('svc trace assets: the file is ranked by the hitch that it caused', () => {
    const [first] = svc('assets').assets;
    assert.equal(first.name, LEVEL);
    assert.ok(first.hitches >= 1 && first.hitch_ms > 0, JSON.stringify(first));
  });
});
