// `npm start`: starts a demonstration process and the dashboard that profiles it. Arguments are passed to `svc dashboard`.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildBrowserCode } from './build-browser.ts';
import { onEnding } from './on-ending.ts';
import { ROOT } from './workspaces.ts';

const interrupted = new AbortController();
let forward: (signal: NodeJS.Signals) => void = () => interrupted.abort();
onEnding((signal) => forward(signal));
buildBrowserCode();

const demonstration = fork(join(import.meta.dirname, 'demonstration.ts'), {
  execArgv: ['--disable-sigusr1'],
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
try {
  await once(demonstration, 'message', { signal: interrupted.signal });
  process.exitCode = await runDashboard(demonstration.pid ?? 0);
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
} finally {
  await endDemonstration(demonstration);
}

/** Runs the dashboard in this terminal until it exits, and forwards signals to it. Returns its exit code. */
async function runDashboard(pid: number): Promise<number> {
  const command = join(ROOT, 'packages/cli/bin/svc.mjs');
  const script = ['--disable-sigusr1', command];
  const args = [...script, 'dashboard', '--pid', String(pid), ...process.argv.slice(2)];
  const dashboard = spawn(process.execPath, args, { stdio: 'inherit' });
  forward = (signal) => dashboard.kill(signal);
  const [code] = await once(dashboard, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function endDemonstration(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
}
