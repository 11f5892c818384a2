// Signing in and out: off to the identity provider with a sealed note of what was begun, back with a code, a cookie kept.

import type { App } from '@svc/serve';
import { html } from '../html/html.ts';
import { ProviderFailure } from '../session/identity-provider.ts';
import { dropSession, keepSession } from '../session/session-cookie.ts';
import { ownPath, parseAttempt } from '../session/sign-in-attempt.ts';
import { clientFor, type Visit } from '../visit/visit.ts';
import type { Web } from '../visit/web.ts';
import { type Answer, get, post } from './route.ts';

/** Where the provider sends browsers back to. */
export const CALLBACK_PATH = '/sign-in/callback';
const ATTEMPT = 'svc_sign_in';
const ATTEMPT_SECONDS = 900;

export function registerSession(app: App, web: Web): void {
  get(app, web, '/sign-in', beginSignIn);
  get(app, web, CALLBACK_PATH, finishSignIn);
  get(app, web, '/signed-in', () => ({
    title: 'Signed in',
    body: html`<section class="notice-page"><h1>You are signed in</h1><p>Close this tab and go on where you were.</p></section>`,
  }));
  post(app, web, '/sign-out', ({ reply }) => {
    dropSession(web.cookies, reply);
    return { to: '/' };
  });
}

async function beginSignIn({ web, url, reply }: Visit): Promise<Answer> {
  const returnTo = ownPath(url.searchParams.get('return_to'), web.origin);
  const { attempt, address } = await web.provider.begin(returnTo);
  reply.header('set-cookie', await web.cookies.seal(ATTEMPT, attempt, ATTEMPT_SECONDS));
  return { to: address, away: true };
}

async function finishSignIn({ web, request, url, reply }: Visit): Promise<Answer> {
  const attempt = parseAttempt(await web.cookies.open(ATTEMPT, request.headers.cookie));
  if (attempt === null) {
    throw new ProviderFailure('This sign-in was begun in another browser, or too long ago.');
  }
  reply.header('set-cookie', web.cookies.clear(ATTEMPT));
  const tokens = await web.provider.finish(attempt, url);
  const api = clientFor(web, request, null, web.apiTimeoutMs);
  const { user } = await openApiSession(api, tokens.idToken);
  await keepSession(web.cookies, reply, { ...tokens, uid: user.uid, name: user.name });
  return { to: attempt.returnTo };
}

async function openApiSession(api: Visit['api'], idToken: string) {
  try {
    return await api.call('openSession', { body: { id_token: idToken } });
  } catch (error) {
    const isRefused = error instanceof Error && 'status' in error && error.status === 401;
    if (!isRefused) throw error;
    throw new ProviderFailure('The store does not take what the identity provider gave.', {
      cause: error,
    });
  }
}
