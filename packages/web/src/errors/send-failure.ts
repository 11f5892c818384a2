// Sends an error as a page that says what happened and what to do next, or as JSON to a script.
import { codeOf } from '@svc/contracts/caught';
import { isPlatformErrorCode, PLATFORM_ERRORS, PlatformError } from '@svc/contracts/platform';
import { errorFields, type Log } from '@svc/observe';
import { ApiError } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { isUnreachable } from '../api/send-to-api.ts';
import { asSentence } from '../html/format.ts';
import { html } from '../html/html.ts';
import { sendPage } from '../page/send-page.ts';
import { CrossSiteError } from '../session/cross-site.ts';
import { ProviderError } from '../session/identity-provider.ts';
import { RenewalUnavailableError } from '../session/share-renewals.ts';
import { SignInNeededError, type Visit, wantsJson } from '../visit/visit.ts';
import { isUpload, keptForm } from './kept-form.ts';
import { sendSignInAgain } from './sign-in-again.ts';

/** The value of Retry-After for a server that can't be reached, and for one that reported a fault. */
const RETRY_SECONDS = 5;
const FAULT_RETRY_SECONDS = 30;
/** The value of Retry-After for too many requests, if the server did not state it. */
const RATE_RETRY_SECONDS = 60;
/** The longest wait that a page states in seconds. */
const LONGEST_WAIT_SECONDS = 120;

/** The description of an error for the user. */
type Failure = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly text: string;
  readonly retrySeconds?: number;
  readonly requestId?: string | null;
};

/**
 * Sends the response for an error. An unexpected error is a bug of this server: its details go to the operator's log,
 * and none of them to the user.
 */
export function sendFailure(visit: Visit, error: unknown): FastifyReply {
  if (isSignedOut(error)) return sendSignInAgain(visit);
  const failure = describeFailure(error);
  const { web, reply } = visit;
  const { raw } = visit.request;
  if (error instanceof ProviderError) logCause(web.log, error);
  web.watch.setCode(raw, failure.code);
  const ownId = failure.code === 'internal' ? web.watch.idOf(raw) : null;
  if (ownId !== null) {
    web.log.error('a request failed', { ...errorFields(error), request_id: ownId });
  }
  const requestId = failure.requestId ?? ownId;
  if (failure.retrySeconds !== undefined) reply.header('retry-after', String(failure.retrySeconds));
  if (wantsJson(visit)) return sendJson(visit, failure, error);
  // The form was not handled, so it can be submitted again without a second effect.
  const keepsForm =
    error instanceof RenewalUnavailableError && visit.request.method === 'POST' && !isUpload(visit);
  return sendPage(visit, {
    title: failure.title,
    status: failure.status,
    headers: { 'cache-control': 'no-store' },
    body: html`<section class="notice-page"><p class="status">${failure.status}</p><h1>${failure.title}</h1>
<p>${failure.text}${keepsForm && ' Your input is kept on this page.'}</p>
${keepsForm && keptForm(visit, 'Submit again')}
<p class="actions">${failure.status >= 500 && visit.request.method === 'GET' && html`<a class="button" href="${addressToTry(visit.url)}">Try again</a>`}
<a class="button quiet" href="/">Newest games</a></p>
${requestId !== null && html`<p class="fine">Request ID for support: ${requestId}</p>`}</section>`,
  });
}

/** Logs why a sign-in failed. The visitor sees only that it did. A sign-in that the visitor canceled has another cause. */
function logCause(log: Log, { message, cause }: ProviderError): void {
  if (!(cause instanceof Error) || cause instanceof PlatformError) return;
  const { message: reason } = cause.cause instanceof Error ? cause.cause : cause;
  log.warn(`a sign-in failed: ${message}`, { reason, code: codeOf(cause) });
}

/** The address of the page. A sign-in starts again, because the provider's answer is valid once. */
function addressToTry({ pathname, search }: URL): string {
  return pathname.startsWith('/sign-in/') ? '/sign-in' : pathname + search;
}

/** Whether the error means that the user must sign in. A 401 without a code came from a proxy. */
function isSignedOut(error: unknown): boolean {
  if (error instanceof SignInNeededError) return true;
  return error instanceof PlatformError && error.status === 401 && error.code !== null;
}

