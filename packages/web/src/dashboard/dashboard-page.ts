// The layout of dashboard pages.
import type { Account } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';

type DashboardPlace = 'games' | 'tokens' | 'profile' | 'users' | 'all-games' | 'audit';

/** `isAdmin` adds the pages of administrators to the navigation. */
type DashboardContent = Omit<Page, 'title' | 'place'> & { readonly isAdmin: boolean };

/** A dashboard page with the navigation. `place` is the current entry. */
export function dashboardPage(
  title: string,
  place: DashboardPlace,
  { isAdmin, ...page }: DashboardContent,
): Page {
  const link = (name: DashboardPlace, href: string, text: string) =>
    html`<a href="${href}"${place === name && html` aria-current="page"`}>${text}</a>`;
  return {
    ...page,
    title,
    place: 'dashboard',
    islands: [...(page.islands ?? []), 'done'],
    headers: { 'cache-control': 'private, no-store', ...page.headers },
    body: html`<nav class="chips dashboard-nav" aria-label="Dashboard">${link('games', '/dashboard', 'Games')}${link('tokens', '/dashboard/tokens', 'Tokens')}${link('profile', '/dashboard/profile', 'Profile')}${isAdmin && html`<span class="nav-gap"></span>${link('users', '/dashboard/admin/users', 'Users')}${link('all-games', '/dashboard/admin/games', 'All games')}${link('audit', '/dashboard/admin/audit', 'Audit trail')}`}</nav>${page.body}`,
  };
}

/** Whether the account may see the pages of administrators. */
export function isAdmin({ role }: Pick<Account, 'role'>): boolean {
  return role === 'admin';
}
