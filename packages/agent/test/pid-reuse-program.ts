// Runs as the first process of a PID namespace: lets a target exit, gives its PID to another, and
// watches the agent.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { readVpt } from '@svc/trace';
import { startAgent } from '../src/index.ts';
import { pinProcess } from '../src/target/pin-process.ts';
import { readPss } from '../src/target/pss-thread.ts';
import { agentOptions, temporaryFolder, until } from './harness.ts';

const first = spawn('sleep', ['1000'], { stdio: 'ignore' });
await once(first, 'spawn');
const pid = first.pid ?? 0;
using folder = temporaryFolder();
const pinned = pinProcess(pid);
const agent = await startAgent(agentOptions(folder.path, { pid }));
const authorization = `Bearer ${agent.token}`;
const start = await fetch(`${agent.origin}/api/start`, {
  method: 'POST',
  headers: { authorization },
});
assert.equal(start.status, 200);

const exit = once(first, 'exit');
first.kill('SIGKILL');
await exit;
const second = await until(
  async () => {
    writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await once(child, 'spawn');
    if (child.pid !== pid) child.kill('SIGKILL');
    return child;
  },
  (child) => child.pid === pid,
  'the PID to be given again',
);
assert.ok(readFileSync(`/proc/${pid}/stat`, 'latin1').includes('sleep'), 'the PID is alive again');
assert.equal(pinned.exited(), true);
assert.equal(pinned.read(), null);
for (const file of ['stat', 'cmdline', 'maps', 'smaps_rollup']) {
  assert.throws(() => readFileSync(`${pinned.folder}/${file}`), /ENOENT|ESRCH/, file);
}
assert.deepEqual(readPss(pinned.folder), { outcome: 'gone' });
const ending = await agent.ended;
assert.equal(ending.reason, 'target_exit');
assert.equal(readVpt(readFileSync(ending.trace?.path ?? '')).end?.reason, 'target_exit');
pinned.release();
second.kill('SIGKILL');
console.log(`reused ${pid}: the agent ended`);
