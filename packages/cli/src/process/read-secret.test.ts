// Secrets from standard input: how a pipe is read, and the keys on a terminal.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ExitError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { readSecret } from './read-secret.ts';

type Typed = { readonly secret: Promise<string>; readonly raw: boolean[]; readonly shown: string };

/** Types keys at the prompt of a terminal. */
async function type(keys: readonly string[], env: Io['env'] = {}): Promise<Typed> {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => raw.push(on),
  });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const secret = readSecret({ stdin, stderr, env } as unknown as Io, 'Token: ');
  for (const key of keys) stdin.write(key);
  const enough = new AbortController();
  const late = pause(10_000, 'late', { signal: enough.signal }).catch(() => '');
  const first = await Promise.race([secret.catch(() => ''), late]);
  enough.abort();
  assert.notEqual(first, 'late', 'the secret is read');
  return { secret, raw, shown: stderr.read() ?? '' };
}

const piped = (text: string, what?: 'token' | 'key'): Promise<string> =>
  readSecret(
    { stdin: new PassThrough().end(text), env: { CI: 'true' } } as unknown as Io,
    '',
    what,
  );

test('readSecret reads a pipe to its end and trims it, also in CI', async () => {
  assert.equal(await piped(' a b\r\n\n'), 'a b');
  assert.equal(await piped(''), '');
  assert.equal((await piped('x'.repeat(65_536))).length, 65_536);
  for (const what of ['token', 'key'] as const) {
    await assert.rejects(piped('x'.repeat(65_537), what), (error) => {
      assert.ok(error instanceof ExitError);
      assert.deepEqual([error.exitCode, error.code], [7, `${what}_malformed`]);
      assert.match(error.message, new RegExp(`too long for a ${what}`));
      return true;
    });
  }
});

test('readSecret reads typed text up to Enter without showing it, and restores the terminal', async () => {
  const rows: [keys: string[], secret: string][] = [
    [['a', 'b', '\r'], 'ab'],
    [['pasted\n', 'more'], 'pasted'],
    [['ab\u0004'], 'ab'],
    [[' ab \r'], 'ab'],
    [['abc\u007f\u007fd\r'], 'ad'],
    [['abc\bd\r'], 'abd'],
    [['\u007fa\r'], 'a'],
    [['abc\u0015d\r'], 'd'],
    [['a\u001b\u0001\tb\r'], 'ab'],
    [['\r'], ''],
  ];
  for (const [keys, expected] of rows) {
    const { secret, raw, shown } = await type(keys);
    assert.equal(await secret, expected, JSON.stringify(keys));
    assert.deepEqual([raw, shown], [[true, false], 'Token: \n']);
  }
});

test('readSecret ends with Ctrl-C, and restores the terminal', async () => {
  const { secret, raw } = await type(['ab\u0003']);
  await assert.rejects(secret, (error) => error instanceof ExitError && error.exitCode === 130);
  assert.deepEqual(raw, [true, false]);
});

test('readSecret does not ask on the terminal of a CI job', async () => {
  const { secret, raw, shown } = await type([], { CI: 'true' });
  await assert.rejects(
    secret,
    (error) => error instanceof ExitError && error.exitCode === 3 && error.code === 'no_terminal',
  );
  assert.deepEqual([raw, shown], [[], '']);
});
