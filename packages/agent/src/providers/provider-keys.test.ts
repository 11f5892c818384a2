// Where keys come from, and the reported state of the keyring, also when operations overlap, as the
// first look and a user's first key do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../test/within.ts';
import type { KeyringAnswer, KeyringOperation } from '../keyring/keyring-thread.ts';
import { ProviderKeys } from './provider-keys.ts';

/**
 * A keyring with a key for every provider. It takes time to list them, and refuses changes if
 * `refusal` is set.
 */
function keysOf(refusal: KeyringAnswer | null): ProviderKeys {
  const answerTo = async (operation: KeyringOperation): Promise<KeyringAnswer> => {
    if (operation.do !== 'find') return refusal ?? { done: null };
    await wait(300);
    return { done: operation.providers };
  };
  return new ProviderKeys({
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    providerUrl: null,
    askKeyring: (operation) => ({ answer: answerTo(operation), [Symbol.dispose]: () => {} }),
    onChange: () => {},
  });
}

const sourceOf = (keys: ProviderKeys, id: string): string | undefined =>
  keys.providers.find((provider) => provider.id === id)?.key;

test('an older answer does not hide a later refusal of the keyring', async () => {
  const keys = keysOf({ code: 'keyring_unavailable', message: 'There is none' });
  const looked = keys.look();
  await assert.rejects(keys.store('openai', 'sk-1'), { code: 'keyring_unavailable' });
  await looked;
  assert.deepEqual(keys.keyring, { available: false, reason: 'There is none' });
});

test('the look is repeated if the keyring could not be asked, and not after it succeeded', async () => {
  const answers: KeyringAnswer[] = [
    { code: 'keyring_locked', message: 'The keyring is locked' },
    { done: ['openai'] },
  ];
  let asked = 0;
  const keys = new ProviderKeys({
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    providerUrl: null,
    askKeyring: () => {
      const answer = Promise.resolve(answers[asked++] ?? { done: [] });
      return { answer, [Symbol.dispose]: () => {} };
    },
    onChange: () => {},
  });
  await keys.look();
  assert.equal(keys.keyring.reason, 'The keyring is locked');
  await keys.look();
  await keys.look();
  assert.equal(sourceOf(keys, 'openai'), 'keyring');
  assert.equal(asked, 2);
});

test('a key that was removed during the look stays removed', async () => {
  const keys = keysOf(null);
  const looked = keys.look();
  await keys.remove('openai');
  await looked;
  assert.deepEqual([sourceOf(keys, 'openai'), sourceOf(keys, 'anthropic')], ['none', 'keyring']);
  assert.deepEqual(keys.keyring, { available: true });
});

/** Keys over a keyring that contains `kept`, with the operations and the number of changes. */
function keysOver(
  kept: Record<string, string>,
  {
    env = {},
    providerUrl = null,
  }: { env?: Record<string, string>; providerUrl?: string | null } = {},
) {
  const asked: string[] = [];
  const changes = { count: 0 };
  const perform = (operation: KeyringOperation): KeyringAnswer => {
    if (operation.do === 'find') {
      asked.push(`find ${operation.providers.join(' ')}`);
      return { done: operation.providers.filter((provider) => provider in kept) };
    }
    asked.push(`${operation.do} ${operation.provider}`);
    if (operation.do === 'read') return { done: kept[operation.provider] ?? null };
    if (operation.do === 'store') kept[operation.provider] = operation.key;
    else delete kept[operation.provider];
    return { done: null };
  };
  const keys = new ProviderKeys({
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', ...env },
    providerUrl,
    askKeyring: (operation) => ({
      answer: Promise.resolve(perform(operation)),
      [Symbol.dispose]: () => {},
    }),
    onChange: () => changes.count++,
  });
  const keyFor = (model: string) => keys.keyFor(keys.modelOf(model).provider);
  return { keys, keyFor, asked, changes };
}

test('keyFor: first the environment, without asking the keyring; then the keyring, each time again', async () => {
  const kept: Record<string, string> = { openai: 'sk-kept', anthropic: 'sk-other' };
  const env = { OPENAI_API_KEY: ' sk-env\n', ANTHROPIC_API_KEY: '  ' };
  const { keyFor, asked } = keysOver(kept, { env });
  assert.equal(await keyFor('openai/m'), 'sk-env');
  assert.deepEqual(asked, []);
  assert.equal(await keyFor('anthropic/m'), 'sk-other');
  kept['anthropic'] = 'sk-newer';
  assert.equal(await keyFor('anthropic/m'), 'sk-newer');
  assert.deepEqual(asked, ['read anthropic', 'read anthropic']);
  await assert.rejects(keyFor('google/m'), {
    code: 'provider_key_missing',
    message: /there is no key for it; set GEMINI_API_KEY, or store one in the keyring$/,
  });
});

test("keyFor: a provider on this machine needs no key; the user's own provider gets a key that was stored for it", async () => {
  const local = { providerUrl: 'http://127.0.0.1:1/v1' };
  const ollama = keysOver({ ollama: 'sk-never' }, local);
  assert.equal(await ollama.keyFor('ollama/m'), null);
  assert.deepEqual(ollama.asked, [], 'it takes none: the keyring is not asked');
  assert.equal(await keysOver({}, local).keyFor('custom/m'), null);
  assert.equal(await keysOver({ custom: 'sk-1' }, local).keyFor('custom/m'), 'sk-1');
  const env = { SVC_PROVIDER_KEY: 'sk-env' };
  assert.equal(await keysOver({ custom: 'sk-1' }, { ...local, env }).keyFor('custom/m'), 'sk-env');
  const elsewhere = { providerUrl: 'https://models.example/v1' };
  await assert.rejects(keysOver({}, elsewhere).keyFor('custom/m'), {
    code: 'provider_key_missing',
    message: /set SVC_PROVIDER_KEY/,
  });
});

