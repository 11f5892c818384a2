// The list of all games, for administrators.
import type { AdminGame } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import { type Row, table } from '../dashboard/forms/table.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { formatDay } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import { filterForm, LISTED, listPager, oneOf, readQuery } from './filter-list.ts';

const STATES = ['published', 'draft', 'down'] as const;

export async function gamesPage({ url, memberApi, account }: DeveloperVisit): Promise<Page> {
  const { q, developer, cursor, ...chosen } = readQuery(url, [
    ...(['q', 'developer', 'state', 'cursor'] as const),
  ]);
  const state = oneOf(chosen.state, STATES);
  const { games, next_cursor } = await memberApi.call('adminGames', {
    query: {
      limit: LISTED,
      ...(q !== undefined && { q: [...q].slice(0, 200).join('') }),
      ...(developer !== undefined && { developer: developer.slice(0, 64) }),
      ...(state === 'down' && { taken_down: 'true' }),
      ...(state !== undefined && state !== 'down' && { status: state }),
      ...(cursor !== undefined && { cursor }),
    },
  });
  return dashboardPage('All games', 'all-games', {
    account,
    body: html`<h1>All games</h1>
${developer !== undefined && html`<p class="quiet-text">Only the games of <a href="/dashboard/admin/users/${developer}">${games[0]?.developer.name ?? 'one developer'}</a>. <a href="/dashboard/admin/games">Show all games</a></p>`}
${filterForm(url, {
  search: 'Title, slug or id',
  kept: { developer },
  choices: [
    {
      name: 'state',
      label: 'State',
      options: [
        ['', 'All states'],
        ['published', 'Published'],
        ['draft', 'Not public'],
        ['down', 'Taken down'],
      ],
    },
  ],
})}
${
  games.length === 0
    ? html`<p class="empty">No game was found. Use another part of the title, or <a href="/dashboard/admin/games">show all games</a>.</p>`
    : html`<section class="panel admin-list">${table(
        'Table of games',
        ['Title', 'Developer', 'Version', 'Stored', 'Changed', 'State'],
        games.map(gameRow),
      )}</section>`
}${listPager(url, next_cursor, 'games')}`,
  });
}

function gameRow(game: AdminGame): Row {
  return [
    html`<a href="/dashboard/admin/games/${game.id}">${game.title}</a> <span class="quiet-text">/games/${game.slug}</span>`,
    html`<a href="/dashboard/admin/users/${game.developer.uid}">${game.developer.name}</a>`,
    game.version ?? '—',
    formatBytes(game.bytes),
    formatDay(game.updated_at),
    gameMark(game),
  ];
}

/** The state of a game as a mark, with what hides it. */
export function gameMark(game: AdminGame): Html {
  const { status, taken_down, release_taken_down, developer_suspended } = game;
  if (game.deleted_at != null) return html`<span class="mark bad">deleted</span>`;
  if (taken_down !== null) return html`<span class="mark bad">taken down</span>`;
  if (release_taken_down !== null) return html`<span class="mark bad">release taken down</span>`;
  if (developer_suspended !== null) return html`<span class="mark bad">developer suspended</span>`;
  return html`<span class="mark${status === 'draft' && ' draft'}">${status}</span>`;
}
