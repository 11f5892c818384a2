// Calls the platform through the contract's client, with time limits and safe retries. Errors become messages for the user.
import { writeFile } from 'node:fs/promises';
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
import type { ExchangeLimits } from '../network/exchange-options.ts';
import type { Network } from '../network/network.ts';
import { NetworkError } from '../network/network-error.ts';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError, isExitCode } from '../process/exit-codes.ts';
import type { FoundToken } from './api-address.ts';
import { foreignAnswer, platformSend } from './send.ts';

/** Whether a call may be repeated after any transient failure, or only if the platform did not act on it. */
type Repeat = 'safe' | 'only_if_refused';

/** The routes that publish. */
type DryRunRoute = 'publish' | 'publishUpload';

export type Platform = {
  readonly api: string;
  /**
   * Calls a route and reads its JSON; throws an {@link ExitError} on failure. An input that can be sent only once,
   * such as a stream, is passed as a function that makes one for each attempt.
   */
  call<Name extends RouteName>(
    name: Name,
    input: CallInput<Name> | (() => CallInput<Name>),
    how?: { readonly repeat?: Repeat; readonly limits?: Partial<ExchangeLimits> },
  ): Promise<CallAnswer<Name>>;
  /** Asks for the platform's verdict about a build only. The platform stores no release. */
  dryRun<Name extends DryRunRoute>(
    name: Name,
    input: () => CallInput<Name>,
    how?: { readonly limits?: Partial<ExchangeLimits> },
  ): Promise<DryRunAnswer>;
  /** Downloads the ZIP of a release to a path. Throws Node's error if it cannot be written. */
  saveBuild(params: CallInput<'downloadBuild'>['params'], path: string): Promise<void>;
};

export type ConnectOptions = {
  readonly api: string;
  /** The bearer token, or a function that returns a valid one. Null for public routes. */
  readonly credential: string | (() => Promise<string>) | null;
  /** The source of the credential, for messages. */
  readonly source: FoundToken['source'] | null;
  readonly signal: AbortSignal;
  readonly network: Network;
  readonly note: (text: string) => void;
};

const ATTEMPTS = 4;
const LONGEST_WAIT_S = 60;
/** A build may be as large as the platform allows, 512 MiB unless its operator chose another limit. */
const DOWNLOAD_LIMITS: Partial<ExchangeLimits> = { answer_bytes: 1024 * 1024 * 1024 };
/** The platform checks, unpacks and stores a build before it answers. */
const PUBLISH_LIMITS = { answer_ms: 120_000, answer_ms_per_mib: 1000 };
const MIB = 1024 * 1024;

/** The limits of a publish whose bytes were sent before. */
export function limitsOfParts(buildBytes: number): Partial<ExchangeLimits> {
  const { answer_ms, answer_ms_per_mib } = PUBLISH_LIMITS;
  return { answer_ms: answer_ms + Math.ceil((buildBytes / MIB) * answer_ms_per_mib) };
}

/** Returns a client for the platform. No request is sent yet. */
export function connect(options: ConnectOptions): Platform {
  const { api, signal } = options;
  const clientFor = (name: RouteName, limits: Partial<ExchangeLimits> = {}) =>
    createPlatformClient({
      baseUrl: api,
      send:
        name === 'downloadBuild'
          ? platformSend(options.network, api, DOWNLOAD_LIMITS, 'zip')
          : platformSend(options.network, api, name === 'publish' ? PUBLISH_LIMITS : limits),
      credential: () =>
        typeof options.credential === 'function' ? options.credential() : options.credential,
    });
  return {
    api,
    call: (
      name,
      input,
      { repeat = ROUTES[name].method === 'GET' ? 'safe' : 'only_if_refused', limits } = {},
    ) =>
      tryRepeatedly(options, repeat, async () => {
        const fresh = typeof input === 'function' ? input() : input;
        const answer = await clientFor(name, limits).call(name, { ...fresh, signal });
        if (!hasKeysOf(ROUTES[name].answer, answer)) throw foreignAnswer(api, OTHER_JSON);
        return answer;
      }),
    dryRun: (name, input, { limits } = {}) =>
      tryRepeatedly(options, 'safe', async () => {
        const given = input();
        const fresh = { ...given, query: { ...given.query, dry_run: 'true' }, signal };
        // TypeScript can't infer that both routes have this query.
        const answer = await clientFor(name, limits).open(name, fresh as CallInput<typeof name>);
        const body: unknown = await answer.json().catch(() => null);
        if (!Check(DryRunAnswer, body)) throw foreignAnswer(api, OTHER_JSON);
        return body;
      }),
    async saveBuild(params, path) {
      const zip = await tryRepeatedly(options, 'safe', async () => {
        const answer = await clientFor('downloadBuild').open('downloadBuild', { params, signal });
        return await answer.bytes();
      });
      await writeFile(path, zip, { mode: 0o600 });
    },
  };
}

