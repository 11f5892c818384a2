// The releases of a game in the dashboard, with their states and the actions that are possible.
import type { Game, Release } from '@svc/contracts/platform';
import { provenanceLine } from '../games/provenance.ts';
import { formatDay } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import { type Row, table } from './forms/table.ts';

/** The table. Without `hasLinks`, as with an older API, its releases have no button for a link. */
export function releaseTable(game: Game, releases: readonly Release[], hasLinks: boolean): Html {
  if (releases.length === 0) return html``;
  return html`<section class="panel" aria-labelledby="releases"><h2 id="releases">Releases</h2>
${table(
  'Table of releases',
  ['Version', 'Uploaded', 'Files', 'ZIP', { hidden: 'Actions' }],
  releases.map((release) => releaseRow(game, release, hasLinks)),
)}</section>`;
}

/** The button that makes a staged release live. */
export function promoteForm(game: Game, version: string): Html {
  return actionForm(game, 'promote', version, actionButton('Make live', version));
}

/** A button that makes a release live, or puts an unpublished game online with it. */
export function rollbackForm(game: Game, version: string, name: string): Html {
  return actionForm(game, 'rollback', version, actionButton(name, version));
}

function releaseRow(game: Game, release: Release, hasLinks: boolean): Row {
  return [
    html`${release.version} ${releaseMark(game, release)}${provenanceLine(release)}${release.taken_down?.reason != null && html`<p class="fine">${release.taken_down.reason}</p>`}`,
    formatDay(release.created_at),
    release.file_count,
    formatBytes(release.zip_bytes),
    !isPlayed(game, release) &&
      html`<div class="row-actions">${releaseActions(game, release, hasLinks)}</div>`,
  ];
}

/** Whether the operator allows that the release becomes live. */
export function isAllowed(game: Game, release: Release): boolean {
  return game.taken_down == null && release.taken_down == null;
}

/** Whether players get the release. */
function isPlayed(game: Game, release: Release): boolean {
  return release.live && game.status === 'published';
}

function releaseMark(game: Game, release: Release): Html {
  if (release.taken_down != null) return html`<span class="mark bad">taken down</span>`;
  if (release.staged) return html`<span class="mark staged">staged</span>`;
  if (isPlayed(game, release)) return html`<span class="mark">live</span>`;
  if (release.playable) return html`<span class="mark">offered</span>`;
  return release.live ? html`<span class="mark draft">last live</span>` : html``;
}

function releaseActions(game: Game, release: Release, hasLinks: boolean): Html {
  const { version, live, staged } = release;
  const name = game.status === 'published' ? 'Make live' : 'Put online';
  if (release.taken_down != null) return html`${!live && deletion(game, version)}`;
  return html`${isAllowed(game, release) && (staged ? promoteForm(game, version) : rollbackForm(game, version, name))}
${hasLinks && actionForm(game, 'create-link', version, actionButton('Create link', version))}
${!staged && !live && choiceForm(game, release)}
${!live && deletion(game, version)}`;
}

/** The button that lets players choose a release that is not live, or no longer. An older API does not have it. */
function choiceForm(game: Game, { version, playable }: Release): Html {
  if (playable === undefined) return html``;
  return playable
    ? actionForm(game, 'withdraw-release', version, actionButton('Stop offering', version))
    : actionForm(game, 'offer-release', version, actionButton('Offer to players', version));
}

function deletion(game: Game, version: string): Html {
  const content = html`<p>Its files are permanently deleted, and version ${version} can’t be used again.</p><button class="button danger">Delete ${version}</button>`;
  return html`<details class="confirm"><summary class="button danger">Delete …</summary>${actionForm(game, 'delete-release', version, content)}</details>`;
}

function actionButton(name: string, version: string): Html {
  return html`<button class="button quiet" aria-label="${name}: ${version}">${name}</button>`;
}

function actionForm(game: Game, action: string, version: string, content: Html): Html {
  return html`<form method="post" action="/dashboard/games/${game.id}/${action}"><input type="hidden" name="version" value="${version}">${content}</form>`;
}
