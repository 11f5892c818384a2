// The platform's typed HTTP client for the command line, the store site and the tests. The caller passes `fetch`.
import { type Client, type ClientOptions, createClient, readJson } from '../client.ts';
import type { ErrorDetail } from '../errors.ts';
import type { AnswerOf, InputOf } from '../route.ts';
import { isPlatformErrorCode, PLATFORM_ERRORS, type PlatformErrorCode } from './errors.ts';
import { ROUTES, type RouteName, type Routes } from './routes.ts';

export type { Send } from '../client.ts';

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

/** The client of the platform. It throws {@link PlatformError}. */
export type PlatformClient = Client<Routes>;

/** Creates a client for the platform at `options.baseUrl`. Its credential is an ID token or a personal access token. */
export function createPlatformClient(options: ClientOptions): PlatformClient {
  return createClient(ROUTES, options, {
    needsCredential: ({ auth }) => auth !== 'public',
    createError: async (answer) => new PlatformError(answer, await readJson(answer)),
    readAnswer: readJson,
  });
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
