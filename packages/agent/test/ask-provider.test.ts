// One question to a model provider: the request, how its answer is parsed, and its limits of time
// and size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { askProvider } from '../src/providers/ask-provider.ts';
import { isProviderUrl, PROVIDERS, providerOf } from '../src/providers/known-providers.ts';
import {
  formatProviderFault,
  formatQuestion,
  parseAnswer,
} from '../src/providers/provider-dialects.ts';
import { completion, fakeProvider } from './fake-provider.ts';

const KEY = 'sk-test-0123456789abcdef';

test('askProvider removes the key from an answer that repeats it', async () => {
  await using provider = await fakeProvider((response, { headers }) =>
    response.end(completion(`You sent ${headers.authorization} (${KEY}).`)),
  );
  const custom = providerOf('custom', [], provider.url);
  assert.ok(custom !== null);
  const { signal } = new AbortController();
  const question = { provider: custom, model: 'm', summary: 's', key: KEY, env: {}, signal };
  assert.equal(await askProvider(question), 'You sent Bearer [key] ([key]).');
});

test('askProvider reads a compressed answer that it did not accept, and rejects a truncated one', async () => {
  const text = Buffer.from(completion('All of it. '.repeat(99)));
  const rows: [encoding: string, body: Buffer, expected: RegExp][] = [
    ['gzip', gzipSync(text), /^(All of it\. ){99}$/],
    ['x-gzip', gzipSync(text), /^(All of it\. ){99}$/],
    ['Deflate', deflateSync(text), /^(All of it\. ){99}$/],
    ['br', brotliCompressSync(text), /^(All of it\. ){99}$/],
    ['identity', text, /^(All of it\. ){99}$/],
    ['gzip', gzipSync(text).subarray(0, 60), /connection to .* failed/],
    ['gzip', text, /connection to .* failed/],
    ['br', gzipSync(text), /connection to .* failed/],
    ['constructor', gzipSync(text), /unknown format/],
  ];
  let next = 0;
  await using provider = await fakeProvider((response) => {
    const [encoding, body] = rows[next] ?? assert.fail();
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
  const custom = providerOf('custom', [], provider.url);
  assert.ok(custom !== null);
  const { signal } = new AbortController();
  const question = { provider: custom, model: 'm', summary: 's', key: null, env: {}, signal };
  for (const [i, [encoding, , expected]] of rows.entries()) {
    next = i;
    const answer = await askProvider(question).catch((error: Error) => error.message);
    assert.match(answer, expected, `row ${i}: ${encoding}`);
  }
});

test('isProviderUrl accepts https, or http on this machine, without credentials', () => {
  const rows: [string, boolean][] = [
    ['https://models.example/v1', true],
    ['http://127.0.0.1:8080/v1', true],
    ['http://localhost/v1', true],
    ['http://[::1]:8080', true],
    ['http://models.example/v1', false],
    ['http://127.0.0.1.models.example/v1', false],
    ['http://127.0.0.255/v1', true],
    ['http://128.0.0.1/v1', false],
    ['http://localhost.models.example/v1', false],
    ['http://models.localhost.example/v1', false],
    ['http://my-localhost/v1', false],
    ['http://[::2]/v1', false],
    ['http://:sk-1@127.0.0.1/v1', false],
    ['https://user:sk-1@models.example/v1', false],
    ['http://sk-1@127.0.0.1/v1', false],
    ['ftp://127.0.0.1', false],
    ['models.example', false],
  ];
  for (const [url, wanted] of rows) assert.equal(isProviderUrl(url), wanted, url);
});

test('askProvider: an answer that is too slow is a time-out, even if it arrives in small pieces', async () => {
  await using provider = await fakeProvider((response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  });
  const custom = providerOf('custom', [], provider.url);
  assert.ok(custom !== null);
  const question = { provider: custom, model: 'm', summary: 's', key: null, env: {} };
  const signal = new AbortController().signal;
  await assert.rejects(askProvider({ ...question, signal, timeoutMs: 300 }), {
    code: 'provider_timeout',
    message: /did not answer in time/,
  });
});

test('askProvider waits 20 s in total', async (t) => {
  const times: number[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    times.push(ms);
    return AbortSignal.abort();
  });
  const provider = providerOf('custom', [], 'http://127.0.0.1:1/v1');
  assert.ok(provider !== null);
  const { signal } = new AbortController();
  const question = { provider, model: 'm', summary: 's', key: null, env: {}, signal };
  await assert.rejects(askProvider(question), { code: 'provider_timeout' });
  assert.deepEqual(times, [20_000]);
});

test('askProvider accepts an answer of exactly 256 KiB, and none that is larger', async () => {
  let body = '';
  await using provider = await fakeProvider((response) => response.end(body));
  const custom = providerOf('custom', [], provider.url);
  assert.ok(custom !== null);
  const { signal } = new AbortController();
  const question = { provider: custom, model: 'm', summary: 's', key: null, env: {}, signal };
  const most = 'x'.repeat(256 * 1024 - completion('').length);
  body = completion(most);
  assert.ok((await askProvider(question)) === most, 'the whole answer');
  body = completion(`${most}x`);
  await assert.rejects(askProvider(question), { code: 'provider_response_too_large' });
});

test('providers: each has its variable, its dialect and its address', () => {
  const rows = PROVIDERS.map(({ id, variable, dialect, url, keyless }) =>
    [id, variable, dialect, new URL(url).protocol, keyless].join(' '),
  );
  assert.deepEqual(rows, [
    'openai OPENAI_API_KEY chat_completions https: false',
    'anthropic ANTHROPIC_API_KEY messages https: false',
    'google GEMINI_API_KEY chat_completions https: false',
    'openrouter OPENROUTER_API_KEY chat_completions https: false',
    'ollama  chat_completions http: true',
  ]);
  assert.equal(providerOf('nobody', PROVIDERS), null);
  const customOf = (given: string) => {
    const { url, variable, keyless } = providerOf('custom', [], given) ?? assert.fail();
    assert.equal(variable, 'SVC_PROVIDER_KEY');
    return [url, keyless];
  };
  const local = 'http://127.0.0.1:8080';
  assert.deepEqual(customOf(local), [`${local}/chat/completions`, true]);
  assert.deepEqual(customOf(`${local}/v1/`), [`${local}/v1/chat/completions`, true]);
  const whole = 'https://models.example/v1/chat/completions?version=2';
  assert.deepEqual(customOf(whole), [whole, false]);
  assert.deepEqual(customOf('https://models.example/v1?version=2'), [whole, false]);
});

test('the two dialects: requests, answers, and error messages', () => {
  const { headers, body } = formatQuestion('messages', 'claude', 'the summary', KEY);
  assert.deepEqual(headers, { 'anthropic-version': '2023-06-01', 'x-api-key': KEY });
  assert.deepEqual(JSON.parse(body), {
    model: 'claude',
    max_tokens: 4_096,
    system: ANALYSIS_INSTRUCTION,
    messages: [{ role: 'user', content: 'the summary' }],
  });
  const without = formatQuestion('messages', 'claude', 'the summary', null);
  assert.deepEqual(without, { headers: { 'anthropic-version': '2023-06-01' }, body });
  assert.deepEqual(formatQuestion('chat_completions', 'm', 's', null).headers, {});
  const blocks = {
    content: [{ type: 'thinking' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }],
  };
  assert.equal(parseAnswer('messages', JSON.stringify(blocks)), 'ab');
  assert.equal(parseAnswer('chat_completions', completion('c')), 'c');
  for (const text of ['', 'null', '[]', '{"choices":[]}', '{"content":[{"type":"image"}]}']) {
    assert.equal(parseAnswer('messages', text), null, text);
    assert.equal(parseAnswer('chat_completions', text), null, text);
  }
  const fault = (message: string): string =>
    formatProviderFault(JSON.stringify({ error: { message } }), KEY);
  assert.equal(fault(`bad ${KEY}!`), 'bad [key]!');
  assert.equal(fault('Incorrect API key: sk-ab***********cdef.'), 'Incorrect API key: [key].');
  assert.equal(
    fault('Unsupported parameter: max_completion_tokens\u001b[31m'),
    'Unsupported parameter: max_completion_tokens [31m',
  );
  assert.equal(fault('x'.repeat(1000)).length, 300);
});
