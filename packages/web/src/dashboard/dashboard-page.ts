// The layout of dashboard pages.
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';

type DashboardPlace = 'games' | 'tokens' | 'profile';

/** A dashboard page with the navigation. `place` is the current entry. */
export function dashboardPage(
  title: string,
  place: DashboardPlace,
  page: Omit<Page, 'title' | 'place'>,
): Page {
  const link = (name: DashboardPlace, href: string, text: string) =>
    html`<a href="${href}"${place === name && html` aria-current="page"`}>${text}</a>`;
  return {
    ...page,
    title,
    place: 'dashboard',
    islands: [...(page.islands ?? []), 'done'],
    headers: { 'cache-control': 'private, no-store', ...page.headers },
    body: html`<nav class="chips dashboard-nav" aria-label="Dashboard">${link('games', '/dashboard', 'Games')}${link('tokens', '/dashboard/tokens', 'Tokens')}${link('profile', '/dashboard/profile', 'Profile')}</nav>${page.body}`,
  };
}
