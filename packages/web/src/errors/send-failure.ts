// Every failure as a page that says what happened and what to do next; as JSON where a script asked.
import { isPlatformErrorCode, PLATFORM_ERRORS, PlatformError } from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { sentence } from '../html/format.ts';
import { html } from '../html/html.ts';
import { sendPage } from '../page/send-page.ts';
import { CrossSite } from '../session/cross-site.ts';
import { ProviderFailure } from '../session/identity-provider.ts';
import { NotTheApi, SignInNeeded, type Visit, wantsJson } from '../visit/visit.ts';
import { sendSignInAgain } from './sign-in-again.ts';

/** What a person is told. */
export type Told = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly text: string;
  readonly retrySeconds?: number;
  readonly requestId?: string | null;
};

/** Answers a failure. Whatever is nobody's refusal is our own fault: told to the operator, and nothing of it to people. */
export function sendFailure(visit: Visit, error: unknown): FastifyReply {
  if (isSignedOut(error)) return sendSignInAgain(visit);
  const told = describeFailure(error);
  if (told.code === 'internal') visit.web.log(`internal: ${describe(error)}`);
  const { reply } = visit;
  if (told.retrySeconds !== undefined) reply.header('retry-after', String(told.retrySeconds));
  if (wantsJson(visit)) return sendJson(visit, told, error);
  return sendPage(visit, {
    title: told.title,
    status: told.status,
    headers: { 'cache-control': 'no-store' },
    body: html`<section class="notice-page"><p class="status">${told.status}</p><h1>${told.title}</h1>
<p>${told.text}</p>
<p class="actions">${told.status >= 500 && visit.request.method === 'GET' && html`<a class="button" href="${visit.url.pathname + visit.url.search}">Try again</a>`}
<a class="button quiet" href="/">Newest games</a></p>
${told.requestId && html`<p class="fine">For whoever runs this store: request ${told.requestId}</p>`}</section>`,
  });
}

/** Whether the caller must sign in before this can be done. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof SignInNeeded || (error instanceof PlatformError && error.status === 401);
}

function sendJson({ reply }: Visit, told: Told, error: unknown): FastifyReply {
  const details = error instanceof PlatformError ? error.details : [];
  return reply
    .code(told.status)
    .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .send({ error: { code: told.code, message: told.text, details } });
}

/** What to tell of anything that was thrown. */
export function describeFailure(error: unknown): Told {
  if (error instanceof PlatformError) return describeRefusal(error);
  if (error instanceof ApiError) return describeOwn(error);
  if (error instanceof CrossSite) {
    return {
      status: 403,
      code: 'cross_site',
      title: 'This form came from somewhere else',
      text: 'Nothing was changed. If you meant to do this, open the page here and send its form again.',
    };
  }
  if (error instanceof ProviderFailure) {
    const text = `${error.message} Nothing was changed; you can try again.`;
    return { status: 502, code: 'identity_unavailable', title: 'Signing in did not work', text };
  }
  if (isUnreachable(error)) {
    return {
      status: 503,
      code: 'unreachable',
      title: 'The store is not answering',
      text: 'The service behind this store is down or too slow at the moment. It is not you; try again in a minute.',
      retrySeconds: 30,
    };
  }
  return {
    status: 500,
    code: 'internal',
    title: 'Something failed here',
    text: 'This page has a fault, and whoever runs this store has been told.',
  };
}

function describeRefusal(error: PlatformError): Told {
  const { status, requestId } = error;
  const code = error.code ?? 'unreachable';
  if (status === 404) return { ...NOT_FOUND, requestId };
  if (status === 429) {
    return {
      status,
      code,
      title: 'Too many requests',
      text: `Please wait ${error.retryAfterSeconds ?? 60} seconds and try again.`,
      retrySeconds: error.retryAfterSeconds ?? 60,
      requestId,
    };
  }
  if (code === 'storage_full') {
    const title = 'There is no room left';
    return { status, code, title, text: sentence(error.message), requestId };
  }
  if (status >= 500 || error.code === null) {
    return {
      status: 503,
      code,
      title: 'The store is not answering',
      text: 'The service behind this store has a problem at the moment. Try again in a minute.',
      retrySeconds: error.retryAfterSeconds ?? 30,
      requestId,
    };
  }
  const title = status === 403 ? 'This is not yours to do' : 'This could not be done';
  return { status, code, title, text: sentence(error.message), requestId };
}

function describeOwn({ code, message, parts }: ApiError): Told {
  const status = isPlatformErrorCode(code) ? PLATFORM_ERRORS[code].status : 500;
  if (status === 404) return NOT_FOUND;
  if (status === 405) {
    return {
      status,
      code,
      title: 'This address does not do that',
      text: `It takes ${parts.headers?.['Allow'] ?? 'other methods'} only. Nothing was changed.`,
    };
  }
  return { status, code, title: 'This could not be done', text: sentence(message) };
}

const NOT_FOUND: Told = {
  status: 404,
  code: 'not_found',
  title: 'There is nothing here',
  text: 'The game may have been taken down, or the address has a typing mistake. The search at the top finds every published game.',
};

/** A call that found nobody, or nobody in time. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NotTheApi) return true;
  if (error instanceof TypeError) return error.message === 'fetch failed';
  return error.name === 'TimeoutError' || error.name === 'AbortError';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
