// The deleted games that a developer can restore, as a part of the dashboard.
import type { DeletedGame, PlatformClient } from '@svc/contracts/platform';
import { formatDay, formatMinute } from '../html/format.ts';
import { html, type Shown } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import { type Row, table } from './forms/table.ts';
import { ifKnown } from './if-known.ts';

const LISTED = '100';

/** The address of the form that restores a deleted game, or of the page that confirms its removal. */
export function deletedGameAddress(id: string, action: 'restore' | 'remove'): string {
  return `/dashboard/deleted-games/${encodeURIComponent(id)}/${action}`;
}

/** Reads all of them, the last deleted first. An API of an older version has none. */
export async function readDeletedGames(memberApi: PlatformClient): Promise<DeletedGame[]> {
  const found: DeletedGame[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: string; cursor?: string } = { limit: LISTED };
    if (cursor !== null) query.cursor = cursor;
    const page = await ifKnown(memberApi.call('deletedGames', { query }));
    found.push(...(page?.games ?? []));
    cursor = page?.next_cursor ?? null;
  } while (cursor !== null);
  return found;
}

/** The section; null without deleted games. */
export function deletedGameList(games: readonly DeletedGame[]): Shown {
  if (games.length === 0) return null;
  return html`<section class="panel deleted-games" aria-labelledby="deleted"><h2 id="deleted">Deleted games</h2>
<p class="quiet-text">Players can’t see them. Until they are removed, they count towards the number of your projects and keep their addresses.</p>
${table(
  'Table of deleted games',
  ['Title', 'Deleted', 'Can be restored until', 'Stored', { hidden: 'Actions' }],
  games.map(deletedGameRow),
)}</section>`;
}

function deletedGameRow({ id, title, slug, deleted_at, removed_at, bytes }: DeletedGame): Row {
  return [
    html`${title} <span class="quiet-text">/games/${slug}</span>`,
    formatDay(deleted_at),
    formatMinute(removed_at),
    formatBytes(bytes),
    html`<div class="row-actions"><form method="post" action="${deletedGameAddress(id, 'restore')}"><button class="button quiet" aria-label="Restore ${title}">Restore</button></form><a class="button danger" href="${deletedGameAddress(id, 'remove')}" aria-label="Remove for good: ${title}">Remove for good</a></div>`,
  ];
}
