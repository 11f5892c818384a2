// Captures the frames of a real program with a real agent, and compares them with the times of the program's own clock.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Ending, Probe, Status } from '@svc/contracts/agent';
import { type FramesRecord, readVpt, type TraceRecord } from '@svc/trace';
import { ask, startTestAgent, type TestAgent, until, within } from './harness.ts';
import type { PresentTime } from './targets/start-presenter.ts';

/** Loading a program into the kernel takes a second, and longer on a busy machine. */
export const READY_MS = 90_000;
/** Times in a trace have three decimals. */
const ROUNDING_MS = 0.002;

export type FrameSession = AsyncDisposable & {
  readonly agent: TestAgent;
  /** Resolves when the status of the probe is as expected. Rejects if the probe fails. */
  becomes(expected: (probe: Probe) => boolean): Promise<void>;
  /** The trace so far. Empty before the first record. */
  records(): Promise<TraceRecord[]>;
  /** The frames of the trace so far, once there are as many. Rejects if there are more. */
  frames(count: number): Promise<Frame[]>;
  /** Resolves with the reason of the end and the whole trace when the session has ended. */
  ended(): Promise<{ readonly reason: Ending['reason']; readonly trace: Trace }>;
};

type Trace = ReturnType<typeof readVpt>;

/** A frame of the trace, in its ms. */
export type Frame = { readonly from: number; readonly to: number };

/** Starts a session and its capture. */
export async function startFrames(pid: number): Promise<FrameSession> {
  const agent = await startTestAgent({ pid, probes: ['frames'] });
  const { available, reason } = (await statusOf(agent)).capabilities.frames;
  assert.ok(available, reason);
  assert.equal((await ask(agent, 'POST', '/api/start')).status, 200, 'the capture starts');
  const records = async (): Promise<TraceRecord[]> => {
    const { status, text } = await ask(agent, 'GET', '/api/trace');
    return status === 200 ? readVpt(text).lines : [];
  };
  return {
    agent,
    records,
    becomes: async (expected) => {
      await until(
        async () => (await statusOf(agent)).probes.find(({ id }) => id === 'frames'),
        (probe) => {
          assert.notEqual(probe?.state, 'failed', probe?.reason);
          return probe !== undefined && expected(probe);
        },
        'the state of the probe',
        READY_MS,
      );
    },
    frames: async (count) => {
      await until(
        async () => framesIn(await records()).length,
        (found) => found >= count,
        `${count} frames`,
        READY_MS,
      );
      const found = framesIn(await records());
      assert.equal(found.length, count);
      return found;
    },
    ended: async () => {
      const { trace, reason: why } = await within(agent.agent.ended, 'the ending');
      return { reason: why, trace: readVpt(readFileSync(trace?.path ?? '')) };
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

export async function statusOf(agent: TestAgent): Promise<Status> {
  return (await ask(agent, 'GET', '/api/status')).json as Status;
}

/** The frames of a trace, in its order. */
export function framesIn(records: readonly TraceRecord[]): Frame[] {
  return records.filter((one): one is FramesRecord => one.type === 'frames').flatMap(framesOf);
}

function framesOf({ t, duration_ms }: FramesRecord): Frame[] {
  let end = t;
  return duration_ms.map((duration) => {
    const from = end;
    end += duration;
    return { from, to: end };
  });
}

/**
 * Asserts that each frame is from one call to the next. A call is seen between the times that the program read before and
 * after it, however busy the machine is.
 */
export function assertTimes(frames: readonly Frame[], times: readonly PresentTime[]): void {
  assert.equal(frames.length, times.length - 1);
  for (const [i, { from, to }] of frames.entries()) {
    const [call, next] = [times[i], times[i + 1]];
    assert.ok(call !== undefined && next !== undefined);
    const shortest = (next.before - call.after) / 1e6 - ROUNDING_MS;
    const longest = (next.after - call.before) / 1e6 + ROUNDING_MS;
    const ms = to - from;
    assert.ok(shortest <= ms && ms <= longest, `frame ${i}: ${shortest} ≤ ${ms} ≤ ${longest} ms`);
  }
}
