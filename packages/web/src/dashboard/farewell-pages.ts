// The pages that users see when they have ended all their sessions, or deleted their account. They need no session.
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';

export const SIGNED_OUT = '/signed-out-everywhere';
export const DELETED = '/account-deleted';

export function signedOutPage(): Page {
  return {
    title: 'Signed out',
    body: html`<section class="notice-page"><h1>You are signed out everywhere</h1><p>All your sessions have ended. Your tokens are still valid.</p>
<p class="actions"><a class="button" href="/sign-in?return_to=/dashboard/tokens">Sign in and see your tokens</a> <a class="button quiet" href="/">Newest games</a></p></section>`,
  };
}

export function deletedPage(): Page {
  return {
    title: 'Account deleted',
    body: html`<section class="notice-page"><h1>Your account has been deleted</h1><p>Your games, tokens and sessions have ended with it. If you sign in again, you get a new account.</p>
<p class="actions"><a class="button" href="/">Newest games</a></p></section>`,
  };
}
