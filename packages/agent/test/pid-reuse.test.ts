// The kernel gives the PID of an exited process to another one. The agent must end, and never read
// the other.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('a reused PID is never read: forced in a PID namespace', (t) => {
  const inside = ['mount', '-t', 'proc', 'proc', '/proc'];
  const flags = ['-p', '-f', '-m', '--kill-child'];
  const probe = 'mount -t proc proc /proc && echo 5000 > /proc/sys/kernel/ns_last_pid';
  const may = spawnSync('unshare', [...flags, 'sh', '-c', probe]);
  if (may.status !== 0) {
    t.skip('kernel: no private PID namespace with ns_last_pid');
    return;
  }
  const program = join(import.meta.dirname, 'pid-reuse-program.ts');
  const run = spawnSync(
    'unshare',
    [...flags, 'sh', '-c', `${inside.join(' ')} && exec "$0" "$@"`, process.execPath, program],
    { encoding: 'utf8', timeout: 90_000 },
  );
  assert.equal(run.status, 0, `${run.stdout}${run.stderr}`);
  assert.match(run.stdout, /^reused \d+: the agent ended$/m);
});
