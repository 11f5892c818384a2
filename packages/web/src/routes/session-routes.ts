// Sign-in and sign-out. The attempt is kept in an encrypted cookie while the browser is at the identity provider.
import { PlatformError } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import { keepDevice, readDevice } from '../session/device-cookie.ts';
import { ProviderError } from '../session/identity-provider.ts';
import { findProvider } from '../session/identity-providers.ts';
import { openApiSession } from '../session/open-api-session.ts';
import { dropSession, keepSession } from '../session/session-cookie.ts';
import { ownPath, parseAttempt } from '../session/sign-in-attempt.ts';
import type { Visit } from '../visit/visit.ts';
import { chooseProviderPage } from './choose-provider-page.ts';
import type { Answer, Routes } from './route.ts';

/** The path to which the provider redirects browsers after the sign-in. */
export const CALLBACK_PATH = '/sign-in/callback';
const ATTEMPT = 'svc_sign_in';
const ATTEMPT_SECONDS = 900;

export function registerSession({ get, post }: Routes): void {
  get('/sign-in', beginSignIn);
  get(CALLBACK_PATH, finishSignIn);
  get('/signed-in', () => ({
    title: 'Signed in',
    body: html`<section class="notice-page"><h1>You are signed in</h1><p>Close this tab and continue in the previous one.</p></section>`,
  }));
  post('/sign-out', ({ web, reply }) => {
    dropSession(web.cookies, reply);
    return { to: '/' };
  });
}

async function beginSignIn({ web, url, reply }: Visit): Promise<Answer> {
  const returnTo = ownPath(url.searchParams.get('return_to'), web.origin);
  const wanted = url.searchParams.get('provider');
  const providers = await web.providers.list();
  const [first, second] = providers;
  const only = second === undefined && wanted === null ? first : undefined;
  const provider = only ?? findProvider(providers, wanted);
  if (provider === null) return chooseProviderPage(providers, returnTo, wanted !== null);
  const { attempt, address } = await web.providers.begin(provider, returnTo);
  reply.header('set-cookie', await web.cookies.seal(ATTEMPT, attempt, ATTEMPT_SECONDS));
  return { to: address, away: true };
}

async function finishSignIn(visit: Visit): Promise<Answer> {
  const { web, request, url, reply } = visit;
  const attempt = parseAttempt(await web.cookies.open(ATTEMPT, request.headers.cookie));
  if (attempt === null) {
    throw new ProviderError('This sign-in was started in another browser, or it has expired.');
  }
  reply.header('set-cookie', web.cookies.clear(ATTEMPT));
  const tokens = await web.providers.finish(attempt, url);
  const { user, device } = await openSession(visit, tokens.idToken);
  const who = { uid: user.uid, name: user.name, signedInAt: web.now(), isChecked: true };
  await keepSession(web.cookies, reply, { ...tokens, ...who });
  await keepDevice(web.cookies, reply, device);
  return { to: attempt.returnTo };
}

async function openSession({ web, api, request }: Visit, idToken: string) {
  const known = await readDevice(web.cookies, request.headers.cookie);
  try {
    return await openApiSession(api, { id_token: idToken, ...known });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 401) throw error;
    const text =
      error.code === 'session_ended'
        ? 'Your sessions were ended a moment ago. Wait a minute.'
        : 'The store rejected the token of the identity provider.';
    throw new ProviderError(text, { cause: error });
  }
}
