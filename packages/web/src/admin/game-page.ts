// One game, for administrators: what hides it, its releases, and the forms that take it or a release down.
import type { AdminGame, AuditRecord, PlatformLimits, Release } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import { textField } from '../dashboard/forms/fields.ts';
import { describeDone, notice, type Outcome } from '../dashboard/forms/outcome.ts';
import { type Row, table } from '../dashboard/forms/table.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { formatDay, formatMinute } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import { pathParam } from '../visit/visit.ts';
import { auditTable } from './audit-table.ts';
import { gameMark } from './games-page.ts';
import { reportsLink } from './report-table.ts';

const DONE = {
  down: 'Taken down. Players can’t see it any more, and the owner sees the reason.',
  restored: 'Restored.',
};
/** How many records of the audit trail are shown. */
const RECORDS = '10';

export async function gamePage(visit: DeveloperVisit): Promise<Page> {
  return showGame(visit, describeDone(visit.url, DONE));
}

/** The page with the result of an act. */
export async function showGame(visit: DeveloperVisit, outcome: Outcome | null): Promise<Page> {
  const { memberApi, web, account } = visit;
  const params = { id: pathParam(visit, 'id') };
  const [limits, { game, releases }, { records }, reports] = await Promise.all([
    web.limits(),
    memberApi.call('adminGame', { params }),
    memberApi.call('audit', { query: { subject: params.id, limit: RECORDS } }),
    reportsLink(memberApi, { game: params.id }),
  ]);
  return dashboardPage(game.title, 'all-games', {
    account,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="/dashboard/admin/games">All games</a></p>
<header class="user-head"><div><h1>${game.title}</h1><p class="project-facts">${gameMark(game)}<span>/games/${game.slug}</span><span>${game.version === null ? 'no release yet' : `version ${game.version}`}</span><span>${formatBytes(game.bytes)}</span></p></div>
${game.status === 'published' && html`<div class="actions"><a class="button" href="/games/${game.slug}">View page</a></div>`}</header>
${hiddenNotice(game)}${notice(outcome)}
<div class="project-columns"><div>${releasePanel(game, releases, limits)}
${auditPanel(game, records)}</div>
<div>${factsPanel(game, reports)}
${takeDownPanel(game, limits, outcome)}</div></div>`,
  });
}

/** What hides the game. */
function hiddenNotice(game: AdminGame): Shown {
  const { taken_down, release_taken_down, developer_suspended, deleted_at = null } = game;
  const causes = [
    [taken_down, 'The game was taken down'],
    [release_taken_down, 'Its live release was taken down'],
    [developer_suspended, 'Its developer is suspended'],
  ] as const;
  const lines = causes.flatMap(([cause, text]) =>
    cause === null
      ? []
      : [
          html`<p><strong>${text}</strong>, ${formatMinute(cause.at)}${cause.reason === null ? '. No reason was given.' : html`: ${cause.reason}`}</p>`,
        ],
  );
  if (deleted_at !== null) {
    lines.unshift(
      html`<p><strong>Its owner deleted the game</strong>, ${formatMinute(deleted_at)}. The owner can restore it until it is removed.</p>`,
    );
  }
  return lines.length > 0 && html`<div class="notice bad" role="status">${lines}</div>`;
}

function factsPanel(game: AdminGame, reports: Shown): Html {
  return html`<section class="panel" aria-labelledby="facts"><h2 id="facts">Game</h2><dl class="record-facts">
<dt>Developer</dt><dd><a href="/dashboard/admin/users/${game.developer.uid}">${game.developer.name}</a></dd>
${reports !== null && html`<dt>Reports</dt><dd>${reports}</dd>`}
<dt>Id</dt><dd><code>${game.id}</code></dd>
<dt>Created</dt><dd>${formatDay(game.created_at)}</dd>
<dt>Changed</dt><dd>${formatDay(game.updated_at)}</dd></dl></section>`;
}

function takeDownPanel(game: AdminGame, limits: PlatformLimits, outcome: Outcome | null): Html {
  if (game.taken_down !== null) {
    return html`<section class="panel" aria-labelledby="end"><h2 id="end">Taken down</h2>
<form method="post" action="${actionOf(game, 'restore')}"><p>Restored, the game has the state that its owner wants${game.deleted_at != null && ', and stays deleted until the owner restores it'}. The owner can publish again.</p><p class="actions"><button class="button">Restore the game</button></p></form></section>`;
  }
  return html`<section class="panel" aria-labelledby="end"><h2 id="end">Take down</h2>
<form class="form" method="post" action="${actionOf(game, 'take-down')}"><p>Players get it neither at its page nor at any address where it is played. Its owner can stage releases, and can’t make anything public. You can undo this.</p>
${textField({ name: 'reason', label: 'Reason', maxLength: limits.reason_characters, hint: 'The owner of the game sees it. Players do not.', outcome })}
<p class="actions"><button class="button danger">Take the game down</button></p></form></section>`;
}

function releasePanel(game: AdminGame, releases: readonly Release[], limits: PlatformLimits): Html {
  return html`<section class="panel" aria-labelledby="releases"><h2 id="releases">Releases</h2>
${
  releases.length === 0
    ? html`<p class="none-yet">The game has no releases.</p>`
    : table(
        'Table of releases',
        ['Version', 'Uploaded', 'Files', 'ZIP', { hidden: 'Actions' }],
        releases.map((release) => releaseRow(game, release, limits)),
      )
}</section>`;
}

function releaseRow(game: AdminGame, release: Release, limits: PlatformLimits): Row {
  const down = release.taken_down ?? null;
  const reason = down?.reason ?? null;
  return [
    html`${release.version} ${down !== null ? html`<span class="mark bad">taken down</span>` : release.live ? html`<span class="mark">live</span>` : release.staged === true && html`<span class="mark staged">staged</span>`}${reason !== null && html`<p class="fine">${reason}</p>`}`,
    formatDay(release.created_at),
    release.file_count,
    formatBytes(release.zip_bytes),
    html`<div class="row-actions">${down === null ? takeDownForm(game, release, limits) : restoreForm(game, release)}</div>`,
  ];
}

function takeDownForm(
  game: AdminGame,
  { version }: Release,
  { reason_characters: most }: PlatformLimits,
): Html {
  const id = `reason-${version}`;
  return html`<details class="confirm"><summary class="button quiet" aria-label="Take down ${version} …">Take down …</summary><form method="post" action="${actionOf(game, 'take-down')}"><input type="hidden" name="version" value="${version}"><p>Nobody gets the files of this release any more.</p><div class="field"><label for="${id}">Reason <span class="quiet-text">optional</span></label><input id="${id}" name="reason" maxlength="${most}" autocomplete="off"></div><button class="button danger">Take down ${version}</button></form></details>`;
}

function restoreForm(game: AdminGame, { version }: Release): Html {
  return html`<form method="post" action="${actionOf(game, 'restore')}"><input type="hidden" name="version" value="${version}"><button class="button quiet" aria-label="Restore ${version}">Restore</button></form>`;
}

function auditPanel({ id }: AdminGame, records: readonly AuditRecord[]): Html {
  return html`<section class="panel" aria-labelledby="audit"><h2 id="audit">What was done</h2>
${records.length === 0 ? html`<p class="none-yet">Nothing is recorded.</p>` : auditTable(records, 'one')}
<p class="fine"><a href="/dashboard/admin/audit?subject=${id}">All records about the game</a></p></section>`;
}

function actionOf({ id }: AdminGame, action: string): string {
  return `/dashboard/admin/games/${id}/${action}`;
}
