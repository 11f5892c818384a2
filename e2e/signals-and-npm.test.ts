// How programs end: no signal opens Node's inspector, and no program outlives the npm process that started it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { bareEnvironment, SVC, temporaryFolder } from '../packages/cli/test/svc.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { isRunning, processesNaming, type Started, startProgram } from './start-program.ts';

const LISTENING = /\{"event":"listening".*\}\n/;
const PLATFORM = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
const WEB = join(ROOT, 'packages/web/bin/svc-web.mjs');

/** Sets a free port for the inspector. Node would report it on standard error. */
const INSPECTOR = { NODE_OPTIONS: '--inspect-port=0' };

const PROGRAMS: Readonly<Record<string, (home: string) => string[]>> = {
  'svc dashboard': () => [SVC, 'dashboard', '--json', '--port', '0'],
  'svc-platform': (home) => [PLATFORM, '--dev', '--json', '--port', '0', '--data-dir', home],
  'svc-web': () => [WEB, '--json', '--port', '0'],
};

for (const [name, args] of Object.entries(PROGRAMS)) {
  test(`${name} exits cleanly after SIGUSR1 and opens no inspector`, {
    timeout: 120_000,
  }, async (t) => {
    const home = temporaryFolder(t);
    const program = startProgram(t, process.execPath, args(home), home, INSPECTOR);
    const faults = faultsOf(program);
    await program.waitForOutput(LISTENING);
    program.child.kill('SIGUSR1');
    assert.equal(await program.exited, 0, faults());
    assert.doesNotMatch(faults(), /debugger|inspector/i);
  });
}

test('svc dashboard exits cleanly after SIGUSR1 to an older Node that started it', {
  timeout: 120_000,
}, async (t) => {
  const older = '/usr/bin/node';
  const { stdout } = spawnSync(older, ['--version'], { encoding: 'utf8' });
  if (!/^v(1\d|2[0-3])\./.test(stdout ?? '')) return t.skip('no older Node is installed');
  const home = temporaryFolder(t);
  const args = [SVC, 'dashboard', '--json', '--port', '0'];
  const program = startProgram(t, older, args, home, INSPECTOR);
  const faults = faultsOf(program);
  await program.waitForOutput(LISTENING);
  program.child.kill('SIGUSR1');
  assert.equal(await program.exited, 0, faults());
  assert.doesNotMatch(faults(), /debugger|inspector/i);
});

test('SIGUSR1 to any process of npm start opens no inspector', {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryFolder(t);
  const args = ['start', '--', '--json', '--port', '0'];
  const npm = startProgram(t, 'npm', args, home, INSPECTOR);
  const faults = faultsOf(npm);
  await npm.waitForOutput(LISTENING);
  const started = processesNaming(home).filter((pid) => pid !== npm.child.pid);
  for (const pid of started) process.kill(pid, 'SIGUSR1');
  npm.child.kill('SIGTERM');
  await npm.exited;
  while (processesNaming(home).length > 0) await wait(50);
  assert.doesNotMatch(faults(), /debugger|inspector/i);
});

/** Returns standard error so far. */
function faultsOf({ child }: Started): () => string {
  let faults = '';
  child.stderr?.on('data', (chunk) => {
    faults += String(chunk);
  });
  return () => faults;
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`npx svc dashboard exits after ${signal} to npx`, {
    timeout: 120_000,
  }, async (t) => {
    const home = temporaryFolder(t);
    const args = ['svc', 'dashboard', '--json', '--port', '0'];
    const npx = startProgram(t, 'npx', args, home, { npm_config_update_notifier: 'false' });
    const [line = ''] = await npx.waitForOutput(LISTENING);
    const { origin } = JSON.parse(line);
    npx.child.kill(signal);
    await npx.waitForOutput(/\{"event":"ended","reason":"signal","trace":null\}/);
    while (processesNaming(home).length > 0) await wait(50);
    await assert.rejects(fetch(origin));
  });
}

test('npx svc-platform exits when npx is killed', { timeout: 120_000 }, async (t) => {
  const home = temporaryFolder(t);
  const args = ['svc-platform', '--dev', '--json', '--port', '0', '--data-dir', join(home, 'data')];
  const npx = startProgram(t, 'npx', args, home, { npm_config_update_notifier: 'false' });
  await npx.waitForOutput(LISTENING);
  npx.child.kill('SIGKILL');
  while (processesNaming(home).length > 0) await wait(50);
});

test('svc dashboard exits when the start file that runs it on another Node is killed', {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryFolder(t);
  // The start file does this with a Node version that is too old.
  const script = `const { spawn } = require('node:child_process');
    const env = { ...process.env, SVC_START_FILE_PID: String(process.pid) };
    spawn(process.execPath, ${JSON.stringify([SVC, 'dashboard', '--json', '--port', '0'])}, { stdio: 'inherit', env });`;
  const starter = startProgram(t, process.execPath, ['-e', script], home);
  await starter.waitForOutput(LISTENING);
  starter.child.kill('SIGKILL');
  await starter.waitForOutput(/"event":"ended","reason":"signal"/);
  while (processesNaming(home).length > 0) await wait(50);
});

test('svc dashboard without npm continues after its shell has exited, as with setsid or disown', {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryFolder(t);
  const line = '"$0" "$@" & echo "PID=$!"; wait';
  const command = ['-c', line, process.execPath, SVC, 'dashboard', '--json', '--port', '0'];
  const shell = spawn('sh', command, {
    env: bareEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  shell.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  while (!LISTENING.test(text)) await wait(50);
  const pid = Number(/PID=(\d+)/.exec(text)?.[1]);
  t.after(() => process.kill(pid, 'SIGKILL'));
  shell.kill('SIGKILL');
  // Three times the interval at which a program checks its parent.
  await wait(1_500);
  assert.ok(isRunning(pid));
  assert.doesNotMatch(text, /"ended"/);
});
