// The question before a summary is sent to a model, on a simulated terminal.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { askModel } from './ask-model.ts';

/** A provider that counts its requests. */
async function startProvider(t: TestContext) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked++;
    response.end('{"choices":[{"message":{"content":"It hitches."}}]}');
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked: () => asked };
}

type Given = { readonly canAsk?: boolean; readonly yes?: boolean; readonly env?: Io['env'] };

/** Asks a user who types the keys, or closes the terminal if they are null. `shown` is the text that the user sees. */
function ask(url: string, keys: string | null, { canAsk = true, yes = false, env = {} }: Given) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const text = 'a summary\n\u001b[2J of it\n';
  const summary = { text, bytes: text.length, left_out: [{ part: 'assets', count: 3 }] };
  const question = { model: 'custom/m', providerUrl: url, summary, yes, canAsk };
  const answer = askModel(question, { stdin, stderr, env } as unknown as Io);
  if (keys === null) stdin.end();
  else stdin.write(keys);
  return { answer, shown: (): string => stderr.read() ?? '' };
}

async function refusalOf(answer: Promise<unknown>): Promise<ExitError> {
  const error = await answer.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ExitError, String(error));
  return error;
}

test('askModel sends after y or yes, and sends nothing after any other answer or none', {
  timeout: 60_000,
}, async (t) => {
  const provider = await startProvider(t);
  for (const keys of ['y\n', 'Y\n', ' yes \n']) {
    const before = provider.asked();
    const { model, text } = await ask(provider.url, keys, {}).answer;
    assert.deepEqual([model, text, provider.asked()], ['custom/m', 'It hitches.', before + 1]);
  }
  const sent = provider.asked();
  for (const keys of ['n\n', '\n', 'yep\n', 'y n\n', null]) {
    const failure = await refusalOf(ask(provider.url, keys, {}).answer);
    assert.deepEqual([failure.exitCode, failure.code], [1, 'declined'], String(keys));
  }
  assert.equal(provider.asked(), sent);
});

test('askModel requires --yes if the trace comes from standard input or there is no terminal', async (t) => {
  const provider = await startProvider(t);
  for (const given of [{ canAsk: false }, { env: { CI: 'true' } }]) {
    const failure = await refusalOf(ask(provider.url, 'y\n', given).answer);
    assert.deepEqual([failure.exitCode, failure.code], [2, 'usage']);
    assert.equal(provider.asked(), 0);
  }
  await ask(provider.url, null, { canAsk: false, yes: true }).answer;
  assert.equal(provider.asked(), 1);
});

test('askModel shows everything that is sent with escaped control characters, and what was left out', async (t) => {
  const provider = await startProvider(t);
  const { answer, shown } = ask(provider.url, null, { yes: true });
  await answer;
  const text = shown();
  assert.match(text, /^To 127\.0\.0\.1:\d+ \(http:.*\), for the model m, without a key:\n/);
  assert.match(text, /\n--- summary, 21 bytes\na summary\n\\x1b\[2J of it\n--- end\n/);
  assert.match(text, /\nLeft out of the summary: 3 of "assets"\.\n/);
});
