// A game in the dashboard: state, upload form, releases, unpublishing and deletion.
import type { CallAnswer, Game, Release } from '@svc/contracts/platform';
import { coverImage } from '../games/cover.ts';
import { formatDay } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { describeDone, describeRejection, notice, type Outcome } from './forms/outcome.ts';
import { type Row, table } from './forms/table.ts';
import type { DeveloperVisit } from './member.ts';
import { uploadForm } from './upload-form.ts';

const DONE = {
  created: 'The draft has been created. Next, upload a build or edit its page.',
  published: 'Published. Players now get this release.',
  unpublished:
    'Unpublished. Players can no longer open the page or the game. All files are kept. To publish the game again, choose “Put online” next to a release.',
  rolled_back: 'Players now get the selected release.',
  release_deleted: 'The release has been deleted. Its version can’t be used again.',
};

/** The page of a game in the dashboard. */
export async function projectPage(visit: DeveloperVisit): Promise<Page> {
  return showProject(visit, describeDone(visit.url, DONE));
}

/** The page with the result of an action, and `more` content below the result. */
export async function showProject(
  visit: DeveloperVisit,
  outcome: Outcome | null,
  more: Html | null = null,
): Promise<Page> {
  const params = { id: pathParam(visit, 'id') };
  const [limits, { game }, { releases }] = await Promise.all([
    visit.web.limits(),
    visit.memberApi.call('project', { params }),
    visit.memberApi.call('releases', { params, query: { limit: '100' } }),
  ]);
  return dashboardPage(game.title, 'games', {
    status: outcome?.status ?? 200,
    islands: ['upload'],
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a></p>
${projectHead(game)}
${notice(outcome)}${more}
<div class="project-columns"><div>${uploadForm(game, releases, limits, outcome)}
${releaseTable(game, releases)}</div>
<div>${cliHint(game)}
${profileHint()}
${dangers(game)}</div></div>`,
  });
}

/** Makes a release live. This also publishes an unpublished game. */
export async function rollbackRelease(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const version = sentForm(visit).get('version') ?? '';
  return change(visit, 'rolled_back', () =>
    visit.memberApi.call('rollback', { params, body: { version } }),
  );
}

/** Removes the game from the store and keeps its files. */
export async function unpublishProject(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  return change(visit, 'unpublished', () => visit.memberApi.call('unpublish', { params }));
}

/** Deletes a release that is not live. */
export async function deleteRelease(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id'), version: sentForm(visit).get('version') ?? '' };
  return change(visit, 'release_deleted', () => visit.memberApi.call('deleteRelease', { params }));
}

/** Deletes the game if the form contains its title. */
export async function deleteProject(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const { game } = await visit.memberApi.call('project', { params });
  if (sentForm(visit).get('title')?.trim() !== game.title) {
    const text = `Nothing was deleted. To delete the game, type its title exactly: “${game.title}”.`;
    return showProject(visit, { status: 400, text });
  }
  await visit.memberApi.call('deleteProject', { params });
  return { to: '/dashboard?done=deleted' };
}

async function change(
  visit: DeveloperVisit,
  done: string,
  work: () => Promise<unknown>,
): Promise<Answer> {
  try {
    await work();
  } catch (error) {
    return showProject(visit, describeRejection(error));
  }
  return { to: `/dashboard/games/${pathParam(visit, 'id')}?done=${done}` };
}

function projectHead(game: Game): Html {
  return html`<header class="project-head"><span class="row-cover">${coverImage(game, 'row', true)}</span>
<div><h1>${game.title}</h1><p class="project-facts"><span class="mark${game.status === 'draft' && ' draft'}">${game.status}</span>
<span>${game.version === null ? 'no release yet' : `version ${game.version}`}</span><span>/games/${game.slug}</span></p></div>
<p class="actions">${game.status === 'published' && html`<a class="button" href="/games/${game.slug}">View page</a>`}<a class="button quiet" href="/dashboard/games/${game.id}/page">Edit page</a></p></header>`;
}

type Releases = CallAnswer<'releases'>['releases'];

function releaseTable(game: Game, releases: Releases): Html {
  if (releases.length === 0) return html``;
  return html`<section class="panel" aria-labelledby="releases"><h2 id="releases">Releases</h2>
${table(
  'Table of releases',
  ['Version', 'Uploaded', 'Files', 'ZIP', { hidden: 'Actions' }],
  releases.map((release) => releaseRow(game, release)),
)}</section>`;
}

function releaseRow(game: Game, release: Release): Row {
  const base = `/dashboard/games/${game.id}`;
  const version = html`<input type="hidden" name="version" value="${release.version}">`;
  const isPlayed = release.live && game.status === 'published';
  return [
    html`${release.version} ${release.live && html`<span class="mark${game.status === 'draft' && ' draft'}">${isPlayed ? 'live' : 'last live'}</span>`}`,
    formatDay(release.created_at),
    release.file_count,
    formatBytes(release.zip_bytes),
    !isPlayed &&
      html`<div class="row-actions"><form method="post" action="${base}/rollback">${version}${liveButton(game, release)}</form>
${!release.live && deletion(base, version, release)}</div>`,
  ];
}

function liveButton(game: Game, { version }: Release): Html {
  return game.status === 'published'
    ? html`<button class="button quiet" aria-label="Make live: ${version}">Make live</button>`
    : html`<button class="button quiet" aria-label="Put online: ${version}">Put online</button>`;
}

function deletion(base: string, field: Html, { version }: Release): Html {
  return html`<details class="confirm"><summary class="button danger">Delete …</summary><form method="post" action="${base}/delete-release">${field}<p>Its files are permanently deleted, and version ${version} can’t be used again.</p><button class="button danger">Delete ${version}</button></form></details>`;
}

function cliHint(game: Game): Html {
  return html`<section class="panel" aria-labelledby="cli"><h2 id="cli">From a terminal or CI</h2>
<p>You can also publish with the <code>svc</code> command. Create a <a href="/dashboard/tokens">token</a>, then run in the game’s folder:</p>
<pre><code>svc init --slug ${game.slug}
svc publish</code></pre></section>`;
}

function profileHint(): Html {
  return html`<section class="panel" aria-labelledby="profile"><h2 id="profile">Profile the game</h2>
<p>Before you publish, look at a trace of the game and check it against the budgets in <code>svc.json</code>. With <code>--trace</code>, a build whose trace exceeds a budget is not published:</p>
<pre><code>svc dashboard game.vpt
svc trace budget game.vpt
svc publish --trace game.vpt</code></pre>
<p class="fine">The trace stays on your machine. It is not uploaded.</p></section>`;
}

function dangers(game: Game): Html {
  const base = `/dashboard/games/${game.id}`;
  return html`<section class="panel" aria-labelledby="end"><h2 id="end">Unpublish or delete</h2>
${game.status === 'published' && html`<form method="post" action="${base}/unpublish"><p>Unpublishing turns the game into a draft. Its page and the game can no longer be opened. All files are kept. To publish it again, put a release online or upload a new build.</p><p class="actions"><button class="button danger">Unpublish</button></p></form>`}
<form method="post" action="${base}/delete"><p>Deleting permanently removes the game, its page, its media and all releases.</p>
<div class="field"><label for="title">To delete the game, type its title: <strong>${game.title}</strong></label><input id="title" name="title" required autocomplete="off"></div>
<p class="actions"><button class="button danger">Delete permanently</button></p></form></section>`;
}
