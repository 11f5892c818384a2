// The platform's typed HTTP client for the command line, the store site and the tests. The caller passes `fetch`.
import type { ErrorDetail } from '../errors.ts';
import type { AnswerOf, Bytes, InputOf } from '../route.ts';
import { isPlatformErrorCode, PLATFORM_ERRORS, type PlatformErrorCode } from './errors.ts';
import { ROUTES, type RouteName, type RouteRow, type Routes } from './routes.ts';

/** Sends a request and returns the answer: the global `fetch`, or a function that also shows progress. */
export type Send = (address: string, init: RequestInit) => Promise<Response>;

export type PlatformClientOptions = {
  /** Address of the API without a trailing slash. */
  readonly baseUrl: string;
  readonly send: Send;
  /** Returns the ID token or personal access token for the next request, or null to send none. */
  readonly credential?: () => string | null | Promise<string | null>;
};

/** An error answer. `code` is null if the answer did not come from the platform. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly code: PlatformErrorCode | null;
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;
  /** Seconds to wait before the next attempt; null if the server did not state them. */
  readonly retryAfterSeconds: number | null;
  constructor(answer: Response, body: unknown) {
    const reported = readErrorBody(body);
    super(reported?.message ?? `Cannot read the answer: status ${answer.status}, not of this API`);
    this.code = reported !== null && isPlatformErrorCode(reported.code) ? reported.code : null;
    this.status = answer.status;
    this.details = reported?.details ?? [];
    this.requestId = answer.headers.get('x-request-id');
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }
  /** The exit code of `svc` for this error. */
  get exit(): number {
    if (this.code !== null) return PLATFORM_ERRORS[this.code].exit;
    return this.status >= 500 ? 11 : 1;
  }
}

/** The input of a call of the named route. */
export type CallInput<Name extends RouteName> = InputOf<Routes[Name]>;
/** The answer of the named route; null if the answer is not JSON. */
export type CallAnswer<Name extends RouteName> = AnswerOf<Routes[Name]>;

export type PlatformClient = {
  /** Calls a route and returns its JSON. Throws {@link PlatformError} unless the status is 2xx. */
  call<Name extends RouteName>(name: Name, input: CallInput<Name>): Promise<CallAnswer<Name>>;
  /** As `call`, but returns the response: for files, dry runs and headers. */
  open<Name extends RouteName>(name: Name, input: CallInput<Name>): Promise<Response>;
};

type LooseInput = {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly form?: FormData | { readonly type: string; readonly bytes: Bytes };
};

/** Creates a client for one API. It does not follow redirects, so a credential is never sent to another origin. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const open = async (name: RouteName, input: LooseInput): Promise<Response> => {
    const row: RouteRow = ROUTES[name];
    const credential = row.auth === 'public' ? null : await options.credential?.();
    const answer = await options.send(
      options.baseUrl + formatPath(row.path, input),
      requestInit(row, input, credential ?? null),
    );
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new PlatformError(answer, await readJson(answer));
  };
  const call = async (name: RouteName, input: LooseInput): Promise<unknown> => {
    const answer = await open(name, input);
    return ROUTES[name].answer === null ? null : await readJson(answer);
  };
  return { call, open } as PlatformClient;
}

function formatPath(path: string, input: LooseInput): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = input.params?.[name];
    if (value === undefined || value === '')
      throw new RangeError(`Cannot call ${path}: no ${name}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function requestInit(row: RouteRow, input: LooseInput, credential: string | null): RequestInit {
  const headers: Record<string, string> = { ...input.headers };
  if (credential !== null) headers['authorization'] = `Bearer ${credential}`;
  const init: RequestInit = { method: row.method, headers, redirect: 'manual' };
  if (input.signal !== undefined) init.signal = input.signal;
  if (input.form instanceof FormData) init.body = input.form;
  else if (input.form !== undefined) {
    headers['content-type'] = input.form.type;
    init.body = input.form.bytes;
    if (input.form.bytes instanceof ReadableStream) Object.assign(init, { duplex: 'half' });
  } else if (row.takes === 'json') {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  }
  return init;
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return null;
  }
}

type ReportedError = { code: string; message: string; details: ErrorDetail[] };

function readErrorBody(body: unknown): ReportedError | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  const { error } = body;
  if (typeof error !== 'object' || error === null) return null;
  if (!('code' in error) || typeof error.code !== 'string') return null;
  if (!('message' in error) || typeof error.message !== 'string') return null;
  const details = 'details' in error && Array.isArray(error.details) ? error.details : [];
  return { code: error.code, message: error.message, details };
}
