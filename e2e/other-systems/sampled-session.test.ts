// A session with the sampler of macOS and with that of Windows, from the command line to the trace. Stand-ins take the place of the
// programs of these systems; they report a process of this machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Status } from '@svc/contracts/agent';
import { readVpt, type TraceRecord } from '@svc/trace';
import { Check } from 'typebox/value';
import type { Dashboard } from '../../packages/cli/test/start-dashboard.ts';
import { finish, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { until } from '../../scripts/until.ts';
import { readTarget, type TargetReading } from './read-target.ts';
import { type OtherSystem, standInsOf, startDashboardOn, startOn } from './start-on.ts';

const SYSTEMS: readonly (readonly [name: string, system: OtherSystem])[] = [
  ['macOS', 'macos'],
  ['Windows', 'windows'],
];

/** A process that uses about half of a core. */
function startTarget(t: TestContext): number {
  const busy = 'setInterval(() => { for (const end = Date.now() + 50; Date.now() < end; ); }, 100)';
  const target = spawn(process.execPath, ['-e', busy], { stdio: 'ignore' });
  t.after(() => target.kill('SIGKILL'));
  return target.pid ?? 0;
}

async function statusOf(call: Dashboard['call']): Promise<Status> {
  const status: unknown = await (await call('GET', '/api/status')).json();
  assert.ok(Check(Status, status));
  return status;
}

type ProcessRecord = Extract<TraceRecord, { type: 'process' }>;

async function samplesOf(call: Dashboard['call']): Promise<ProcessRecord[]> {
  const trace = Buffer.from(await (await call('GET', '/api/trace')).arrayBuffer());
  return readVpt(trace).lines.filter((record) => record.type === 'process');
}

/** The samples have the memory of the process, and about the CPU that it used between the readings of it. */
function assertPlausible(
  samples: readonly ProcessRecord[],
  before: TargetReading | null,
  after: TargetReading | null,
): void {
  assert.ok(before !== null && after !== null);
  const rssBytes = samples.at(-1)?.rss_bytes ?? 0;
  assert.ok(rssBytes > after.rssBytes / 2 && rssBytes < after.rssBytes * 2, `${rssBytes} bytes`);
  assert.equal(samples[0]?.cpu_percent, undefined);
  const sampledMs = samples
    .map(({ t, cpu_percent = 0 }, at) => (cpu_percent / 100) * (t - (samples[at - 1]?.t ?? t)))
    .reduce((sum, ms) => sum + ms);
  const usedMs = after.userMs + after.systemMs - before.userMs - before.systemMs;
  assert.ok(sampledMs > usedMs / 3 && sampledMs < usedMs * 1.5, `${sampledMs} of ${usedMs} ms`);
}

for (const [name, system] of SYSTEMS) {
  test(`${name}: a session samples CPU and memory until the process exits, and leaves nothing behind`, async (t) => {
    const pid = startTarget(t);
    const args = ['--pid', String(pid), '--probes', 'stacks,files'];
    const { call, ended, home, listening } = await startDashboardOn(t, system, args);
    assert.equal(listening.target?.pid, pid);
    const { capabilities } = await statusOf(call);
    assert.deepEqual(
      [capabilities.capture, capabilities.pss, capabilities.stacks, capabilities.files],
      [
        { available: true },
        { available: false, reason: `${name} does not report PSS` },
        { available: false, reason: 'Native probes work on Linux only' },
        { available: false, reason: 'Native probes work on Linux only' },
      ],
    );
    assert.equal((await call('POST', '/api/start')).status, 200);
    const before = readTarget(pid);
    const samples = async () => await samplesOf(call);
    const taken = await until(samples, ({ length }) => length > 4, 'five samples are taken');
    assertPlausible(taken, before, readTarget(pid));
    assert.ok(
      taken.every(({ threads }) =>
        name === 'macOS' ? threads === undefined : Number(threads) > 0,
      ),
    );
    assert.equal(standInsOf(home).length, 1);
    process.kill(pid, 'SIGKILL');
    const { code, last } = await ended;
    assert.deepEqual([code, last['reason']], [0, 'target_exit']);
    await until(
      () => standInsOf(home),
      ({ length }) => length === 0,
      'the sampler has ended',
    );
    const [recording = '', ...others] = readdirSync(join(home, '.local/share/svc/traces'));
    assert.deepEqual([recording.endsWith('.vpt'), others], [true, []]);
    const left = readdirSync(home).filter(
      (entry) => !entry.startsWith('.') && entry !== 'programs',
    );
    assert.deepEqual(left, []);
  });

  test(`${name}: a process that does not exist is refused`, async (t) => {
    const args = ['dashboard', '--json', '--pid', '4194303'];
    const { code, stderr } = await finish(startOn(t, system, temporaryFolder(t), args));
    assert.equal(code, 1);
    assert.equal(stderr, 'svc: Cannot watch process 4194303: there is no such process.\n');
  });

  test(`${name}: after svc is killed, its sampler ends by itself`, async (t) => {
    const pid = startTarget(t);
    const { child, home } = await startDashboardOn(t, system, ['--pid', String(pid)]);
    assert.equal(standInsOf(home).length, 1);
    child.kill('SIGKILL');
    await until(
      () => standInsOf(home),
      ({ length }) => length === 0,
      'the sampler has ended',
    );
  });
}
