// Calls the store's routes of an upload in parts. Repeats a call while the store can't be reached.
import { type Body, type Reply, sendBody } from '../send-body.ts';
import { field, text } from '../send-form.ts';
import { pause } from './pause.ts';

/** The pauses before the next attempts. Together they take about a minute. */
const PAUSES_MS: readonly number[] = [1000, 2000, 4000, 8000, 15_000, 30_000];

/** The longest wait that the store can ask for. A limit of a day may ask for hours: that is left to the person. */
const LONGEST_WAIT_S = 60;

/** Statuses of a store or an API that is restarted, overloaded or can't be reached. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** Codes of answers after which a publish has certainly not begun. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['busy', 'shutting_down', 'rate_limited']);

/** Codes of answers after which nothing was published, but a person should decide whether to try again. */
const NOT_PUBLISHED: ReadonlySet<string> = new Set(['hook_failed']);

/** How requests are sent and how long the next attempt waits. Tests replace both. */
export type Transport = { readonly send: typeof sendBody; readonly pause: typeof pause };

export const TRANSPORT: Transport = { send: sendBody, pause };

/** A call that was not successful. `code` is the code of the answer; empty if there is none. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly reply: Reply;
  readonly code: string;
  constructor(reply: Reply) {
    super(`A call of the store ended: ${reply.state}`);
    this.reply = reply;
    this.code = codeOf(reply);
  }
  /** Whether it is unknown if the API has done what was asked. */
  get isUncertain(): boolean {
    if (this.reply.state !== 'answered') return true;
    return isTemporary(this.reply) && !isNotBegun(this) && !NOT_PUBLISHED.has(this.code);
  }
}

export type Call = {
  readonly address: string;
  readonly body: Body;
  readonly signal: AbortSignal;
  /** Whether the call may be repeated if the API may have received it. */
  readonly isRepeatable: boolean;
  readonly onProgress?: (share: number) => void;
  /** Called before and after each pause. */
  readonly onWait: (isWaiting: boolean) => void;
};

/** Returns the JSON of the answer. Throws a {@link CallError}, and the reason of the signal. */
export async function callStore(transport: Transport, call: Call): Promise<unknown> {
  const { address, body, signal, isRepeatable, onProgress = () => {}, onWait } = call;
  for (let attempt = 0; ; attempt++) {
    const reply = await transport.send(address, body, signal, onProgress);
    if (reply.state === 'answered' && reply.status >= 200 && reply.status < 300) {
      return reply.answer;
    }
    const error = new CallError(reply);
    const ms = PAUSES_MS[attempt];
    const mayRepeat = isTemporary(reply) && (isRepeatable || isNotBegun(error));
    const wait = retryAfterSeconds(reply);
    const isTooLong = error.code === 'rate_limited' && wait > LONGEST_WAIT_S;
    if (ms === undefined || !mayRepeat || isTooLong) throw error;
    onWait(true);
    onProgress(0);
    try {
      await transport.pause(Math.max(ms, 1000 * Math.min(LONGEST_WAIT_S, wait)), signal);
    } finally {
      onWait(false);
    }
  }
}

/** The body of a call with JSON. */
export function jsonBody(value: object): Body {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

function isTemporary(reply: Reply): boolean {
  if (reply.state !== 'answered') return reply.state === 'unreachable';
  return TEMPORARY.has(reply.status) || codeOf(reply) === 'digest_mismatch';
}

function isNotBegun({ code }: CallError): boolean {
  return NOT_BEGUN.has(code);
}

function codeOf(reply: Reply): string {
  return reply.state === 'answered' ? (text(field(reply.answer, 'error'), 'code') ?? '') : '';
}

function retryAfterSeconds(reply: Reply): number {
  return reply.state === 'answered' ? (reply.retryAfterSeconds ?? 0) : 0;
}
