// Grids of game cards, tag lists, and links to further pages of a list.
import type { Game, User } from '@svc/contracts/platform';
import { categoryName } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import { coverImage } from './cover.ts';

/** The number of covers that are probably visible when the page opens. They are loaded at once. */
const EAGER = 4;

/** The games as a grid of cards. A card names its developer if `developers` contains them. */
export function gameGrid(games: readonly Game[], developers: readonly User[]): Html {
  const names = new Map(developers.map((developer) => [developer.uid, developer.name]));
  return html`<ul class="grid">
${games.map((game, index) => card(game, names.get(game.developer_uid) ?? null, index < EAGER))}
</ul>`;
}

function card(game: Game, developer: string | null, eager: boolean): Html {
  const category = categoryName(game.category);
  return html`<li class="card">
<a class="card-cover" href="/games/${game.slug}" tabindex="-1" aria-hidden="true">${coverImage(game, 'card', eager)}</a>
<h3><a href="/games/${game.slug}">${game.title}</a></h3>
${game.tagline && html`<p class="tagline">${game.tagline}</p>`}
<p class="by">${developer !== null && html`<a href="/devs/${game.developer_uid}">${developer}</a>`}${category !== null && html` <a class="quiet-link" href="/categories/${game.category}">${category}</a>`}</p>
</li>`;
}

/** Tags as links; null if there are none. */
export function tagList(tags: readonly string[], label = 'Tags'): Shown {
  if (tags.length === 0) return null;
  return html`<ul class="tags" aria-label="${label}">${tags.map((tag) => html`<li><a href="/tags/${tag}">${tag}</a></li>`)}</ul>`;
}

/** Links to the next page of a list and to its start; null if the list has one page. */
export function pager(
  path: string,
  cursor: string | null,
  next: string | null,
  what = 'games',
): Shown {
  if (cursor === null && next === null) return null;
  return html`<nav class="pager" aria-label="Pages">
${cursor !== null && html`<a class="button quiet" href="${path}">Newest ${what}</a>`}
${next !== null && html`<a class="button quiet" rel="next" href="${path}?cursor=${encodeURIComponent(next)}">Older ${what}</a>`}
</nav>`;
}
