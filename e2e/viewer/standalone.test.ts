// The viewer as one HTML file: opened from disk, it shows every view, requests nothing, and explains files that it rejects.
import assert from 'node:assert/strict';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { buildStandalone, FILE, SITE } from '../../packages/viewer/scripts/build-standalone.ts';
import { violations } from './axe.ts';
import { buildHere, openPage } from './open-standalone.ts';
import { dropFile, noBrowser, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { go, pickSecond, showTimeline } from './sample-viewer.ts';

/** What the file may weigh, in bytes. It is sent in mails and kept beside recordings. */
const MOST_BYTES = 640 * 1024;

const BROWSER = { skip: noBrowser };

const axeClean = async (page: Page, what: string): Promise<void> =>
  assert.deepEqual(await violations(page), [], what);

test('the build reports the size of each file, and the one file stays small', async (t) => {
  const { file, site, sizes } = await buildHere(t);
  assert.deepEqual(
    [...sizes.keys()].filter((path) => !path.includes('assets/')).sort(),
    [
      FILE,
      ...['index.html', 'manifest.webmanifest', 'service-worker.js'].map(
        (path) => `${SITE}/${path}`,
      ),
    ].sort(),
  );
  assert.equal(sizes.get(FILE), (await readFile(file)).length);
  assert.ok((sizes.get(FILE) ?? Infinity) < MOST_BYTES, `${sizes.get(FILE)} bytes`);
  assert.ok((await readFile(join(site, 'index.html'))).length < 4096);
});

test('a build replaces an earlier one, and rejects a folder with other files', async (t) => {
  const { file, site } = await buildHere(t);
  const folder = dirname(file);
  await writeFile(join(site, 'assets', 'viewer-old.js'), 'old');
  await buildStandalone(folder);
  assert.ok(!(await readdir(join(site, 'assets'))).includes('viewer-old.js'));
  await rm(join(site, 'service-worker.js'));
  await writeFile(join(site, 'notes.txt'), 'mine');
  await assert.rejects(buildStandalone(folder), {
    message: `${site} contains files of something else. Choose another folder with --out.`,
  });
  assert.equal(await readFile(join(site, 'notes.txt'), 'utf8'), 'mine');
});

test('neither the page nor its worker contains code that opens a connection', async (t) => {
  const { file } = await buildHere(t);
  const text = await readFile(file, 'utf8');
  const opens =
    /\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|WebTransport|RTCPeerConnection|sendBeacon|importScripts|\bimport\s*\(|window\.open|https?:\/\/(?!www\.w3\.org|example\.com)[\w.]+/g;
  assert.deepEqual(text.match(opens), null);
});

for (const dark of [false, true]) {
  test(
    `the file opens from disk, shows each view, and requests nothing, ${dark ? 'dark' : 'light'}`,
    BROWSER,
    async (t) => {
      const { file } = await buildHere(t);
      const { page, faults, requested } = await openPage(t, file, dark);
      await page.getByText('Nothing leaves this computer').waitFor();
      await axeClean(page, 'welcome');
      await pickFile(page, { name: 'sample.vpt', text: sampleTrace() });
      await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
      await axeClean(page, 'overview');
      await showTimeline(page);
      await axeClean(page, 'timeline');
      await go(page, 'Frames');
      await page.getByRole('region', { name: 'Hitches, worst first' }).waitFor();
      await axeClean(page, 'frames');
      await go(page, 'Stacks');
      await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
      await axeClean(page, 'stacks');
      await go(page, 'Assets');
      await page.getByText('rock_16.bin').first().waitFor();
      await axeClean(page, 'assets');
      await go(page, 'Analysis');
      await page.getByRole('button', { name: 'Analyze' }).click();
      await page.getByRole('list', { name: 'Findings, worst first' }).waitFor();
      await axeClean(page, 'analysis');
      assert.deepEqual([faults, requested], [[], []]);
      // The page stays as it was when it is loaded again.
      await page.reload();
      await page.getByText('Nothing leaves this computer').waitFor();
      assert.match(page.url(), /^file:.*#view=analysis$/);
      assert.deepEqual([faults, requested], [[], []]);
    },
  );
}

test('everything that needs an agent is absent', BROWSER, async (t) => {
  const { file } = await buildHere(t);
  const { page } = await openPage(t, file);
  const absent = async (where: string): Promise<void> => {
    const buttons = page.getByRole('button', { name: /^(?:Start|End session)$/ });
    assert.equal(await buttons.count(), 0, where);
    const text = await page.locator('body').innerText();
    assert.doesNotMatch(text, /\b(?:session|agent|token|ask a model|start the)\b/i, where);
  };
  await absent('welcome');
  await pickFile(page, { name: 'sample.vpt', text: sampleTrace() });
  await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
  await absent('overview');
  await go(page, 'Analysis');
  await page.getByRole('button', { name: 'Analyze' }).click();
  await page.getByRole('list', { name: 'Findings, worst first' }).waitFor();
  await absent('analysis');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await absent('shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await page.getByRole('combobox', { name: 'Command' }).fill('s');
  await absent('commands');
});

test('the policy stops every connection of the page and of its worker', BROWSER, async (t) => {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url);
    response.end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { file } = await buildHere(t);
  const { page } = await openPage(t, file);
  const fromPage = await page.evaluate(async (to) => {
    const image = new Image();
    image.src = `${to}image`;
    const script = document.createElement('script');
    script.src = `${to}script`;
    const frame = document.createElement('iframe');
    frame.src = `${to}frame`;
    document.body.append(image, script, frame);
    const sent = await fetch(`${to}fetch`, { mode: 'no-cors' }).then(
      () => true,
      () => false,
    );
    try {
      new WebSocket(to.replace('http', 'ws'));
    } catch {
      // Some versions of a browser throw, others only report.
    }
    navigator.sendBeacon(`${to}beacon`, 'x');
    return sent;
  }, address);
  const [worker] = page.workers();
  assert.ok(worker);
  const fromWorker = await worker.evaluate(
    (to) =>
      fetch(`${to}worker`, { mode: 'no-cors' }).then(
        () => true,
        () => false,
      ),
    address,
  );
  assert.deepEqual([fromPage, fromWorker], [false, false]);
  // A connection that this test makes itself arrives, so the others would have, too.
  await fetch(`${address}own`);
  assert.deepEqual(heard, ['/own']);
});

test('two files are compared, and each format is exported as .vpt', BROWSER, async (t) => {
  const { file } = await buildHere(t);
  const { page, faults, requested } = await openPage(t, file);
  const text = sampleTrace();
  await pickFile(page, { name: 'sample.vpt', text });
  assert.equal(await exported(page, 'sample.vpt'), text);
  await go(page, 'Compare');
  await pickSecond(page);
  await page.getByText('Frames', { exact: true }).first().waitFor();
  await axeClean(page, 'compare');
  await go(page, 'Stacks');
  await pickFile(page, { name: 'main.folded', text: 'main;draw 3\nmain;walk 1\n' });
  await page.getByRole('heading', { name: 'main.folded' }).waitFor();
  assert.match(await exported(page, 'main.vpt'), /^\{"vpt":1.*"draw"/s);
  assert.deepEqual([faults, requested], [[], []]);
});

/** Presses Export, and returns the saved text. */
async function exported(page: Page, name: string): Promise<string> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), name);
  return readFile(await saved.path(), 'utf8');
}

test('a file opens by drop and by paste, and a pasted text as a trace', BROWSER, async (t) => {
  const { file } = await buildHere(t);
  const { page, faults } = await openPage(t, file);
  await dropFile(page, 'dropped.folded', 'main;a 3\n');
  await page.getByRole('heading', { name: 'dropped.folded' }).waitFor();
  await paste(page, 'main;b 4\n', 'pasted.folded');
  await page.getByRole('heading', { name: 'pasted.folded' }).waitFor();
  await paste(page, 'main;c 5\n');
  await page.getByRole('heading', { name: 'pasted text' }).waitFor();
  // A paste into a field belongs to the field.
  await page.getByLabel('Search', { exact: true }).focus();
  await paste(page, 'main;d 6\n', 'field.folded', 'input');
  await paste(page, '  \n');
  await page.locator('.row-button, [role=application]').first().waitFor();
  await page.getByRole('heading', { name: 'pasted text' }).waitFor();
  // While two traces are compared, a paste is the other trace, like a drop.
  await go(page, 'Compare');
  await paste(page, 'main;e 7\n', 'before.folded');
  await page.getByText('before.folded').first().waitFor();
  await page.getByRole('heading', { name: 'pasted text' }).waitFor();
  assert.deepEqual(faults, []);
});

/** Pastes a text, as a file if it has a name. */
async function paste(page: Page, text: string, name?: string, into = 'body'): Promise<void> {
  await page
    .locator(into)
    .first()
    .evaluate(
      (element, [body, fileName]) => {
        const clipboardData = new DataTransfer();
        if (fileName === undefined) clipboardData.setData('text/plain', body ?? '');
        else clipboardData.items.add(new File([body ?? ''], fileName));
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      },
      name === undefined ? [text] : [text, name],
    );
}

test('a trace in the page opens at the start', BROWSER, async (t) => {
  const { file } = await buildHere(t);
  const data = gzipSync(sampleTrace({ seconds: 20 })).toString('base64');
  const { page, faults, requested } = await openPage(t, await embed(file, data, 'a&amp;b.vpt'));
  await page.getByRole('heading', { name: 'a&b.vpt' }).waitFor();
  await page.getByRole('heading', { name: /^Main thread bound/ }).waitFor();
  assert.equal(await page.locator('script[type*=trace]').count(), 0, 'its text is released');
  assert.deepEqual([faults, requested], [[], []]);
});

test('a damaged trace in the page is reported', BROWSER, async (t) => {
  const { file } = await buildHere(t);
  const { page, faults } = await openPage(t, await embed(file, '@@@', 'report.vpt'));
  const alert = page.getByRole('alert');
  await alert.getByText('report.vpt was not opened.').waitFor();
  await alert.getByText('The trace in this page is damaged. Create the page again.').waitFor();
  assert.deepEqual(faults, []);
});

/** Writes a copy of the file with a trace, as a report in one file has it. */
async function embed(file: string, data: string, name: string): Promise<string> {
  const html = await readFile(file, 'utf8');
  const element = `<script type="application/vnd.svc.trace" data-name="${name}">${data}</script>`;
  const at = html.lastIndexOf('</body>');
  const path = join(dirname(file), 'report.html');
  await writeFile(path, `${html.slice(0, at)}${element}\n${html.slice(at)}`);
  return path;
}

test(
  'an empty, foreign, hostile or huge file is rejected with a reason, and a torn one opens',
  BROWSER,
  async (t) => {
    const { file } = await buildHere(t);
    const { page, faults, requested } = await openPage(t, file);
    const alert = page.getByRole('alert');
    const sample = sampleTrace({ seconds: 5 });
    for (const [name, text, reason] of [
      ['empty.vpt', '', /empty/i],
      ['photo.png', '\u0089PNG\r\n\u001a\n\u0000', /./],
      ['page.html', '<script>alert(1)</script>\n', /line 1|not/i],
      ['deep.vpt', `${sample.split('\n')[0]}\n${'['.repeat(5000)}\n`, /line 2/],
      [
        'huge-number.vpt',
        `${sample.split('\n')[0]}\n{"type":"mark","t":1e400,"name":"a","source":"native"}\n`,
        /line 2/,
      ],
    ] as const) {
      await pickFile(page, { name, text });
      await alert.getByText(`${name} was not opened.`).waitFor();
      assert.match(await alert.innerText(), reason, name);
    }
    await axeClean(page, 'refusal');
    await pickFile(page, await sparseFile(t, file));
    await alert.getByText('Its size is 5.0 GiB, and this page opens at most 4.0 GiB').waitFor();
    const hostile = '<img src=x onerror=alert(1)>.vpt';
    await dropFile(page, hostile, sample.slice(0, -30));
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByRole('button', { name: 'Torn end' }).waitFor();
    assert.deepEqual([faults, requested], [[], []]);
  },
);

/** A file of 5 GiB without content. It is removed with the build. */
async function sparseFile(t: TestContext, beside: string): Promise<string> {
  const path = join(dirname(beside), 'huge.vpt');
  const file = await open(path, 'w');
  t.after(() => file.close());
  await file.truncate(5 * 1024 ** 3);
  return path;
}
