// Starts `svc dashboard` as a script does, and waits for its end.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { startSvc } from './svc.ts';

export type Listening = {
  event: string;
  url: string;
  origin: string;
  token: string;
  target: { pid: number; name: string; started_at: string } | null;
  expires_at: string;
};

export type Dashboard = {
  readonly child: ChildProcess;
  readonly listening: Listening;
  /** Calls the API with the session's token. */
  readonly call: (method: string, path: string) => Promise<Response>;
  /** The last line of output, and the exit code. */
  readonly ended: Promise<{ code: number | null; last: Record<string, unknown>; lines: number }>;
};

export async function startDashboard(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Dashboard> {
  return await followDashboard(
    startSvc(t, ['dashboard', '--json', '--port', '0', ...args], { env }),
  );
}

/** Waits until the dashboard of `child` listens. */
export async function followDashboard(child: ChildProcess): Promise<Dashboard> {
  if (child.stdout === null) throw new Error('no pipe');
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const first = new Promise<string>((resolve, reject) => {
    reader.once('line', resolve);
    child.once('exit', () => reject(new Error('it did not start')));
  });
  reader.on('line', (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const closed = new Promise<void>((resolve) => reader.once('close', resolve));
  const ended = Promise.all([exited, closed]).then(([code]) => ({
    code,
    last: JSON.parse(lines.at(-1) ?? '{}'),
    lines: lines.length,
  }));
  const reported: Listening = JSON.parse(await first);
  const headers = { authorization: `Bearer ${reported.token}` };
  const call = (method: string, path: string) =>
    fetch(`${reported.origin}${path}`, { method, headers });
  return { child, listening: reported, call, ended };
}
