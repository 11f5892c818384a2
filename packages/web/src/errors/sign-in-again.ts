// Asks the user to sign in again. A submitted form is kept in the page, so that it can be submitted after that.
import type { FastifyReply } from 'fastify';
import { type Html, html } from '../html/html.ts';
import { sendPage } from '../page/send-page.ts';
import { type Visit, wantsJson } from '../visit/visit.ts';
import { isUpload, keptForm } from './kept-form.ts';

/** Redirects a GET request to the sign-in. Answers a POST request with a page that contains the submitted form. */
export function sendSignInAgain(visit: Visit): FastifyReply {
  const { request, reply, url } = visit;
  if (wantsJson(visit)) {
    const message = 'Your session has ended. Sign in again in another tab, then try again.';
    return reply
      .code(401)
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send({ error: { code: 'unauthenticated', message, details: [] } });
  }
  const signIn = `/sign-in?return_to=${encodeURIComponent(url.pathname + url.search)}`;
  if (request.method !== 'POST') {
    return reply.header('cache-control', 'no-store').redirect(signIn, 303);
  }
  return sendPage(visit, {
    title: 'Sign in again',
    status: 401,
    place: 'dashboard',
    headers: { 'cache-control': 'no-store' },
    body: askToSignIn(visit),
  });
}

function askToSignIn(visit: Visit): Html {
  const upload = isUpload(visit);
  return html`<section class="notice-page"><h1>Your session has ended</h1>
<p>${
    upload
      ? 'Your upload was not accepted. Sign in in a new tab, then go back to the previous page and upload the file again.'
      : 'Your input is kept on this page. Sign in in a new tab, then come back to this page and submit it again.'
  }</p>
<p class="actions"><a class="button" href="/sign-in?return_to=/signed-in" target="_blank">1. Sign in in a new tab</a></p>
${!upload && keptForm(visit, '2. Submit again')}</section>`;
}
