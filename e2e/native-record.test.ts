// A native game that svc starts: `svc record` observes it from its first instruction, and a launcher that leaves the work to a
// child is reported on the page.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCompiler, skippedWithoutBpf, startPresenter } from '@svc/agent/testing';
import { startDashboard } from '../packages/cli/test/start-dashboard.ts';
import { SVC, temporaryFolder } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { keepPicture, openPage, runSvc } from './native-dashboard.ts';
import { launchBrowser, noBrowser } from './viewer/open-viewer.ts';

const WORK_MS = 400;
const FIRST = 'first.pak';

test('svc record -- PROGRAM has the first file, the first frames and the function of a hitch', async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skippedWithoutBpf(t)) return;
  const home = temporaryFolder(t);
  const trace = join(home, 'game.vpt');
  const options = ['record', '-o', trace, '--probes', 'frames,stacks,files', '--'];
  await using program = startPresenter([process.execPath, SVC, ...options]);
  writeFileSync(join(program.folder, FIRST), Buffer.alloc(1024 * 1024));
  const library = program.build('libGLX.so.0', 'glXSwapBuffers');
  // The program executes its first command as soon as it runs.
  await program.obey(`read ${FIRST}`);
  await program.obey(`load ${library}`);
  const smooth = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      await program.obey('work 5');
      await program.obey(`present ${library} 1 1 0`);
    }
  };
  const read = async (path: string): Promise<string> => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  // The probe needs a moment for a library that has just been mapped.
  const presented = async (): Promise<string> => {
    await smooth();
    return await read(`${trace}.partial`);
  };
  await until(presented, (text) => text.includes('"type":"frames"'), 'frames are recorded');
  await program.obey(`work ${WORK_MS}`);
  await program.obey(`present ${library} 1 1 0`);
  await smooth();
  program.kill('SIGINT');
  await until(
    () => read(trace),
    (text) => text !== '',
    'svc writes the trace',
  );
  const svc = (...args: string[]) => JSON.parse(runSvc(home, ['trace', ...args, trace, '--json']));
  const { assets } = svc('assets');
  assert.ok(
    assets.some(({ name }: { name: string }) => name === FIRST),
    'the file that the program reads first',
  );
  const { hitches } = svc('hitches', '--frame-ms', '100');
  const causes = hitches.flatMap(
    (hitch: { causes: { kind: string; name: string }[] }) => hitch.causes,
  );
  assert.ok(
    causes.some(
      ({ kind, name }: { kind: string; name: string }) =>
        kind === 'function' && name === 'load_level',
    ),
    JSON.stringify(hitches),
  );
});

test('the page says that a child does the work, and that svc ends the program', {
  skip: noBrowser || (process.platform !== 'linux' && 'kernel: it has no /proc'),
}, async (t) => {
  const burn = 'for (const end = Date.now() + 600_000; Date.now() < end; );';
  const script = `"${process.execPath}" -e "${burn}"; :`;
  const dashboard = await startDashboard(t, ['--no-open', '--', 'sh', '-c', script]);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { page, faults } = await openPage(browser, dashboard.listening.url);
  const banner = page.getByRole('status').filter({ hasText: 'sh is idle.' });
  await banner
    .getByText(/Its child node \(PID \d+\) uses \d+ % of a core and is not recorded\./)
    .waitFor();
  await banner.getByText('--child node').waitFor();
  await keepPicture(page, 'busy-child');
  await page.getByRole('button', { name: 'End session' }).click();
  const dialog = page.getByRole('dialog', { name: 'End the session?' });
  await dialog.getByText('Then svc ends the program that it has started.').waitFor();
  await dialog.getByRole('button', { name: 'End session' }).click();
  const { code, last } = await dashboard.ended;
  assert.deepEqual([code, last['reason']], [0, 'off']);
  assert.deepEqual(faults, []);
});
