// What the page of a game says after a build was staged or a link was created: the link, and what to do with it.
import type { Game, Preview, Release } from '@svc/contracts/platform';
import { formatDay } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { promoteForm } from './release-table.ts';

/** What has made the link: a build that was staged, or its own button. */
export type LinkOrigin = 'staged' | 'linked';

/** The address of the game's page that shows the new link. */
export function afterLink(id: string, done: LinkOrigin, { id: link }: Preview): string {
  return `/dashboard/games/${id}?done=${done}&link=${encodeURIComponent(link)}`;
}

/** The notice with the link that the address of the page names. Empty if there is none, or if it has ended since. */
export function newLinkNotice(
  { searchParams }: URL,
  game: Game,
  releases: readonly Release[],
  links: readonly Preview[],
): Html {
  const done = searchParams.get('done');
  const link = links.find(({ id }) => id === searchParams.get('link'));
  if (link === undefined) return html``;
  if (done === 'linked') return linkNotice(link, createdText(link));
  const isStaged = releases.some(({ version, staged }) => staged && version === link.version);
  return done === 'staged' && isStaged ? stagedNotice(game, link) : html``;
}

/** The notice after a build was staged. */
export function stagedNotice(game: Game, link: Preview): Html {
  const text = html`Version <strong>${link.version}</strong> is staged. Players can’t see it yet. Play it at ${address(link)}.`;
  return linkNotice(link, text, promoteForm(game, link.version));
}

function createdText(link: Preview): Html {
  return html`The link has been created. It plays version <strong>${link.version}</strong>: ${address(link)}`;
}

function address({ url }: Preview): Html {
  return html`<a class="address" href="${url}" target="_blank" rel="noopener noreferrer" data-new-link>${url}</a>`;
}

function linkNotice({ expires_at }: Preview, text: Html, action: Html | null = null): Html {
  return html`<div class="notice good" role="status"><p>${text}</p>
<p class="hint">Anyone with the link can play until ${formatDay(expires_at)}. You can revoke it under “Preview links”.</p>
<div class="actions"><button type="button" class="button quiet" data-copy="[data-new-link]" hidden>Copy link</button>${action}</div></div>`;
}
