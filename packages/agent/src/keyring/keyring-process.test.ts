// The keyring process: what it receives, and what is reported when it fails or can't be started.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../../scripts/until.ts';
import { within } from '../../test/within.ts';
import { keyringAsker } from './keyring-process.ts';

/** Opens files until no descriptors are left, then asks the keyring and prints the answer. */
const PROGRAM = `import { openSync } from 'node:fs';
import { keyringAsker } from '${new URL('./keyring-process.ts', import.meta.url)}';
const ask = keyringAsker(new URL('file:///nowhere.js'), {});
try { for (;;) openSync('/dev/null', 'r'); } catch {}
const asked = ask({ do: 'find', providers: [] });
asked.answer.then((answer) => console.log(JSON.stringify(answer)));`;

test('a keyring process that finds no descriptors is reported at once, and leaves no timer', () => {
  const command = [process.execPath, '--input-type=module', '-e', PROGRAM];
  const run = spawnSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', ...command], {
    encoding: 'utf8',
    // Less than the 16 s of a timer that is still running.
    timeout: 12_000,
  });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.deepEqual(JSON.parse(run.stdout), {
    code: 'keyring_unavailable',
    message: 'The keyring could not be reached',
  });
});

/** A program in place of the keyring process. */
function entryOf(t: TestContext, code: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keyring-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'entry.mjs');
  writeFileSync(path, code);
  return pathToFileURL(path);
}

test('the operation is sent over the channel alone, to a process without Node options that no debugger can open', async (t) => {
  const entry = entryOf(
    t,
    `process.once('message', (operation) => {
      const { NODE_OPTIONS = null, SESSION = null } = process.env;
      const options = [process.argv.slice(2), process.execArgv];
      const reported = [operation, ...options, NODE_OPTIONS, SESSION];
      process.send({ done: JSON.stringify(reported) });
    });`,
  );
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: '--no-such-option', SESSION: 'a bus' };
  const operation = { do: 'store', provider: 'openai', key: 'sk-1' } as const;
  using asked = keyringAsker(entry, env)(operation);
  const answer = await within(asked.answer, 'the answer');
  assert.ok('done' in answer, JSON.stringify(answer));
  const options = [['keyring'], ['--disable-sigusr1']];
  assert.deepEqual(JSON.parse(String(answer.done)), [operation, ...options, null, 'a bus']);
});

test('a keyring process that ends without an answer has failed, even if it never started', async (t) => {
  const failed = { code: 'keyring_unavailable', message: 'The keyring failed' };
  const operation = { do: 'find', providers: [] } as const;
  for (const code of ['process.exit(0);', 'throw new Error("it can not run");']) {
    using asked = keyringAsker(entryOf(t, code), {})(operation);
    assert.deepEqual(await within(asked.answer, 'the answer'), failed);
  }
});

test('abandoning an operation resolves its answer at once, and the process ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keyring-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const noted = (word: string): boolean => existsSync(join(folder, word));
  const entry = entryOf(
    t,
    `import { writeFileSync } from 'node:fs';
    const note = (word) => writeFileSync(${JSON.stringify(folder)} + '/' + word, '');
    process.on('message', () => note('asked'));
    process.once('disconnect', () => note('left'));`,
  );
  const asked = keyringAsker(entry, {})({ do: 'find', providers: [] });
  await until(
    () => noted('asked'),
    (there) => there,
    'the question to arrive',
  );
  asked[Symbol.dispose]();
  assert.deepEqual(await within(asked.answer, 'the answer'), {
    code: 'keyring_unavailable',
    message: 'The keyring was abandoned before it answered',
  });
  await until(
    () => noted('left'),
    (there) => there,
    'the process to be left',
  );
});

test('a keyring process that does not answer is given up after 16 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const entry = entryOf(t, "process.on('message', () => {});");
  using asked = keyringAsker(entry, {})({ do: 'find', providers: [] });
  let over = false;
  void asked.answer.then(() => {
    over = true;
  });
  t.mock.timers.tick(15_999);
  await new Promise(setImmediate);
  assert.equal(over, false);
  t.mock.timers.tick(1);
  assert.deepEqual(await within(asked.answer, 'the answer'), {
    code: 'keyring_unavailable',
    message: 'The keyring did not answer in time',
  });
});