test("keyFor: the error for a missing key includes why the keyring can't be used", async () => {
  const keys = keysOf({ code: 'keyring_locked', message: 'The keyring is locked' });
  const { provider } = keys.modelOf('openai/m');
  await assert.rejects(keys.keyFor(provider), {
    code: 'provider_key_missing',
    message: /no key for it \(The keyring is locked\); set OPENAI_API_KEY/,
  });
});

test('look asks once for the providers without a key in the environment, and reports the change', async () => {
  const { keys, asked, changes } = keysOver({ google: 'k' }, { env: { OPENAI_API_KEY: 'sk-env' } });
  await Promise.all([keys.look(), keys.look()]);
  await keys.look();
  assert.deepEqual(asked, ['find anthropic google openrouter ollama']);
  assert.equal(changes.count, 1);
  const sources = keys.providers.map(({ id, key }) => `${id} ${key}`);
  assert.deepEqual(sources, [
    'openai env',
    'anthropic none',
    'google keyring',
    'openrouter none',
    'ollama not_needed',
  ]);
});

test('store and remove report the change at once; they accept known providers and custom', async () => {
  const kept: Record<string, string> = {};
  const { keys, asked, changes } = keysOver(kept);
  await keys.store('anthropic', 'sk-1');
  assert.deepEqual([kept, changes.count], [{ anthropic: 'sk-1' }, 1]);
  assert.equal(sourceOf(keys, 'anthropic'), 'keyring');
  await keys.remove('anthropic');
  assert.deepEqual([kept, changes.count], [{}, 2]);
  assert.equal(sourceOf(keys, 'anthropic'), 'none');
  await keys.store('custom', 'sk-2');
  assert.deepEqual(kept, { custom: 'sk-2' });
  asked.length = 0;
  for (const work of [keys.store('nobody', 'sk-3'), keys.remove('nobody')]) {
    await assert.rejects(work, { code: 'invalid_input', message: /Allowed: openai, .*, custom$/ });
  }
  assert.deepEqual(asked, []);
});

test('modelOf: PROVIDER/MODEL at the first slash, or a bare id if only one provider has a key', async () => {
  const env = { OPENAI_API_KEY: 'sk-1' };
  const of = (model: string, variables: Record<string, string> = env, providerUrl?: string) => {
    const { keys } = keysOver({}, { env: variables, providerUrl: providerUrl ?? null });
    const { provider, id } = keys.modelOf(model);
    return `${provider.id} ${id}`;
  };
  assert.equal(of('openrouter/vendor/model'), 'openrouter vendor/model');
  assert.equal(of('anthropic/m'), 'anthropic m');
  assert.equal(of('gpt'), 'openai gpt');
  const url = 'https://models.example/v1';
  assert.equal(of('custom/m', {}, url), 'custom m');
  assert.equal(of('m', { SVC_PROVIDER_KEY: 'k' }, url), 'custom m');
  const { keys } = keysOver({ google: 'k' });
  await keys.look();
  assert.equal(keys.modelOf('gemini').provider.id, 'google', 'a key of the keyring counts');
  const refused: [string, Record<string, string>][] = [
    ['nobody/m', env],
    ['openai/', env],
    ['/m', env],
    ['custom/m', env],
    ['gpt', {}],
    ['gpt', { ...env, GEMINI_API_KEY: 'k' }],
  ];
  for (const [model, variables] of refused) {
    assert.throws(() => of(model, variables), { code: 'invalid_input' }, model);
  }
});

test('release abandons running operations, and no operation starts after it', async () => {
  const gate = Promise.withResolvers<KeyringAnswer>();
  let asked = 0;
  const keys = new ProviderKeys({
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    providerUrl: null,
    askKeyring: () => {
      asked++;
      return {
        answer: gate.promise,
        [Symbol.dispose]: () =>
          gate.resolve({ code: 'keyring_unavailable', message: 'It was not waited for' }),
      };
    },
    onChange: () => {},
  });
  const waiting = assert.rejects(keys.store('openai', 'sk-1'), {
    message: 'It was not waited for',
  });
  keys.release();
  await within(waiting, 'the refusal');
  const refused = { code: 'keyring_unavailable', message: 'The session has ended' };
  await assert.rejects(keys.store('openai', 'sk-1'), refused);
  assert.equal(asked, 1);
});

test('without a D-Bus session the keyring is not asked, and the reason is reported; a bus at its usual path is found', async (t) => {
  const runtime = mkdtempSync(join(tmpdir(), 'svc-runtime-'));
  t.after(() => rmSync(runtime, { recursive: true, force: true }));
  const none = { DBUS_SESSION_BUS_ADDRESS: '' };
  const missing = /^There is no D-Bus session/;
  for (const env of [none, { ...none, XDG_RUNTIME_DIR: runtime }]) {
    const { keys, asked } = keysOver({}, { env });
    assert.equal(keys.keyring.available, false);
    assert.match(keys.keyring.reason ?? '', missing);
    await assert.rejects(keys.store('openai', 'sk-1'), {
      code: 'keyring_unavailable',
      message: missing,
    });
    assert.deepEqual(asked, []);
  }
  writeFileSync(join(runtime, 'bus'), '');
  const { keys } = keysOver({}, { env: { ...none, XDG_RUNTIME_DIR: runtime } });
  assert.deepEqual(keys.keyring, { available: true });
});