function sendJson({ reply }: Visit, failure: Failure, error: unknown): FastifyReply {
  const details = error instanceof PlatformError ? error.details : [];
  return reply
    .code(failure.status)
    .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .send({ error: { code: failure.code, message: failure.text, details } });
}

/** Describes any thrown value. */
function describeFailure(error: unknown): Failure {
  if (error instanceof PlatformError) return describeRefusal(error);
  if (error instanceof ApiError) return describeOwn(error);
  if (error instanceof CrossSiteError) {
    return {
      status: 403,
      code: 'cross_site',
      title: 'This form was sent from another site',
      text: 'Nothing was changed. To continue, open the page on this site and submit its form again.',
    };
  }
  if (error instanceof ProviderError) {
    const text = `${error.message} Nothing was changed. You can try again.`;
    return { status: 502, code: 'identity_unavailable', title: 'Sign-in failed', text };
  }
  if (error instanceof RenewalUnavailableError) {
    return {
      status: 503,
      code: 'renewal_unavailable',
      title: 'Your session can’t be renewed now',
      text: 'You are still signed in. Try again in a moment.',
      retrySeconds: RETRY_SECONDS,
    };
  }
  if (isUnreachable(error)) {
    return {
      status: 503,
      code: 'unreachable',
      title: 'The store is unavailable',
      text: 'The store’s server is down or responds too slowly. Try again in a moment.',
      retrySeconds: RETRY_SECONDS,
    };
  }
  return {
    status: 500,
    code: 'internal',
    title: 'An error occurred',
    text: 'The server could not complete the request. The error has been logged.',
  };
}

/** The titles of errors that are not about the request. */
const TITLES: Readonly<Record<string, string>> = {
  account_suspended: 'Your account is suspended',
  unavailable_for_legal_reasons: 'This game was taken down',
};

function describeRefusal(error: PlatformError): Failure {
  const { status, requestId } = error;
  const code = error.code ?? 'unreachable';
  // A proxy without a running API may answer 404 itself.
  if (status === 404 && error.code !== null) return { ...NOT_FOUND, requestId };
  if (status === 429) {
    const retrySeconds = error.retryAfterSeconds ?? RATE_RETRY_SECONDS;
    // The message for a longer wait names the limit of a day, and states the wait in minutes or hours.
    const isLong = error.code !== null && retrySeconds > LONGEST_WAIT_SECONDS;
    const text = isLong ? asSentence(error.message) : `Wait ${retrySeconds} seconds and try again.`;
    return { status, code, title: 'Too many requests', text, retrySeconds, requestId };
  }
  if (code === 'storage_full') {
    const title = 'The storage is full';
    return { status, code, title, text: asSentence(error.message), requestId };
  }
  if (code === 'hook_failed') {
    const title = 'Builds can’t be checked now';
    const retrySeconds = error.retryAfterSeconds ?? RETRY_SECONDS;
    return { status, code, title, text: asSentence(error.message), retrySeconds, requestId };
  }
  if (status >= 500 || error.code === null) {
    const isFault = code === 'internal';
    return {
      status: 503,
      code,
      title: 'The store is unavailable',
      text: isFault
        ? 'The store’s server reported an error. Try again in a minute.'
        : 'The store’s server can’t be reached now. Try again in a moment.',
      retrySeconds: error.retryAfterSeconds ?? (isFault ? FAULT_RETRY_SECONDS : RETRY_SECONDS),
      requestId,
    };
  }
  const title =
    TITLES[code] ?? (status === 403 ? 'You don’t have permission' : 'The request failed');
  return { status, code, title, text: asSentence(error.message), requestId };
}

function describeOwn({ code, message, parts }: ApiError): Failure {
  const status = isPlatformErrorCode(code) ? PLATFORM_ERRORS[code].status : 500;
  if (status === 404) return NOT_FOUND;
  if (status === 405) {
    return {
      status,
      code,
      title: 'Method not allowed',
      text: `This address accepts ${parts.headers?.['Allow'] ?? 'other methods'} only. Nothing was changed.`,
    };
  }
  const title = status === 403 ? 'You don’t have permission' : 'The request failed';
  return { status, code, title, text: asSentence(message) };
}

const NOT_FOUND: Failure = {
  status: 404,
  code: 'not_found',
  title: 'Page not found',
  text: 'The game may have been unpublished, or the address is wrong. You can search for published games at the top of the page.',
};
