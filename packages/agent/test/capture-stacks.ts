// Captures stacks of a real program with a real agent, and measures the shares of its functions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Status } from '@svc/contracts/agent';
import { readVpt, type TraceRecord } from '@svc/trace';
import { ask, startTestAgent, type TestAgent, until, within } from './harness.ts';
import { stacksOf, weightOf } from './recorded-stacks.ts';

/**
 * Enough samples that a share of 90 % is off by 5 points by chance only once in a hundred thousand
 * runs.
 */
export const SAMPLES = 700;

/** A busy machine gives the target little CPU time and takes long to load a program. */
const PATIENCE_MS = 100_000;

async function statusOf(running: TestAgent): Promise<Status> {
  const { json } = await ask(running, 'GET', '/api/status');
  return json as Status;
}

/** The recording so far. Empty before the first record. */
async function recordsOf(running: TestAgent): Promise<TraceRecord[]> {
  const { status, text } = await ask(running, 'GET', '/api/trace');
  return status === 200 ? readVpt(text).lines : [];
}

/** Captures until there are SAMPLES, and returns all records after the end of the session. */
export async function captureStacks(pid: number): Promise<TraceRecord[]> {
  await using running = await startTestAgent({ pid, probes: ['stacks'] });
  const { capabilities } = await statusOf(running);
  assert.deepEqual(capabilities.stacks, { available: true });
  await ask(running, 'POST', '/api/start');
  await until(
    async () => {
      const { probes } = await statusOf(running);
      const stacks = probes.find(({ id }) => id === 'stacks');
      assert.notEqual(stacks?.state, 'failed', stacks?.reason);
      return weightOf(stacksOf(await recordsOf(running)));
    },
    (weight) => weight >= SAMPLES,
    'enough samples',
    PATIENCE_MS,
  );
  running.agent.end('off');
  const { trace } = await within(running.agent.ended, 'the ending');
  return readVpt(readFileSync(trace?.path ?? '')).lines;
}

/** Asserts that a share of the samples is as expected, within 5 points. */
export function assertShare(part: number, whole: number, expected: number, what: string): void {
  const share = (part / whole) * 100;
  assert.ok(
    Math.abs(share - expected) <= 5,
    `${what} has ${share.toFixed(1)} % of ${whole} samples, expected ${expected} %`,
  );
}
