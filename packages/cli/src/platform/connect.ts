// Calls the platform: through the contract's client, with deadlines, safe retries, and every failure as a clear sentence.
import {
  type CallAnswer,
  type CallInput,
  createPlatformClient,
  DryRunAnswer,
  PlatformError,
  ROUTES,
  type RouteName,
} from '@svc/contracts/platform';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { ExchangeLimits } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { NetworkError } from '../network/network-error.ts';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError, isExitCode } from '../process/exit-codes.ts';
import type { FoundToken } from './api-address.ts';
import { foreignAnswer, platformSend } from './send.ts';

/** A call may be sent again when this says so, beside what the answer says. */
export type Repeat = 'safe' | 'only_if_refused';

export type Platform = {
  readonly api: string;
  /**
   * Calls a route and reads its JSON; every failure is a {@link ExitError}. An input that can be sent once only, such as a
   * stream, is given as a function that makes one for each try.
   */
  call<Name extends RouteName>(
    name: Name,
    input: CallInput<Name> | (() => CallInput<Name>),
    how?: { readonly repeat?: Repeat },
  ): Promise<CallAnswer<Name>>;
  /** Publishes as if: the platform's verdict, with nothing kept. */
  dryRun(input: () => CallInput<'publish'>): Promise<DryRunAnswer>;
};

export type ConnectOptions = {
  readonly api: string;
  /** Sent as the bearer token; null for public calls only. */
  readonly credential: string | null;
  /** Where the credential came from, for messages. */
  readonly source: FoundToken['source'] | null;
  readonly signal: AbortSignal;
  readonly network: Network;
  readonly note: (text: string) => void;
};

const ATTEMPTS = 4;
const LONGEST_WAIT_S = 60;
/** The platform judges, unpacks and stores a build before it answers. */
const PUBLISH_LIMITS: Partial<ExchangeLimits> = { answer_ms: 120_000, answer_ms_per_mib: 1000 };

/** A platform to call. */
export function connect(options: ConnectOptions): Platform {
  const { api, signal } = options;
  const clientFor = (name: RouteName) =>
    createPlatformClient({
      baseUrl: api,
      send: platformSend(options.network, api, name === 'publish' ? PUBLISH_LIMITS : {}),
      credential: () => options.credential,
    });
  return {
    api,
    call: (
      name,
      input,
      { repeat = ROUTES[name].method === 'GET' ? 'safe' : 'only_if_refused' } = {},
    ) =>
      tryRepeatedly(options, repeat, async () => {
        const fresh = typeof input === 'function' ? input() : input;
        const answer = await clientFor(name).call(name, { ...fresh, signal });
        if (!hasKeysOf(ROUTES[name].answer, answer)) throw foreignAnswer(api, OTHER_JSON);
        return answer;
      }),
    dryRun: (input) =>
      tryRepeatedly(options, 'safe', async () => {
        const query = { dry_run: 'true' } as const;
        const answer = await clientFor('publish').open('publish', { ...input(), query, signal });
        const body: unknown = await answer.json().catch(() => null);
        if (!Check(DryRunAnswer, body)) throw foreignAnswer(api, OTHER_JSON);
        return body;
      }),
  };
}

/** Does the work until it succeeds, or fails in a way that another try can't mend, or was tried often enough. */
async function tryRepeatedly<T>(
  options: ConnectOptions,
  repeat: Repeat,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      options.signal.throwIfAborted();
      const wait = attempt < ATTEMPTS ? retryAfter(error, repeat, attempt) : null;
      if (wait === null) throw toExitError(error, options, repeat);
      options.note(
        `${safeLine(describe(error))} Trying again in ${wait} s (${attempt} of ${ATTEMPTS - 1}).`,
      );
      await pause(wait * 1000, options.signal);
    }
  }
}

/** Whether an answer has what its schema says it has. Values are not judged: a newer platform may know more words. */
function hasKeysOf(schema: TSchema | null, answer: unknown): boolean {
  if (schema === null) return true;
  if (typeof answer !== 'object' || answer === null) return false;
  const required: unknown = 'required' in schema ? schema.required : [];
  return Array.isArray(required) && required.every((key) => Object.hasOwn(answer, key));
}

const OTHER_JSON = 'its answer lacks what a platform’s answer holds';

/** Seconds until the next try; null where there must be none. */
function retryAfter(error: unknown, repeat: Repeat, attempt: number): number | null {
  const backoff = 2 ** (attempt - 2);
  if (error instanceof NetworkError) {
    return !error.transient || (error.sent && repeat !== 'safe') ? null : backoff;
  }
  if (!(error instanceof PlatformError)) return null;
  // These answers say that nothing was done.
  const refused = error.code === 'rate_limited' || error.code === 'busy';
  // An earlier try, whose answer was lost, may still be at work.
  if (error.code === 'publish_in_progress' && attempt > 1) return backoff * 2;
  const passing = [408, 429, 502, 503, 504].includes(error.status);
  if (!refused && !(passing && repeat === 'safe')) return null;
  const wait = error.retryAfterSeconds ?? backoff;
  return wait <= LONGEST_WAIT_S ? Math.max(0.5, wait) : null;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.?$/, '.') : String(error);
}

/** Waits; ends early, with the signal's reason, when that fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** The failure that a person reads for what went wrong in a call. */
export function toExitError(
  error: unknown,
  options: Pick<ConnectOptions, 'api' | 'source'>,
  repeat: Repeat = 'safe',
): unknown {
  if (error instanceof NetworkError) {
    const unsure = error.code === 'unreachable' && error.sent && repeat !== 'safe';
    const hint = unsure
      ? 'The request may have succeeded. Check before you try again.'
      : error.hint;
    return new ExitError(error.exitCode, error.code, error.message, { hint, cause: error });
  }
  if (!(error instanceof PlatformError)) return error;
  const hint = hintFor(error, options);
  const exitCode = isForeignLimit(error)
    ? EXIT.too_large
    : isExitCode(error.exit)
      ? error.exit
      : EXIT.unexpected;
  // Without a code it is the answer of a gateway in front of the platform, or of another server.
  const message =
    error.code === null
      ? `${options.api} answered with status ${error.status}, but not as a publishing platform does.`
      : error.message;
  return new ExitError(exitCode, error.code ?? 'answer_unreadable', message, {
    details: error.details,
    ...(hint === null ? {} : { hint }),
    ...(error.retryAfterSeconds === null ? {} : { retry_after_s: error.retryAfterSeconds }),
    cause: error,
  });
}

/** Whether a server in front of the platform, not the platform, finds the request too large. */
function isForeignLimit({ code, status }: PlatformError): boolean {
  return code === null && status === 413;
}

function hintFor(
  error: PlatformError,
  { api, source }: Pick<ConnectOptions, 'api' | 'source'>,
): string | null {
  if (error.status === 401) {
    return source?.kind === 'environment'
      ? 'The token came from SVC_TOKEN: put a new one there.'
      : `Log in again: svc login --api ${api}`;
  }
  if (error.code === 'scope_missing') return 'Make a token that has the scope: svc token create';
  if (error.code === 'developer_required') return 'Open a developer session first: svc login --web';
  if (error.status >= 500 && error.requestId !== null) {
    return `Give the operator this request id: ${error.requestId}.`;
  }
  if (error.code !== null) return null;
  return isForeignLimit(error)
    ? 'A server in front of the platform limits the size of an upload.'
    : 'Check the address, or try again later.';
}
