// The page of `svc trace report -o`: it opens from disk on the answer, with the trace in it, and requests nothing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runSvc } from '../../packages/cli/test/svc.ts';
import { violations } from './axe.ts';
import { openPage } from './open-standalone.ts';
import { launchBrowser, noBrowser } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';

const BROWSER = { skip: noBrowser };

/** Writes the page of a trace, and returns its path. */
async function report(
  t: TestContext,
  name: string,
  text: string,
  ...options: string[]
): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-report-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, name), text);
  const args = ['trace', 'report', name, '-o', 'report.html', ...options];
  const { code, stderr } = await runSvc(t, args, { cwd });
  assert.equal(code, 0, stderr);
  return join(cwd, 'report.html');
}

for (const dark of [false, true]) {
  test(
    `a report opens from disk on the verdict and requests nothing, ${dark ? 'dark' : 'light'}`,
    BROWSER,
    async (t) => {
      const path = await report(t, 'a&"b.vpt', sampleTrace());
      const { page, faults, requested } = await openPage(t, path, dark);
      await page.getByRole('heading', { name: /^Main thread bound: .* main\.js:update/ }).waitFor();
      await page.getByRole('heading', { name: 'a&"b.vpt' }).waitFor();
      await page.getByRole('region', { name: 'Worst moments' }).waitFor();
      assert.deepEqual(await violations(page), []);
      assert.match(page.url(), /report\.html$/);
      // A violation of the policy is an error of the console.
      assert.deepEqual([faults, requested], [[], []]);
    },
  );
}

test('a report opens a trace that is decoded in several pieces', BROWSER, async (t) => {
  const [header = '', ...records] = sampleTrace({ seconds: 20 }).split('\n');
  // Random data, which the reader skips. Its base64 in the page has 4 MiB.
  const data = Array.from(
    { length: 64 },
    () =>
      `{"type":"other","t":0,"source":"browser","data":"${randomBytes(49_152).toString('base64')}"}`,
  );
  const path = await report(t, 'big.vpt', [header, ...data, ...records].join('\n'));
  assert.ok(statSync(path).size > 4 * 2 ** 20);
  const { page, faults } = await openPage(t, path);
  await page.getByRole('heading', { name: /^Main thread bound: .* main\.js:update/ }).waitFor();
  assert.deepEqual(faults, []);
});

test('a report of folded stacks opens on the stacks', BROWSER, async (t) => {
  const path = await report(t, 'perf.folded', 'main;draw 3\nmain;walk 1\n');
  const { page, faults } = await openPage(t, path);
  await page.getByRole('heading', { name: 'perf.folded' }).waitFor();
  await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
  assert.match(page.url(), /#view=stacks$/);
  assert.deepEqual(faults, []);
});

test(
  'the budget of --frame-ms applies to the page, unless its address has another one',
  BROWSER,
  async (t) => {
    const path = await report(t, 'game.vpt', sampleTrace(), '--frame-ms', '8.33');
    const { page, faults } = await openPage(t, path);
    await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
    assert.match(page.url(), /#budget=8\.33$/);
    await page.goto('about:blank');
    await page.goto(`file://${path}#budget=40`);
    await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
    assert.match(page.url(), /#budget=40$/);
    assert.deepEqual(faults, []);
  },
);

test('a browser without JavaScript shows the verdict of a report', BROWSER, async (t) => {
  const path = await report(t, '<b>.folded', 'main;<i>&draw 3\n');
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${path}`);
  const verdict = '<i>&draw itself has 100 % of all samples.';
  const box = await page.getByRole('heading', { name: verdict }).boundingBox();
  assert.ok(box !== null && box.y < 100, 'it is at the top of the page');
  assert.equal(await page.title(), `<b>.folded: ${verdict}`);
});

test('a report whose trace was damaged says so', BROWSER, async (t) => {
  const path = await report(t, 'game.vpt', sampleTrace({ seconds: 5 }));
  const html = readFileSync(path, 'utf8');
  const at = html.indexOf('data-name="game.vpt">') + 'data-name="game.vpt">'.length;
  writeFileSync(path, `${html.slice(0, at + 4000)}@${html.slice(at + 4001)}`);
  const { page } = await openPage(t, path);
  await page.getByRole('alert').getByText('The trace in this page is damaged').waitFor();
});
