// How a native probe ends, with the agent or before it, and what remains.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe, Status } from '@svc/contracts/agent';
import { readVpt, type TraceRecord } from '@svc/trace';
import { readProbePrograms } from '../src/probes/probe-programs.ts';
import { skippedWithoutBpf } from './can-observe.ts';
import { collectorsOf } from './collectors.ts';
import {
  agentOptions,
  ask,
  startAgentProcess,
  startTarget,
  startTestAgent,
  temporaryFolder,
  until,
  within,
} from './harness.ts';

/** Loading a program into the kernel takes a second, and longer on a busy machine. */
const LOAD_MS = 60_000;

type Asked = Parameters<typeof ask>[0];

async function statusOf(running: Asked): Promise<Status> {
  const { json } = await ask(running, 'GET', '/api/status');
  return json as Status;
}

/** Starts to capture and waits until the probe runs. */
async function startStacks(running: Asked): Promise<void> {
  await ask(running, 'POST', '/api/start');
  await until(
    () => stacksProbe(running),
    ({ state }) => state === 'running',
    'it runs',
    LOAD_MS,
  );
}

async function stacksProbe(running: Asked): Promise<Probe> {
  const { probes } = await statusOf(running);
  return probes.find(({ id }) => id === 'stacks') ?? { id: 'stacks', state: 'off' };
}

test('SIGKILL of the agent leaves no collector behind', async (t) => {
  if (skippedWithoutBpf(t)) return;
  using folder = temporaryFolder();
  await using target = await startTarget('busy');
  const options = agentOptions(folder.path, { pid: target.pid, probes: ['stacks'] });
  await using agent = await startAgentProcess(options);
  const { origin, token, port } = agent.listening;
  await startStacks({ agent: { origin, token }, port } as Asked);
  assert.ok(collectorsOf(target.pid).length > 0);
  agent.child.kill('SIGKILL');
  await until(
    () => collectorsOf(target.pid),
    (left) => left.length === 0,
    'none is left',
    LOAD_MS,
  );
});

test('a killed collector is a loss with its reason; the session continues and ends normally', async (t) => {
  if (skippedWithoutBpf(t)) return;
  await using target = await startTarget('busy');
  await using running = await startTestAgent({ pid: target.pid, probes: ['stacks'] });
  await startStacks(running);
  for (const pid of collectorsOf(target.pid)) process.kill(pid, 'SIGKILL');
  const { reason } = await until(
    () => stacksProbe(running),
    ({ state }) => state === 'failed',
  );
  assert.match(reason ?? '', /^The collector of stacks has ended/);
  const status = await statusOf(running);
  assert.deepEqual(status.capabilities.stacks, { available: false, reason });
  assert.equal(status.state, 'capturing');
  const before = status.metric?.t ?? 0;
  await until(
    () => statusOf(running),
    ({ metric }) => (metric?.t ?? 0) > before,
    'it samples on',
  );
  running.agent.end('off');
  const { trace } = await within(running.agent.ended, 'the ending');
  const { lines, end } = readVpt(readFileSync(trace?.path ?? ''));
  assert.deepEqual(lossesOfProbes(lines), ['probe_lost']);
  assert.equal(end?.reason, 'off');
});

test('the exit of the target ends the session with its last stacks and without the loss of a probe', async (t) => {
  if (skippedWithoutBpf(t)) return;
  await using target = await startTarget('busy');
  await using running = await startTestAgent({ pid: target.pid, probes: ['stacks'] });
  await startStacks(running);
  await untilStacks(running);
  // Samples that only the write at the end can record.
  await sleep(500);
  const exit = once(target.child, 'exit');
  target.child.kill('SIGKILL');
  await within(exit, 'the target to exit');
  const { trace, reason } = await within(running.agent.ended, 'the ending');
  assert.equal(reason, 'target_exit');
  const { lines } = readVpt(readFileSync(trace?.path ?? ''));
  const batches = new Set(lines.flatMap((line) => (line.type === 'stacks' ? [line.t] : [])));
  assert.ok(batches.size > 1, 'the stacks after the first batch are recorded');
  assert.deepEqual(lossesOfProbes(lines), []);
});

/**
 * The reasons of the losses of probes, without `stacks_lost`: the kernel may be unable to keep the
 * stack of a single sample.
 */
function lossesOfProbes(lines: readonly TraceRecord[]): string[] {
  return lines.flatMap((line) =>
    line.type === 'loss' && line.probe !== undefined && line.reason !== 'stacks_lost'
      ? [line.reason]
      : [],
  );
}

/** Waits for the first record of stacks. */
async function untilStacks(running: Asked): Promise<void> {
  const stacks = async () => (await ask(running, 'GET', '/api/trace')).text.includes('"stacks"');
  await until(stacks, (there) => there, 'stacks are recorded', LOAD_MS);
}

test('a collector restarts from time to time, and the trace continues', async (t) => {
  if (skippedWithoutBpf(t)) return;
  using folder = temporaryFolder();
  const { helper, perf } = readProbePrograms();
  const path = join(folder.path, 'svc-probe');
  const text = helper.text.replace('round_seconds=600', 'round_seconds=2');
  writeFileSync(path, text);
  await using target = await startTarget('busy');
  const probePrograms = { helper: { text, path }, perf };
  const options = { pid: target.pid, probes: ['stacks'] as const, probePrograms };
  await using running = await startTestAgent(options);
  await startStacks(running);
  const trace = async () => (await ask(running, 'GET', '/api/trace')).text;
  const goesOn = (records: string) => /probe_restarted[\s\S]*"type":"stacks"/.test(records);
  await until(trace, goesOn, 'stacks after the collector restarted', LOAD_MS);
  assert.equal((await stacksProbe(running)).state, 'running');
});

test('without --probes no collector is started, and the capabilities say how to request one', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  const { capabilities, probes } = await statusOf(running);
  assert.deepEqual(
    probes.map(({ id }) => id),
    ['process', 'pss'],
  );
  assert.match(capabilities.stacks.reason ?? '', /--probes stacks$/);
  assert.match(capabilities.files.reason ?? '', /--probes files$/);
  assert.deepEqual(collectorsOf(target.pid), []);
});
