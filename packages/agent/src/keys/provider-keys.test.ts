// What is told of the keyring when its operations overlap, as the look at the start and a person's first key do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ProviderKeys } from './provider-keys.ts';

/** A keyring with a key for every provider that is slow to say so, and refuses to keep or drop as told. */
function keysOf(refusal: object | null): ProviderKeys {
  const thread = `
    const { parentPort, workerData } = require('node:worker_threads');
    parentPort.once('message', (operation) => {
      if (operation.do === 'find') setTimeout(() => parentPort.postMessage({ done: operation.providers }), 300);
      else parentPort.postMessage(workerData ?? { done: null });
    });`;
  return new ProviderKeys({
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    providerUrl: null,
    startWorker: () => new Worker(thread, { eval: true, workerData: refusal }),
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

test('a key that was removed while the keyring was looked through stays removed', async () => {
  const keys = keysOf(null);
  const looked = keys.look();
  await keys.remove('openai');
  await looked;
  assert.deepEqual([sourceOf(keys, 'openai'), sourceOf(keys, 'anthropic')], ['none', 'keyring']);
  assert.deepEqual(keys.keyring, { available: true });
});
