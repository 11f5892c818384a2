// Runs in a separate D-Bus session: stores, reports and removes provider keys through the API.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type AgentClient, AgentError, importTrace, type Status } from '@svc/contracts/agent';
import { type AgentOptions, startAgent } from '../src/index.ts';
import { clientOf, parseOptions, until, vptOf } from './harness.ts';

const [mode = '', given = '{}'] = process.argv.slice(2);
const options: AgentOptions = { ...parseOptions(given), env: process.env };
const KEY = 'sk-keyring-0123456789';

async function withAgent(
  more: Partial<AgentOptions>,
  use: (client: AgentClient) => Promise<unknown>,
): Promise<void> {
  await using agent = await startAgent({ ...options, ...more });
  await use(clientOf(agent));
}

const keyOf = (status: Status, id: string): string | undefined =>
  status.capabilities.analysis_provider.providers.find((provider) => provider.id === id)?.key;

const failsWith = (code: string) => (error: unknown) => {
  assert.ok(error instanceof AgentError, String(error));
  assert.equal(error.code, code);
  assert.ok(!error.message.includes(KEY));
  return true;
};

/** A provider on this machine. Returns the `Authorization` header of each question. */
async function withProvider(
  use: (url: string, authorizations: readonly (string | undefined)[]) => Promise<void>,
): Promise<void> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    response.end(JSON.stringify({ choices: [{ message: { content: `I got ${KEY}` } }] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  await use(`http://127.0.0.1:${address.port}/v1`, authorizations);
  server.closeAllConnections();
  server.close();
}

/** Locks the keyring, as suspending a session does. */
function lock(): void {
  const call = 'org.freedesktop.Secret.Service.Lock';
  const login = 'array:objpath:/org/freedesktop/secrets/collection/login';
  const { status, stderr } = spawnSync(
    'dbus-send',
    [
      '--session',
      '--dest=org.freedesktop.secrets',
      '--print-reply',
      '/org/freedesktop/secrets',
      call,
      login,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
}

/** The process that provides the keyring on this bus. */
function keyringPid(): number {
  const { stdout, stderr } = spawnSync(
    'dbus-send',
    [
      '--session',
      '--dest=org.freedesktop.DBus',
      '--print-reply=literal',
      '/',
      'org.freedesktop.DBus.GetConnectionUnixProcessID',
      'string:org.freedesktop.secrets',
    ],
    { encoding: 'utf8' },
  );
  const pid = Number(/uint32 (\d+)/.exec(stdout)?.[1]);
  assert.ok(pid > 1, stderr);
  return pid;
}

if (mode === 'unlocked') {
  await withAgent({}, async (client) => {
    await client.call('key_remove', { body: { provider: 'openai' } });
    assert.equal(keyOf(await client.call('status', {}), 'openai'), 'none');
    await client.call('key', { body: { key: KEY } });
    await client.call('key', { body: { key: `${KEY}-other`, provider: 'anthropic' } });
    const status = await client.call('status', {});
    assert.equal(status.capabilities.keyring.available, true);
    assert.deepEqual([keyOf(status, 'openai'), keyOf(status, 'anthropic')], ['keyring', 'keyring']);
    assert.ok(!JSON.stringify(status).includes(KEY));
  });
  await withAgent({ env: { ...process.env, ANTHROPIC_API_KEY: 'sk-env' } }, async (client) => {
    await until(
      () => client.call('status', {}),
      (status) => keyOf(status, 'openai') === 'keyring',
    );
    assert.equal(
      keyOf(await client.call('status', {}), 'anthropic'),
      'env',
      'the environment wins',
    );
    await client.call('key_remove', { body: { provider: 'anthropic' } });
    assert.equal(keyOf(await client.call('status', {}), 'anthropic'), 'env', 'and is left alone');
    await client.call('key_remove', { body: {} });
    await client.call('key_remove', { body: {} });
    assert.equal(keyOf(await client.call('status', {}), 'openai'), 'none');
    await importTrace(client, vptOf({ type: 'mark', t: 1, name: 'here' }));
    await assert.rejects(
      client.call('analyze', { body: { offline: false, model: 'openai/x' } }),
      failsWith('provider_key_missing'),
    );
  });
  await withAgent({}, (client) => client.call('key', { body: { key: KEY, provider: 'custom' } }));
  await withProvider(async (providerUrl, authorizations) => {
    const question = { offline: false, model: 'custom/m' } as const;
    // The first request of a new session. The key is sent and not reported.
    await withAgent({ providerUrl }, async (client) => {
      await importTrace(client, vptOf({ type: 'mark', t: 1, name: 'here' }));
      const { summary_sha256 } = await client.call('analyze', { body: { offline: true } });
      const answer = await client.call('analyze', { body: { ...question, summary_sha256 } });
      assert.deepEqual([answer.text, answer.mode], ['I got [key]', 'provider']);
      const status = await client.call('status', {});
      assert.equal(keyOf(status, 'custom'), 'keyring');
      assert.ok(!JSON.stringify([answer, status]).includes(KEY));
      await client.call('key_remove', { body: { provider: 'custom' } });
      await client.call('analyze', { body: question });
    });
    const env = { ...process.env, SVC_PROVIDER_KEY: 'sk-env' };
    await withAgent({ providerUrl, env }, async (client) => {
      await client.call('key', { body: { key: KEY, provider: 'custom' } });
      await importTrace(client, vptOf({ type: 'mark', t: 1, name: 'here' }));
      await client.call('analyze', { body: question });
    });
    assert.deepEqual(authorizations, [`Bearer ${KEY}`, undefined, 'Bearer sk-env']);
  });
} else if (mode === 'locked') {
  await withAgent({}, async (client) => {
    await client.call('key', { body: { key: KEY } });
    lock();
    await assert.rejects(
      client.call('key', { body: { key: `${KEY}-new` } }),
      failsWith('keyring_locked'),
    );
    await assert.rejects(client.call('key_remove', { body: {} }), failsWith('keyring_locked'));
    assert.match((await client.call('status', {})).capabilities.keyring.reason ?? '', /locked/);
  });
} else if (mode === 'stalled') {
  const pid = keyringPid();
  await withAgent({}, async (client) => {
    await client.call('key', { body: { key: 'sk-before' } });
    try {
      process.kill(pid, 'SIGSTOP');
      // Longer than the library waits for one reply.
      const goOn = wait(4_000).then(() => process.kill(pid, 'SIGCONT'));
      await Promise.all([client.call('key', { body: { key: KEY } }), goOn]);
      assert.equal(keyOf(await client.call('status', {}), 'openai'), 'keyring');
      process.kill(pid, 'SIGSTOP');
      await assert.rejects(
        client.call('key', { body: { key: 'sk-after' } }),
        failsWith('keyring_locked'),
      );
      assert.match(
        (await client.call('status', {})).capabilities.keyring.reason ?? '',
        /answer in time/,
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
} else {
  // `empty` has a service without a keyring, `absent` a bus without the service.
  await withAgent({}, async (client) => {
    await assert.rejects(
      client.call('key', { body: { key: KEY } }),
      failsWith('keyring_unavailable'),
    );
    const { keyring } = (await client.call('status', {})).capabilities;
    assert.equal(keyring.available, false);
    assert.ok((keyring.reason ?? '').length > 0);
    const removal = client.call('key_remove', { body: {} });
    if (mode === 'empty') await removal;
    else await assert.rejects(removal, failsWith('keyring_unavailable'));
  });
}
console.log(`${mode}: all held`);
