// `svc-platform test-mail` with a mail server of the test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type MailServer, startMailServer } from './start-mail-server.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, 'test-mail', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

const settingsOf = ({ settings: { port } }: MailServer, login = '') => ({
  SVC_SMTP_URL: `smtp://${login}127.0.0.1:${port}`,
  SVC_MAIL_FROM: 'The store <store@games.example>',
});

test('the e-mail is sent with the settings, and the answer of the server is printed', async () => {
  await using server = await startMailServer();
  const environment = settingsOf(server, 'mailer:secret@');
  const name = `127.0.0.1:${server.settings.port}`;
  const sent = await run(['ada@example.com'], environment);
  assert.deepEqual([sent.code, sent.stderr], [0, '']);
  assert.equal(
    sent.stdout,
    `${name} has accepted an e-mail to ada@example.com. If it does not arrive, look at the log of this server, and for spam\n`,
  );
  const [mail] = server.received;
  assert.deepEqual([mail?.to, server.logins], [['ada@example.com'], ['mailer:secret']]);
  assert.equal(mail?.headers.get('subject'), 'Test e-mail');
  assert.match(mail?.headers.get('from') ?? '', /The store <store@games\.example>/);
  const { stdout } = await run(['bob@example.com', '--json'], environment);
  const event = { event: 'mail_accepted', to: 'bob@example.com', server: name };
  assert.deepEqual(JSON.parse(stdout), event);
});

test('a failure names the server, the step and the answer, and no password', async () => {
  await using server = await startMailServer();
  server.refused.set('gone@example.com', 550);
  const environment = settingsOf(server, 'mailer:secret@');
  const refused = await run(['gone@example.com'], environment);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(
    refused.stderr,
    /^127\.0\.0\.1:\d+ did not accept the e-mail at RCPT TO: .*550.*\n$/,
  );
  const down = { ...environment, SVC_SMTP_URL: 'smtp://mailer:secret@127.0.0.1:1' };
  const failed = await run(['ada@example.com'], down);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^127\.0\.0\.1:1 did not accept the e-mail at CONN: .*ECONNREFUSED/);
  assert.doesNotMatch(refused.stderr + failed.stderr, /secret/);
});

test('a missing setting and wrong arguments are named', async () => {
  const cases: readonly (readonly [args: readonly string[], message: string])[] = [
    [['ada@example.com'], 'Cannot send an e-mail: SVC_SMTP_URL is not set\n'],
    [[], 'Cannot run "svc-platform test-mail": ADDRESS is missing\n'],
    [['a@x.example', 'b'], 'Cannot run "svc-platform test-mail": "b" is one argument too many\n'],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await run(args);
    assert.deepEqual([code, stderr], [1, message]);
  }
});
