// A dashboard on a native program, with native probes.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { type AgentClient, createAgentClient, type Status } from '@svc/contracts/agent';
import type { Browser, Page } from 'playwright-core';
import { bareEnvironment, SVC } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';

export type Dashboard = { readonly url: string; readonly client: AgentClient };

/** Starts `svc dashboard` with these probes. It ends with the test. */
export async function startDashboard(
  t: TestContext,
  home: string,
  pid: number,
  probes: readonly string[],
): Promise<Dashboard> {
  const options = ['--port', '0', '--no-open', '--json', '--probes', probes.join(',')];
  const child = spawn(process.execPath, [SVC, 'dashboard', '--pid', String(pid), ...options], {
    cwd: ROOT,
    env: bareEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'close');
  t.after(async () => {
    child.kill('SIGINT');
    await exit;
  });
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { url, origin, token } = JSON.parse(first.value ?? '{}');
  const client = createAgentClient({ baseUrl: origin, send: fetch, credential: () => token });
  return { url, client };
}

function stateOf({ probes }: Status, id: string): string | undefined {
  return probes.find((probe) => probe.id === id)?.state;
}

/** Loading BPF programs takes a second, and much longer on a busy machine. */
export async function probesRun(client: AgentClient, ids: readonly string[]): Promise<void> {
  const states = async (): Promise<(string | undefined)[]> => {
    const status = await client.call('status', {});
    const found = ids.map((id) => stateOf(status, id));
    assert.ok(!found.includes('failed'), JSON.stringify(status.probes));
    return found;
  };
  await until(states, (all) => all.every((state) => state === 'running'), 'the probes run');
}

/** Saves a screenshot for manual review in the folder SVC_PICTURES. */
export async function keepPicture(
  page: { screenshot(options: { path: string }): Promise<unknown> },
  name: string,
): Promise<void> {
  const folder = process.env['SVC_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Opens the viewer, and collects the errors of its page. */
export async function openPage(
  browser: Browser,
  url: string,
): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

/** Runs svc for a user with this home folder, and returns what it prints. */
export function runSvc(home: string, args: readonly string[]): string {
  return execFileSync(process.execPath, [SVC, ...args], {
    cwd: ROOT,
    env: bareEnvironment(home),
    encoding: 'utf8',
  });
}