/** Runs the work up to `ATTEMPTS` times, as long as a retry is safe and may help. */
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

/** Whether a response has the fields that its schema requires. Values are not checked: a newer platform may use more of them. */
function hasKeysOf(schema: TSchema | null, answer: unknown): boolean {
  if (schema === null) return true;
  if (typeof answer !== 'object' || answer === null) return false;
  const required: unknown = 'required' in schema ? schema.required : [];
  return Array.isArray(required) && required.every((key) => Object.hasOwn(answer, key));
}

const OTHER_JSON = 'fields are missing in its response';

/** The codes with which the platform has done nothing, and may accept the same request soon. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['rate_limited', 'busy', 'change_interrupted', 'identity_unavailable'],
]);

/** The codes of failures that an operator has to end. The build would be judged again in vain, and a ZIP sent again. */
const LASTING: ReadonlySet<string> = new Set(['hook_failed']);

/** Seconds until the next attempt. Null if there must be none. */
function retryAfter(error: unknown, repeat: Repeat, attempt: number): number | null {
  const backoff = 2 ** (attempt - 2);
  if (error instanceof NetworkError) {
    return !error.transient || (error.sent && repeat !== 'safe') ? null : backoff;
  }
  if (!(error instanceof PlatformError) || LASTING.has(error.code ?? '')) return null;
  const refused = REFUSALS.has(error.code ?? '');
  // An earlier attempt, whose response was lost, may still be running.
  if (error.code === 'publish_in_progress' && attempt > 1) return backoff * 2;
  const passing = [408, 429, 502, 503, 504].includes(error.status);
  if (!refused && !(passing && repeat === 'safe')) return null;
  const wait = error.retryAfterSeconds ?? backoff;
  return wait <= LONGEST_WAIT_S ? Math.max(0.5, wait) : null;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.?$/, '.') : String(error);
}

/** Waits. Throws the signal's reason when it is aborted. */
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

/** Turns the error of a call into the error that the user reads. Returns other errors unchanged. */
function toExitError(
  error: unknown,
  options: Pick<ConnectOptions, 'api' | 'source'>,
  repeat: Repeat = 'safe',
): unknown {
  if (error instanceof NetworkError) {
    const unsure = error.code === 'unreachable' && error.sent && repeat !== 'safe';
    const hint = unsure
      ? 'The request may have succeeded. Check this before you try again.'
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
  // A response without a code comes from a gateway in front of the platform, or from another server.
  const message =
    error.code === null
      ? `${options.api} answered with status ${error.status}, but not in the form of a publishing platform.`
      : error.message;
  return new ExitError(exitCode, error.code ?? 'answer_unreadable', message, {
    details: error.details,
    ...(hint === null ? {} : { hint }),
    ...(error.retryAfterSeconds === null ? {} : { retry_after_s: error.retryAfterSeconds }),
    cause: error,
  });
}

/** Whether a server in front of the platform rejected the request as too large. */
function isForeignLimit({ code, status }: PlatformError): boolean {
  return code === null && status === 413;
}

const ID_TOKEN_ONCE =
  'In GitLab, declare another token in id_tokens for each job and project. Commands of one job on one machine share it by themselves.';

function hintFor(
  error: PlatformError,
  { api, source }: Pick<ConnectOptions, 'api' | 'source'>,
): string | null {
  if (error.code === 'id_token_used') return ID_TOKEN_ONCE;
  if (error.status === 401 && source?.kind === 'identity') {
    return error.code === 'unauthenticated' ? null : 'Run the job again.';
  }
  if (error.status === 401) {
    return source?.kind === 'environment'
      ? 'The token came from SVC_TOKEN. Set it to a new token.'
      : `Run svc login --api ${api}.`;
  }
  if (error.code === 'scope_missing') return 'Create a token with this scope: svc token create';
  if (error.code === 'developer_required')
    return 'Open a developer session first: run svc login --web.';
  if (error.status >= 500 && error.requestId !== null) {
    return `Give the operator this request id: ${error.requestId}.`;
  }
  if (error.code !== null) return null;
  return isForeignLimit(error)
    ? 'A server in front of the platform limits the size of an upload.'
    : 'Check the address, or try again later.';
}
