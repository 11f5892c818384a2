// The analysis panel with the real agent and a provider on loopback: the preview equals the sent data.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { modelOf, summarizeTrace } from '@svc/trace';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';

const KEY = 'sk-e2e-0123456789';
type Received = { readonly authorization: string | undefined; readonly body: string };

async function startProvider(
  answer: (response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({ authorization: request.headers.authorization, body });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openAnalysis(page: Page, text = sampleTrace()): Promise<void> {
  const imported = page.waitForResponse((response) => response.url().endsWith('/api/trace'));
  await pickFile(page, { name: 'sample.vpt', text });
  await imported;
  await page.getByRole('button', { name: 'Analysis', exact: true }).click();
}

async function fillQuestion(page: Page, model: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('custom');
  await page.getByRole('textbox', { name: 'Model' }).fill(model);
}

const answered = (text: string): string =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] });

for (const dark of [false, true]) {
  test(`findings on request, "show me" moves the timeline, axe finds nothing, ${dark ? 'dark' : 'light'}`, {
    skip: noBrowser,
  }, async () => {
    await using viewer = await openViewer({ dark });
    const { page } = viewer;
    await openAnalysis(page);
    await page.getByRole('heading', { name: 'Not analyzed yet' }).waitFor();
    assert.deepEqual(await violations(page), [], 'empty');
    await page.getByRole('button', { name: 'Analyze', exact: true }).click();
    const findings = page.getByRole('list', { name: 'Findings, worst first' });
    await findings.waitFor();
    assert.deepEqual(await violations(page), [], 'findings');
    const range = page.getByRole('application', { name: /^Timeline/ });
    await page
      .getByRole('button', { name: /^Show me: / })
      .first()
      .click();
    await range.waitFor();
    await page.getByText(/^Selected/).waitFor();
    assert.match(page.url(), /range=\d/);
    assert.match((await range.getAttribute('aria-label')) ?? '', /Timeline/);
    assert.deepEqual(viewer.faults, []);
  });
}

test('a model receives exactly the previewed bytes after a confirmation, and its text is escaped', {
  skip: noBrowser,
}, async () => {
  const words = '<img src=x onerror="document.title=1">\n# Hitches [here](javascript:alert(1))';
  await using provider = await startProvider((response) => response.end(answered(words)));
  const env = { SVC_PROVIDER_KEY: KEY };
  await using viewer = await openViewer({ agent: { providerUrl: provider.url, env } });
  const { page } = viewer;
  await openAnalysis(page);
  // The model receives the budget that is set in the page.
  await page.evaluate(() => {
    location.hash = 'view=analysis&budget=25';
  });
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await fillQuestion(page, 'small/one');
  const preview = await page.getByRole('region', { name: 'Summary', exact: true }).textContent();
  assert.equal(preview, summarizeTrace(modelOf(sampleTrace()), { budget_ms: 25 }).text);
  await page.getByText('Summary, ').waitFor();
  const host = new URL(provider.url).host;
  const send = page.getByRole('button', { name: `Send to ${host}` });
  assert.ok(await send.isDisabled(), 'not without a yes');
  await page.getByRole('checkbox').check();
  await page.getByRole('textbox', { name: 'Model' }).fill('small/two');
  assert.ok(await send.isDisabled(), 'a yes is for one model');
  assert.equal(provider.received.length, 0);
  await page.getByRole('checkbox').check();
  await send.click();
  const answer = page.getByRole('region', { name: 'Answer of a model' });
  await answer.getByText('<img src=x').waitFor();
  assert.equal(await answer.locator('img, a').count(), 0);
  assert.equal(await answer.locator('.answer').textContent(), words);
  const [sent] = provider.received;
  assert.equal(provider.received.length, 1);
  assert.equal(sent?.authorization, `Bearer ${KEY}`);
  assert.deepEqual(JSON.parse(sent?.body ?? ''), {
    model: 'small/two',
    messages: [
      { role: 'system', content: ANALYSIS_INSTRUCTION },
      { role: 'user', content: preview },
    ],
    stream: false,
  });
  await answer.getByText(/^What was sent/).click();
  assert.equal(
    await answer.getByRole('region', { name: 'Summary that was sent' }).textContent(),
    preview,
  );
  assert.deepEqual(await violations(page), []);
  assert.ok(!(await page.content()).includes(KEY));
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(wide) <= 390, `the page is ${wide} wide`);
  assert.deepEqual(viewer.faults, []);
});

test('a question can be cancelled, an error is reported, and without a keyring the alternative is named', {
  skip: noBrowser,
}, async () => {
  const held: ServerResponse[] = [];
  await using provider = await startProvider((response) => {
    if (held.length === 0) held.push(response);
    else response.writeHead(500).end('x');
  });
  await using viewer = await openViewer({ agent: { providerUrl: provider.url } });
  const { page } = viewer;
  await openAnalysis(page);
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('openai');
  await page.getByText(/this machine cannot store one: There is no D-Bus session/).waitFor();
  await fillQuestion(page, 'm');
  const send = page.getByRole('button', { name: /^Send to / });
  await page.getByRole('checkbox').check();
  await send.click();
  await page.getByRole('progressbar').waitFor();
  await until(
    () => held.length,
    (count) => count > 0,
    'the provider was asked',
  );
  const gone = once(held[0] ?? assert.fail(), 'close');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You cancelled the question.').waitFor();
  await gone;
  await page.getByRole('checkbox').check();
  await send.click();
  await page
    .getByRole('alert')
    .getByText(/it answered 500/)
    .waitFor();
  assert.deepEqual(await violations(page), []);
});
