// The layout of dashboard pages.
import type { Account } from '@svc/contracts/platform';
import { type Html, html, type Shown } from '../html/html.ts';
import type { Page } from '../page/page.ts';

type Place = 'games' | 'tokens' | 'notices' | 'profile' | AdminPlace;
type AdminPlace = 'reports' | 'users' | 'all-games' | 'audit';

type DashboardContent = Omit<Page, 'title' | 'place'> & {
  /**
   * Whose dashboard it is. Administrators have more pages, and the navigation shows how much waits for the user. An older API has no
   * notices and reports, and counts none.
   */
  readonly account: Pick<Account, 'role' | 'unread_notices' | 'open_reports'>;
};

/** A dashboard page with the navigation. `place` is the current entry. */
export function dashboardPage(
  title: string,
  place: Place,
  { account, ...page }: DashboardContent,
): Page {
  const { role, unread_notices: unread = 0, open_reports: open = 0 } = account;
  const link = (name: Place, href: string, text: string, count: Shown = null): Html =>
    html`<a href="${href}"${place === name && html` aria-current="page"`}>${text}${count}</a>`;
  const admin = '/dashboard/admin';
  return {
    ...page,
    title,
    place: 'dashboard',
    islands: [...(page.islands ?? []), 'done'],
    headers: { 'cache-control': 'private, no-store', ...page.headers },
    body: html`<nav class="chips dashboard-nav" aria-label="Dashboard">${link('games', '/dashboard', 'Games')}${link('tokens', '/dashboard/tokens', 'Tokens')}${account.unread_notices !== undefined && link('notices', '/dashboard/notices', 'Notices', badge(unread, 'unread'))}${link('profile', '/dashboard/profile', 'Profile')}${role === 'admin' && html`<span class="nav-gap"></span>${account.open_reports !== undefined && link('reports', `${admin}/reports`, 'Reports', badge(open, 'open'))}${link('users', `${admin}/users`, 'Users')}${link('all-games', `${admin}/games`, 'All games')}${link('audit', `${admin}/audit`, 'Audit trail')}`}</nav>${page.body}`,
  };
}

/** A count beside an entry of the navigation; null for 0. Screen readers also read `what` is counted. */
function badge(count: number, what: string): Shown {
  if (count === 0) return null;
  return html` <span class="badge">${count}<span class="visually-hidden"> ${what}</span></span>`;
}
