// A GET that is repeated as a browser's user would, until the cluster answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './open-cluster.ts';

/** Longer than any fault of the test and what follows from it. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;
/** Answers that mean "try again". */
const PASSING = [502, 503, 504];

export type Got = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** When the request that was answered was sent, and when its answer was complete. */
  readonly requestedAt: number;
  readonly answeredAt: number;
};

/** Returns an answer that a repetition does not change. Throws after a minute without one. */
export async function getUntilAnswered(
  send: Cluster['send'],
  host: string,
  path: string,
  init?: RequestInit,
): Promise<Got> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const requestedAt = performance.now();
    const answer = await send(host, path, init).catch((error: unknown) => error);
    if (answer instanceof Response && !PASSING.includes(answer.status)) {
      const { status, headers } = answer;
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status, headers, bytes, requestedAt, answeredAt: performance.now() };
    }
    if (performance.now() >= end) {
      const fault =
        answer instanceof Response ? `${answer.status} ${await answer.text()}` : String(answer);
      throw new Error(`${host}${path} after a minute: ${fault}`);
    }
    await sleep(PAUSE_MS);
  }
}

/** Returns the answer if it is 200. Throws for any other status, and after a minute without an answer. */
export async function getFile(
  send: Cluster['send'],
  host: string,
  path: string,
  init?: RequestInit,
): Promise<Got> {
  const got = await getUntilAnswered(send, host, path, init);
  if (got.status === 200) return got;
  throw new Error(`${host}${path}: ${got.status} ${String(got.bytes).slice(0, 1_000)}`);
}
