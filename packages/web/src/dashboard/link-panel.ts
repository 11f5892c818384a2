// The links that play releases of a game: their versions, addresses and last use, and how to revoke them.
import type { Game, Preview } from '@svc/contracts/platform';
import { formatDay, formatMinute, minuteOf } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';

/** The number of links that are always shown, the newest ones. */
const LINKS_SHOWN = 10;

export function linkPanel(game: Game, links: readonly Preview[]): Html {
  return html`<section class="panel" aria-labelledby="links"><h2 id="links">Preview links</h2>
${links.length === 0 ? html`<p class="quiet-text">No links yet. Stage a build, choose “Create link” next to a release, or run <code>svc publish --preview NAME</code>.</p>` : linkList(game, links)}</section>`;
}

function linkList(game: Game, links: readonly Preview[]): Html {
  const list = (some: readonly Preview[]) =>
    html`<ul class="links">${some.map((link) => linkItem(game, link))}</ul>`;
  const more = links.slice(LINKS_SHOWN);
  return html`<p class="quiet-text">Anyone with a link can play its version, even if it is not live.</p>
${list(links.slice(0, LINKS_SHOWN))}
${more.length > 0 && html`<details class="more-links"><summary>Show all ${links.length} links</summary>${list(more)}</details>`}`;
}

/** A link. The style sheet shows one line of its address, and the button copies all of it. */
function linkItem(game: Game, link: Preview): Html {
  const { id, name, version, url } = link;
  const title =
    name === null
      ? html`<strong>Version ${version}</strong>`
      : html`<strong>${name}</strong> <span>version ${version}</span>`;
  return html`<li><div><p>${title}</p>
<a class="link-address" id="link-${id}" href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>
<p class="hint">Created ${formatMinute(link.created_at)} · Expires ${formatDay(link.expires_at)} · ${lastUse(link)}</p></div>
<div class="row-actions"><button type="button" class="button quiet" data-copy="#link-${id}" hidden>Copy<span class="visually-hidden"> the link of ${nameOf(link)}</span></button>${revocation(game, link)}</div></li>
`;
}

function lastUse({ last_used_at }: Preview): Html {
  return last_used_at === null ? html`never used` : html`last used ${formatDay(last_used_at)}`;
}

/** A link with a name may have a release of its own, which ends with it. Therefore it is confirmed. */
function revocation(game: Game, link: Preview): Html {
  const form = (content: Html) =>
    html`<form method="post" action="/dashboard/games/${game.id}/revoke-link"><input type="hidden" name="link" value="${link.id}">${content}</form>`;
  const button = html`<button class="button danger" aria-label="Revoke the link of ${nameOf(link)}">Revoke</button>`;
  if (link.name === null) return form(button);
  return html`<details class="confirm"><summary class="button danger">Revoke …<span class="visually-hidden"> the link of ${nameOf(link)}</span></summary>${form(html`<p>The link stops working. Version ${link.version} is deleted too if it was uploaded with <code>--preview</code>, was never made live, and has no other link.</p>${button}`)}</details>`;
}

/** The name of a link. A version can have several links without a name, so their time tells them apart. */
function nameOf({ name, version, created_at }: Preview): string {
  return name ?? `${version}, created ${minuteOf(created_at)}`;
}
