// The options and the environment of `svc dashboard` reach the agent.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Status } from '@svc/contracts/agent';
import { Parse } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { temporaryFolder } from './svc.ts';

const MIB = 1024 * 1024;

async function statusOf({ call }: Dashboard): Promise<Status> {
  return Parse(Status, await (await call('GET', '/api/status')).json());
}

test('svc dashboard passes the folder, the limits, the probes, the provider and its key to the agent', async (t) => {
  const home = temporaryFolder(t);
  const dashboard = await startDashboard(
    t,
    [
      ...['--data-dir', 'records', '--storage-cap', '1MiB', '--import-limit', '2MiB'],
      ...['--probes', 'stacks,stacks', '--provider-url', 'http://127.0.0.1:9/v1'],
    ],
    { HOME: home, ANTHROPIC_API_KEY: 'sk-ant' },
  );
  const { limits, capabilities, probes, version } = await statusOf(dashboard);
  assert.deepEqual([limits.storage_cap_bytes, limits.import_bytes], [MIB, 2 * MIB]);
  assert.ok(existsSync(join(home, 'records/traces')), 'the folder is relative to the working one');
  assert.match(capabilities.stacks.reason ?? '', /^No process was authorized/);
  assert.match(capabilities.files.reason ?? '', /^Not requested: start with --probes files$/);
  assert.deepEqual(
    probes.map(({ id }) => id),
    ['stacks'],
    'a probe that is named twice is one probe',
  );
  assert.match(version, /^\d+\.\d+\.\d+/);
  const { providers } = capabilities.analysis_provider;
  const keyOf = (id: string) => providers.find((one) => one.id === id)?.key;
  assert.deepEqual([keyOf('anthropic'), keyOf('openai')], ['env', 'none']);
  const custom = providers.find(({ id }) => id === 'custom');
  assert.deepEqual(custom, { id: 'custom', host: '127.0.0.1:9', key: 'not_needed' });
  dashboard.child.kill('SIGTERM');
  assert.equal((await dashboard.ended).code, 0);
});

test('svc dashboard has the documented limits without options, and no provider of its own', async (t) => {
  const home = temporaryFolder(t);
  const dashboard = await startDashboard(t, [], { HOME: home });
  const { limits, capabilities, probes } = await statusOf(dashboard);
  assert.deepEqual([limits.storage_cap_bytes, limits.import_bytes], [256 * MIB, 2048 * MIB]);
  assert.deepEqual(probes, []);
  const { providers } = capabilities.analysis_provider;
  assert.deepEqual(
    providers.filter(({ id, key }) => id === 'custom' || key === 'env'),
    [],
  );
  dashboard.child.kill('SIGTERM');
  assert.equal((await dashboard.ended).code, 0);
});

/** An idle process to watch. */
function startTarget(t: TestContext): number {
  const target = spawn('sleep', ['1000'], { stdio: 'ignore' });
  t.after(() => target.kill('SIGKILL'));
  return target.pid ?? 0;
}

test('svc dashboard reads PSS as often as --pss-interval says', async (t) => {
  const pid = startTarget(t);
  const dashboard = await startDashboard(t, ['--pid', String(pid), '--pss-interval', '1h']);
  assert.equal((await dashboard.call('POST', '/api/start')).status, 200);
  const { metric } = await until(
    () => statusOf(dashboard),
    (status) => (status.metric?.pss_age_ms ?? 0) > 1_500,
    'samples carry the first reading',
    30_000,
  );
  assert.ok((metric?.pss_bytes ?? 0) > 0);
  dashboard.child.kill('SIGTERM');
  assert.equal((await dashboard.ended).code, 0);
});
