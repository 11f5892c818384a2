// For a player who opens the dashboard: what being a developer means, and the button.
import type { Account } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { notice, refusal, type Told } from './forms/fields.ts';
import type { MemberVisit } from './member.ts';

export function becomeDeveloperPage(account: Account, told: Told | null): Page {
  return {
    title: 'Publish games',
    status: told?.status ?? 200,
    place: 'dashboard',
    headers: { 'cache-control': 'private, no-store' },
    body: html`<section class="notice-page"><h1>Publish games here, ${account.name}</h1>${notice(told)}
<p>As a developer you make projects, upload builds as ZIP, and get a page for each game. Your name and avatar are shown beside your games; your e-mail never is.</p>
<form method="post" action="/dashboard/become-developer"><p class="actions"><button class="button">Become a developer</button></p></form></section>`,
  };
}

/** Asks the API for the role; a store that is closed says so. */
export async function becomeDeveloper(visit: MemberVisit): Promise<Answer> {
  try {
    const body = { id_token: visit.session.idToken, role: 'developer' } as const;
    await visit.own.call('openSession', { body });
    return { to: '/dashboard' };
  } catch (error) {
    const told = refusal(error);
    const { user } = await visit.own.call('me', {});
    return becomeDeveloperPage(user, told);
  }
}
