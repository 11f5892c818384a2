// The page on which a visitor chooses where to sign in, if there are several identity providers.
import type { SignInProvider } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';

/** Shows one button for each provider. `isUnknown`: the visitor asked for another one. */
export function chooseProviderPage(
  providers: readonly SignInProvider[],
  returnTo: string,
  isUnknown: boolean,
): Page {
  const addressOf = (provider: string): string =>
    `/sign-in?${new URLSearchParams({ provider, return_to: returnTo })}`;
  return {
    title: 'Sign in',
    status: isUnknown ? 404 : 200,
    headers: { 'cache-control': 'no-store' },
    body: html`<section class="notice-page"><h1>Sign in</h1>
${isUnknown && html`<p class="notice bad" role="alert">This store does not offer a sign-in at that provider. Choose one of these.</p>`}
<p>Choose where you have your account. An account at one provider is not connected to an account at another one.</p>
<ul class="providers">${providers.map(
      ({ issuer, name }) =>
        html`<li><a class="button quiet" href="${addressOf(issuer)}" rel="nofollow">Continue with ${name}</a></li>`,
    )}</ul></section>`,
  };
}
