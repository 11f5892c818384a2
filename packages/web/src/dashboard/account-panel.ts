// The part of the profile about the whole account: its data, its sessions, its end.
import type { Account } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

/** The addresses of the actions on an account. */
export const ACCOUNT = {
  export: '/dashboard/profile/export',
  endSessions: '/dashboard/profile/sign-out-everywhere',
  delete: '/dashboard/profile/delete',
} as const;

/** The panel of the profile. */
export function accountPanel(user: Account): Html {
  return html`<section class="panel" aria-labelledby="account"><h2 id="account">Your account</h2>
${dataLinks(user)}
<h3>Sessions</h3>
<form method="post" action="${ACCOUNT.endSessions}"><p>Signing out everywhere ends your sessions in all browsers, also in this one. Your tokens stay valid${user.role !== 'player' && html`; revoke them under <a href="/dashboard/tokens">Tokens</a>`}.</p>
<p class="actions"><button class="button quiet">Sign out everywhere</button></p></form>
<h3>Deletion</h3>
<p>You can delete your account with everything that belongs to it.</p>
<p class="actions"><a class="button danger" href="${ACCOUNT.delete}">Delete my account…</a></p></section>`;
}

/** The downloads of the user's data. Only developers have builds. */
export function dataLinks({ role }: Pick<Account, 'role'>): Html {
  return html`<h3>Your data</h3>
<p>Your data as a ZIP: your profile, notices and activity${role !== 'player' && ', and your games with their pages, media, releases and statistics'}.</p>
<p class="actions"><a class="button quiet" href="${ACCOUNT.export}">Download my data</a>${role !== 'player' && html`<a class="button quiet" href="${ACCOUNT.export}?builds=true">Download with all builds</a>`}</p>`;
}
