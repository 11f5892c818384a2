// Nothing leaves the machine: every endpoint is used where there is only loopback, and the kernel
// counts packets without a route.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentOptions, startTarget, temporaryFolder } from './harness.ts';

/** Runs the program in a separate network namespace. Null if the kernel refuses one. */
function withOnlyLoopback(mode: 'agent' | 'rogue' | 'port-80', options: unknown): string | null {
  const start = 'ip link set lo up && exec "$0" "$@"';
  const program = join(import.meta.dirname, 'network-program.ts');
  const args = [process.execPath, program, mode, JSON.stringify(options)];
  const flags = process.getuid?.() === 0 ? '-n' : '-rn';
  if (spawnSync('unshare', [flags, 'true']).status !== 0) return null;
  const run = spawnSync('unshare', [flags, 'sh', '-c', start, ...args], {
    encoding: 'utf8',
    timeout: 90_000,
  });
  assert.equal(run.status, 0, `${run.stdout}${run.stderr}`);
  return run.stdout;
}

test('the agent, driven through every endpoint, sends nothing out of the machine', async (t) => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const out = withOnlyLoopback('agent', agentOptions(folder.path, { pid: target.pid }));
  if (out === null) {
    t.skip('kernel: no private network namespace');
    return;
  }
  assert.match(out, /^asked \d+ endpoints, OutNoRoutes 0$/m);
});

test('on port 80 Host is accepted with the port and without it', (t) => {
  using folder = temporaryFolder();
  const out = withOnlyLoopback('port-80', agentOptions(folder.path));
  if (out === null) t.skip('kernel: no private network namespace');
  else assert.match(out, /port 80: all held/);
});

test('the check can fail: a program that connects to the network is counted', (t) => {
  const out = withOnlyLoopback('rogue', {});
  if (out === null) {
    t.skip('kernel: no private network namespace');
    return;
  }
  const [, count] = /OutNoRoutes (\d+)$/m.exec(out) ?? [];
  assert.ok(Number(count) > 0, out);
});
