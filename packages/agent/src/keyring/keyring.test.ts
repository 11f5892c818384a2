// The keyring module with a fake library: which calls it makes, and how it reports failures.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { KeyringError, readKey, removeKey, storeKey } from './keyring.ts';

type Library = {
  /** The calls, in order. */
  readonly asked: unknown[];
  kept: string | null;
  fault: Error | null;
};

const library: Library = { asked: [], kept: null, fault: null };
Object.assign(globalThis, { keyringLibrary: library });

const SOURCE = `
  const library = globalThis.keyringLibrary;
  const done = (asked, value) => {
    library.asked.push(asked);
    if (library.fault !== null) throw library.fault;
    return value;
  };
  export class AsyncEntry {
    constructor(...given) { library.asked.push(given); }
    async setPassword(key) { done('set ' + key); library.kept ??= key; }
    async getPassword() { return done('get', library.kept); }
    async deletePassword() { return done('delete', library.kept !== null); }
  }`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@napi-rs/keyring'
      ? { url: `data:text/javascript,${encodeURIComponent(SOURCE)}`, shortCircuit: true }
      : next(specifier, context),
});

const ENTRY = ['svc', 'openai', { linux: { store: 'secret-service' } }];

test('a key is read, stored and removed in the Secret Service, and nowhere else', async () => {
  Object.assign(library, { asked: [], kept: null, fault: null });
  assert.equal(await readKey('openai'), null);
  await storeKey('openai', 'sk-1');
  assert.equal(await readKey('openai'), 'sk-1');
  assert.equal(await removeKey('openai'), true);
  assert.deepEqual(library.asked, [
    ...[ENTRY, 'get'],
    ...[ENTRY, 'set sk-1', 'get'],
    ...[ENTRY, 'get'],
    ...[ENTRY, 'delete'],
  ]);
});

test('a key that is read back differently counts as not stored', async () => {
  Object.assign(library, { asked: [], kept: 'sk-other', fault: null });
  await assert.rejects(storeKey('openai', 'sk-1'), {
    code: 'keyring_unavailable',
    message: 'The keyring did not keep the key',
  });
});

test("a library error is reported in svc's own words, whatever its message contains", async (t) => {
  const times: number[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    times.push(ms);
    return new AbortController().signal;
  });
  const named = (name: string): Error => Object.assign(new Error('sk-secret'), { name });
  const locked = /^The keyring is locked and was not unlocked$/;
  const late = /^The keyring did not answer in time; it may be locked$/;
  const rows: [Error, KeyringError['code'], RegExp][] = [
    [new Error('sk-secret: the collection is Locked'), 'keyring_locked', locked],
    [new Error('sk-secret: prompt dismissed'), 'keyring_locked', locked],
    [new Error('sk-secret: unlock failed'), 'keyring_locked', locked],
    [named('AbortError'), 'keyring_locked', late],
    [named('TimeoutError'), 'keyring_locked', late],
    [new Error('sk-secret: cancelled'), 'keyring_locked', late],
    [
      new Error('Cannot find native binding sk-secret'),
      'keyring_unavailable',
      /no keyring support$/,
    ],
    [
      new Error('sk-secret: blocked'),
      'keyring_unavailable',
      /^No usable keyring \(Secret Service\)/,
    ],
    [new Error('sk-secret'), 'keyring_unavailable', /^No usable keyring \(Secret Service\)/],
  ];
  for (const [fault, code, message] of rows) {
    Object.assign(library, { kept: null, fault });
    for (const work of [readKey, removeKey, (id: string) => storeKey(id, 'sk-1')]) {
      await assert.rejects(work('openai'), (error) => {
        assert.ok(error instanceof KeyringError, String(error));
        assert.equal(error.code, code, fault.message);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
  }
  assert.deepEqual(new Set(times), new Set([15_000]), 'the time that a person has');
});
