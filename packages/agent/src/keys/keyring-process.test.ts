// The keyring's process where the system has no room for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Opens files until there are no more descriptors, then asks the keyring, and prints the answer. */
const PROGRAM = `import { openSync } from 'node:fs';
import { keyringAsker } from '${new URL('./keyring-process.ts', import.meta.url)}';
const ask = keyringAsker(new URL('file:///nowhere.js'), {});
try { for (;;) openSync('/dev/null', 'r'); } catch {}
const asked = ask({ do: 'find', providers: [] });
asked.answer.then((answer) => console.log(JSON.stringify(answer)));`;

test('a keyring process that finds no descriptors is an answer at once, and leaves no timer', () => {
  const command = [process.execPath, '--input-type=module', '-e', PROGRAM];
  const run = spawnSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', ...command], {
    encoding: 'utf8',
    // Under the 16 s of a timer that goes on.
    timeout: 12_000,
  });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.deepEqual(JSON.parse(run.stdout), {
    code: 'keyring_unavailable',
    message: 'The keyring could not be asked',
  });
});
