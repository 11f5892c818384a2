// Sends an error as a page that says what happened and what to do next, or as JSON to a script.
import { isPlatformErrorCode, PLATFORM_ERRORS, PlatformError } from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { asSentence } from '../html/format.ts';
import { html } from '../html/html.ts';
import { sendPage } from '../page/send-page.ts';
import { CrossSiteError } from '../session/cross-site.ts';
import { ProviderError } from '../session/identity-provider.ts';
import { NotTheApiError, SignInNeededError, type Visit, wantsJson } from '../visit/visit.ts';
import { sendSignInAgain } from './sign-in-again.ts';

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
  if (failure.code === 'internal') visit.web.log(`internal: ${describe(error)}`);
  const { reply } = visit;
  if (failure.retrySeconds !== undefined) reply.header('retry-after', String(failure.retrySeconds));
  if (wantsJson(visit)) return sendJson(visit, failure, error);
  return sendPage(visit, {
    title: failure.title,
    status: failure.status,
    headers: { 'cache-control': 'no-store' },
    body: html`<section class="notice-page"><p class="status">${failure.status}</p><h1>${failure.title}</h1>
<p>${failure.text}</p>
<p class="actions">${failure.status >= 500 && visit.request.method === 'GET' && html`<a class="button" href="${visit.url.pathname + visit.url.search}">Try again</a>`}
<a class="button quiet" href="/">Newest games</a></p>
${failure.requestId && html`<p class="fine">Request ID for support: ${failure.requestId}</p>`}</section>`,
  });
}

/** Whether the error means that the user must sign in. */
function isSignedOut(error: unknown): boolean {
  return (
    error instanceof SignInNeededError || (error instanceof PlatformError && error.status === 401)
  );
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
  if (isUnreachable(error)) {
    return {
      status: 503,
      code: 'unreachable',
      title: 'The store is unavailable',
      text: 'The store’s server is down or responds too slowly. Try again in a minute.',
      retrySeconds: 30,
    };
  }
  return {
    status: 500,
    code: 'internal',
    title: 'An error occurred',
    text: 'The server could not complete the request. The error has been logged.',
  };
}

function describeRefusal(error: PlatformError): Failure {
  const { status, requestId } = error;
  const code = error.code ?? 'unreachable';
  if (status === 404) return { ...NOT_FOUND, requestId };
  if (status === 429) {
    return {
      status,
      code,
      title: 'Too many requests',
      text: `Wait ${error.retryAfterSeconds ?? 60} seconds and try again.`,
      retrySeconds: error.retryAfterSeconds ?? 60,
      requestId,
    };
  }
  if (code === 'storage_full') {
    const title = 'The storage is full';
    return { status, code, title, text: asSentence(error.message), requestId };
  }
  if (status >= 500 || error.code === null) {
    return {
      status: 503,
      code,
      title: 'The store is unavailable',
      text: 'The store’s server reported an error. Try again in a minute.',
      retrySeconds: error.retryAfterSeconds ?? 30,
      requestId,
    };
  }
  const title = status === 403 ? 'You don’t have permission' : 'The request failed';
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
  return { status, code, title: 'The request failed', text: asSentence(message) };
}

const NOT_FOUND: Failure = {
  status: 404,
  code: 'not_found',
  title: 'Page not found',
  text: 'The game may have been unpublished, or the address is wrong. You can search for published games at the top of the page.',
};

/** Whether an API call failed to connect, timed out, or reached another service. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NotTheApiError) return true;
  if (error instanceof TypeError) return error.message === 'fetch failed';
  return error.name === 'TimeoutError' || error.name === 'AbortError';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
