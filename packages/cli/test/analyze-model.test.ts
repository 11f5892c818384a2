// svc trace analyze --model sends exactly what it shows, only after consent, and only to the provider.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { modelOf, summarizeTrace } from '@svc/trace';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { bareEnvironment, runSvc, SVC, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

const KEY = 'sk-test-0123456789';
const DURATIONS = Array.from({ length: 600 }, (_, i) => (i % 60 === 0 ? 90 : 16.6));
const TRACE = `{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["browser"]}
{"type":"frames","t":0,"duration_ms":[${DURATIONS}]}
{"type":"asset","t":1,"id":"x","name":"/home/ada/art/ü-nebula.png","kind":"texture","phase":"load"}
{"type":"end","t":20000,"reason":"off"}
`;

type Received = { readonly authorization: string | undefined; readonly body: string };

async function startProvider(
  t: TestContext,
  answer: (response: ServerResponse) => void = (response) =>
    response.end('{"choices":[{"message":{"content":"It \\u001b[2Jhitches."}}]}'),
): Promise<{ readonly url: string; readonly received: Received[] }> {
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
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { url: `http://127.0.0.1:${address.port}/v1`, received };
}

function folderWithTrace(t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.vpt'), TRACE);
  return folder;
}

const argsFor = (url: string, ...more: string[]): string[] => [
  'trace',
  'analyze',
  'a.vpt',
  '--model',
  'custom/m-1',
  '--provider-url',
  url,
  ...more,
];

/** The text between the two rules of the preview. */
const shownSummary = (text: string): string =>
  /^--- summary, \d+ bytes\n([\s\S]*?)^--- end$/m.exec(text)?.[1] ?? '';

test('svc trace analyze --model --yes sends exactly the bytes that it shows, once, with the key', async (t) => {
  const provider = await startProvider(t);
  const cwd = folderWithTrace(t);
  const env = { SVC_PROVIDER_KEY: KEY };
  const run = await runSvc(t, argsFor(provider.url, '--yes', '--json'), { cwd, env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(provider.received.length, 1);
  const [sent] = provider.received;
  assert.equal(sent?.authorization, `Bearer ${KEY}`);
  const { messages, ...rest } = JSON.parse(sent?.body ?? '');
  assert.deepEqual(rest, { model: 'm-1', stream: false });
  assert.deepEqual(messages, [
    { role: 'system', content: ANALYSIS_INSTRUCTION },
    { role: 'user', content: shownSummary(run.stderr) },
  ]);
  assert.equal(messages[1]?.content, summarizeTrace(modelOf(TRACE)).text);
  assert.ok(run.stderr.includes(`\n${ANALYSIS_INSTRUCTION}\n`));
  assert.match(run.stderr, new RegExp(`^To 127\\.0\\.0\\.1:\\d+ \\(${provider.url}/`));
  assert.ok(!`${run.stdout}${run.stderr}${sent?.body}`.includes('/home/ada'));
  assert.ok(!`${run.stdout}${run.stderr}`.includes(KEY));
  const document: unknown = JSON.parse(run.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-analyze'], document)], []);
  const text = await runSvc(t, argsFor(provider.url, '--yes'), { cwd, env });
  assert.equal(text.stdout, 'It \\x1b[2Jhitches.\n', 'foreign text does not act on a terminal');
});

test('svc trace analyze --model sends nothing without consent, a key or a known provider', async (t) => {
  const provider = await startProvider(t);
  const cwd = folderWithTrace(t);
  const piped = await runSvc(t, argsFor(provider.url), { cwd, input: 'y\n' });
  assert.equal(piped.code, 2);
  assert.match(piped.stderr, /--- end[\s\S]*Nothing was sent: there is no terminal/);
  const cases: [string[], number, RegExp][] = [
    [['--model', 'openai/x', '--yes'], 1, /there is no key for it.*OPENAI_API_KEY/],
    [
      ['--model', 'nobody/x', '--yes'],
      2,
      /Write it as PROVIDER\/MODEL\. Known providers: openai, /,
    ],
    [['--yes'], 2, /--yes needs --model/],
    [['--model', 'custom/x', '--yes', '--provider-url', 'http://example.com'], 2, /https:/],
  ];
  for (const [more, code, expected] of cases) {
    const run = await runSvc(t, ['trace', 'analyze', 'a.vpt', ...more], { cwd });
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, expected);
  }
  assert.equal(provider.received.length, 0);
});

test('svc trace analyze --model reports a failing provider with exit code 1, without the key', async (t) => {
  const provider = await startProvider(t, (response) =>
    response.writeHead(401).end(`{"error":{"message":"wrong key ${KEY}"}}`),
  );
  const cwd = folderWithTrace(t);
  const env = { SVC_PROVIDER_KEY: KEY };
  const run = await runSvc(t, argsFor(provider.url, '--yes', '--json'), { cwd, env });
  assert.equal(run.code, 1);
  assert.equal(JSON.parse(run.stdout).error.code, 'provider_error');
  assert.match(run.stderr, /it answered 401: wrong key \[key\]/);
  assert.ok(!`${run.stdout}${run.stderr}`.includes(KEY));
  assert.equal(provider.received.length, 1, 'there is no second request');
});

test('svc trace analyze --model on a terminal sends after y, and sends nothing after no, Ctrl-C or an empty answer', async (t) => {
  const provider = await startProvider(t);
  const cwd = folderWithTrace(t);
  for (const [keys, ending] of [
    [['Enter'], /Nothing was sent[\s\S]*EXIT=1/],
    [['C-c'], /Nothing was sent[\s\S]*EXIT=1/],
    [['y', 'Enter'], /hitches\.[\s\S]*EXIT=0/],
  ] as const) {
    assert.equal(provider.received.length, 0);
    const line = [process.execPath, SVC, ...argsFor(provider.url)].join(' ');
    const terminal = openTerminal(t, line, bareEnvironment(cwd), cwd);
    if (terminal === null) return;
    await terminal.shows(/Send this to 127\.0\.0\.1:\d+\? \[y\/N\]/);
    terminal.type(...keys);
    assert.match(await terminal.shows(/EXIT=\d+/), ending);
  }
  assert.equal(provider.received.length, 1);
  assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), TRACE);
});
