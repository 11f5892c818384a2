// The first steps of a user: `npm start`, the printed address in a browser, Start, a moving chart, End session, the saved file.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SVC, temporaryFolder } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { isRunning, startProgram } from './start-program.ts';
import { launchBrowser, noBrowser } from './viewer/open-viewer.ts';

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{43})/;

test('npm start: Start moves the chart, End session saves the recording, and the recording opens again', {
  skip: noBrowser,
}, async (t) => {
  const home = temporaryFolder(t);
  const npm = startProgram(t, 'npm', ['start', '--', '--port', '0', '--no-open'], home);
  const [address = ''] = await npm.waitForOutput(ADDRESS);
  const [, pid = ''] = await npm.waitForOutput(/demo-game, PID (\d+)/);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(address);
  assert.ok(!page.url().includes('token'));
  await page.getByRole('button', { name: 'Start' }).first().click();
  const timeline = page.getByRole('application', { name: /^Timeline/ });
  await timeline.waitFor();
  const before = await timeline.getAttribute('aria-label');
  await until(
    () => timeline.getAttribute('aria-label'),
    (label) => label !== before,
    'the timeline goes on',
  );
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
  const [, path = ''] = await npm.waitForOutput(/Saved the recording (\S+\.vpt) /);
  assert.equal(await npm.exited, 0);
  assert.ok(!isRunning(Number(pid)), 'the demonstration process is gone');
  const cpu = readFileSync(path, 'utf8').matchAll(/"cpu_percent":([\d.]+)/g);
  assert.ok(
    [...cpu].some(([, percent]) => Number(percent) > 1),
    'its CPU moves',
  );

  const again = startProgram(
    t,
    process.execPath,
    [SVC, 'dashboard', path, '--port', '0', '--no-open'],
    home,
  );
  const [second = ''] = await again.waitForOutput(ADDRESS);
  await page.goto(second);
  await page.getByRole('heading', { name: /^RSS |^CPU use / }).waitFor();
  again.child.kill('SIGINT');
  assert.equal(await again.exited, 0);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`npm start exits after ${signal} to npm only, and leaves no process`, async (t) => {
    const home = temporaryFolder(t);
    const npm = startProgram(t, 'npm', ['start', '--', '--port', '0', '--json'], home);
    const [line = ''] = await npm.waitForOutput(/\{"event":"listening".*\}\n/);
    const { target, origin } = JSON.parse(line);
    assert.equal(target.name, 'demo-game');
    npm.child.kill(signal);
    await npm.waitForOutput(/\{"event":"ended","reason":"signal","trace":null\}/);
    await npm.exited;
    await isGone(target.pid);
    await assert.rejects(fetch(origin));
    assert.deepEqual(
      readdirSync(join(home, '.local/share/svc')).filter((name) => name.startsWith('open-')),
      [],
    );
  });
}

test('a killed npm start leaves no demonstration process', async (t) => {
  const script = join(ROOT, 'scripts/start.ts');
  const home = temporaryFolder(t);
  const started = startProgram(t, process.execPath, [script, '--port', '0', '--json'], home);
  const [line = ''] = await started.waitForOutput(/\{"event":"listening".*\}\n/);
  const { target, origin } = JSON.parse(line);
  started.child.kill('SIGKILL');
  await isGone(target.pid);
  // The exit of the target ends the session, so the dashboard closes too.
  const isOpen = (): Promise<boolean> =>
    fetch(origin).then(
      () => true,
      () => false,
    );
  await until(isOpen, (open) => !open, 'the dashboard has closed');
});

/** Waits until the process has exited. */
async function isGone(pid: number): Promise<void> {
  await until(
    () => isRunning(pid),
    (running) => !running,
    `process ${pid} has ended`,
  );
}
