// Profiling a native game: `svc dashboard --pid PID --probes stacks,files`, Start, a flame graph and ranked files, End session,
// and the recording on the command line.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { hasCompiler, skippedWithoutBpf, startLoader } from '@svc/agent/testing';
import { type AgentClient, createAgentClient, type Status } from '@svc/contracts/agent';
import { bareEnvironment, SVC, temporaryFolder } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { launchBrowser, noBrowser } from './viewer/open-viewer.ts';

const MIB = 1024 * 1024;

/** The costs differ enough that a busy machine does not change their order. */
const FILES = [
  ['art/hero.ktx2', 96 * MIB],
  ['audio/theme.ogg', 12 * MIB],
  ['level.json', 4096],
] as const;

test('a native game: stacks and files live in the viewer, and ranked from the recording', {
  skip: noBrowser,
}, async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skippedWithoutBpf(t)) return;
  const home = temporaryFolder(t);
  const game = join(home, 'game');
  for (const folder of ['art', 'audio']) mkdirSync(join(game, folder), { recursive: true });
  for (const [name, bytes] of FILES) writeFileSync(join(game, name), Buffer.alloc(bytes, 'x'));
  await using loader = await startLoader(game);
  const dashboard = await startDashboard(t, home, loader.pid);
  const { client } = dashboard;
  const { stacks, files } = (await client.call('status', {})).capabilities;
  for (const { available, reason } of [stacks, files]) {
    if (!available) return t.skip(`kernel: ${reason}`);
  }
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(dashboard.url);

  await page.getByRole('button', { name: 'Start' }).first().click();
  await probesRun(client);

  await t.test('the files rank live, the dearest first', async () => {
    await page.getByRole('button', { name: 'Assets', exact: true }).click();
    await loader.obey('read level.json 4096');
    await loader.obey('pread audio/theme.ogg 65536');
    for (let i = 0; i < 3; i++) await loader.obey('read art/hero.ktx2 65536');
    const rows = page.getByRole('row').filter({ hasText: /hero|theme|level/ });
    await rows.filter({ hasText: 'art/hero.ktx2' }).filter({ hasText: '288' }).waitFor();
    await rows.filter({ hasText: 'audio/theme.ogg' }).waitFor();
    await rows.filter({ hasText: 'level.json' }).waitFor();
    const names = (await rows.allInnerTexts()).map((text) => /[\w/]+\.\w+/.exec(text)?.[0]);
    assert.deepEqual(
      names,
      FILES.map(([name]) => name),
    );
    await keepPicture(page, 'assets');
  });

  await t.test('the flame graph shows what runs', async () => {
    await loader.obey('burn 1500');
    await page.getByRole('button', { name: 'Stacks', exact: true }).click();
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    await keepPicture(page, 'flame');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'burn_cpu' }).first().waitFor();
    await keepPicture(page, 'functions');
  });
  assert.deepEqual(faults, []);

  const { trace } = await client.call('off', {});
  assert.ok(trace !== null);
  const svc = (...args: string[]): string =>
    execFileSync(process.execPath, [SVC, ...args], {
      cwd: ROOT,
      env: bareEnvironment(home),
      encoding: 'utf8',
    });

  await t.test('svc trace check passes, and svc trace info counts what the probes wrote', () => {
    svc('trace', 'check', trace.path);
    const info = JSON.parse(svc('trace', 'info', trace.path, '--json'));
    assert.ok(info.samples > 0 && info.stacks > 0, JSON.stringify(info));
    assert.ok(info.records > 8);
  });

  await t.test('svc trace assets ranks the files, with every byte that was read', () => {
    const report = JSON.parse(svc('trace', 'assets', trace.path, '--json'));
    const ranked = report.assets.filter(({ name }: { name: string }) =>
      FILES.some(([file]) => file === name),
    );
    assert.deepEqual(
      ranked.map(({ name, read_bytes, bytes }: Record<string, unknown>) => [
        name,
        read_bytes,
        bytes,
      ]),
      FILES.map(([name, bytes], i) => [name, i === 0 ? 3 * bytes : bytes, bytes]),
    );
    const [hero] = ranked;
    assert.ok(hero.advice.some(({ code }: { code: string }) => code === 'read_again'));
  });
});

type Dashboard = { readonly url: string; readonly client: AgentClient };

async function startDashboard(t: TestContext, home: string, pid: number): Promise<Dashboard> {
  const options = ['--port', '0', '--no-open', '--json', '--probes', 'stacks,files'];
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
async function probesRun(client: AgentClient): Promise<void> {
  const states = async (): Promise<(string | undefined)[]> => {
    const status = await client.call('status', {});
    const found = ['stacks', 'files'].map((id) => stateOf(status, id));
    assert.ok(!found.includes('failed'), JSON.stringify(status.probes));
    return found;
  };
  await until(states, (all) => all.every((state) => state === 'running'), 'the probes run');
}

/** Saves a screenshot for manual review in the folder SVC_PICTURES. */
async function keepPicture(
  page: { screenshot(options: { path: string }): Promise<unknown> },
  name: string,
): Promise<void> {
  const folder = process.env['SVC_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
