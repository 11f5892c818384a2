// The dashboard of a player: what a developer can do, and the button to become one.
import type { Account } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { notice, type Outcome } from './forms/outcome.ts';

export function becomeDeveloperPage(account: Account, outcome: Outcome | null): Page {
  return {
    title: 'Publish games',
    status: outcome?.status ?? 200,
    place: 'dashboard',
    headers: { 'cache-control': 'private, no-store' },
    body: html`<section class="notice-page"><h1>Publish games here, ${account.name}</h1>${notice(outcome)}
<p>As a developer you can create games, upload builds as ZIP files, and edit a page for each game. Your name and avatar are shown with your games. Your e-mail address is never shown.</p>
<form method="post" action="/dashboard/become-developer"><p class="actions"><button class="button">Become a developer</button></p></form></section>`,
  };
}
