// What the page of a game says after players get another release: which one, and a button that undoes it.
import type { Game, Release } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import { rollbackForm } from './release-table.ts';

/** The address of the game's page after `version` went live. `replaced` is the version that players got before. */
export function afterChange(
  id: string,
  done: 'promoted' | 'rolled_back',
  { version, replaced }: { readonly version: string; readonly replaced: string | null },
): string {
  const query = new URLSearchParams({ done, version, ...(replaced !== null && { replaced }) });
  return `/dashboard/games/${id}?${query}`;
}

/** The notice about the change that the address of the page names. Empty if there is none, or if the game has changed since. */
export function liveNotice(
  { searchParams }: URL,
  game: Game,
  releases: readonly Release[],
  live: Release | null,
): Html {
  const done = searchParams.get('done');
  if (live === null || game.status !== 'published') return html``;
  const isLive = live.version === searchParams.get('version');
  if (!isLive || (done !== 'rolled_back' && done !== 'promoted')) return html``;
  const text = html`Version <strong>${live.version}</strong> is live. Players now get it.`;
  const before = releases.find(
    ({ version, id }) => version === searchParams.get('replaced') && id !== live.id,
  );
  if (before === undefined) return changeNotice(text, null);
  const { version } = before;
  return changeNotice(text, rollbackForm(game, version, `Undo: make ${version} live again`));
}

function changeNotice(text: Html, undo: Html | null): Html {
  return html`<div class="notice good" role="status"><p>${text}</p>${undo !== null && html`<div class="actions">${undo}</div>`}</div>`;
}
