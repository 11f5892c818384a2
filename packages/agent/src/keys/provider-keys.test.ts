// What is told of the keyring when its operations overlap, as the look at the start and a person's first key do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyringAnswer, KeyringOperation } from './keyring-thread.ts';
import { ProviderKeys } from './provider-keys.ts';

/** A keyring with a key for every provider that takes its time to list them, and that refuses to change where `refusal` says so. */
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

test('an older answer does not hide that the keyring refused since', async () => {
  const keys = keysOf({ code: 'keyring_unavailable', message: 'There is none' });
  const looked = keys.look();
  await assert.rejects(keys.store('openai', 'sk-1'), { code: 'keyring_unavailable' });
  await looked;
  assert.deepEqual(keys.keyring, { available: false, reason: 'There is none' });
});

test('a keyring that could not be asked is looked through again, and then no more', async () => {
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

test('a key that was removed while the keyring was looked through stays removed', async () => {
  const keys = keysOf(null);
  const looked = keys.look();
  await keys.remove('openai');
  await looked;
  assert.deepEqual([sourceOf(keys, 'openai'), sourceOf(keys, 'anthropic')], ['none', 'keyring']);
  assert.deepEqual(keys.keyring, { available: true });
});
