// A game in the dashboard: state, upload form, releases, plays, links, trusted publishers, address, unpublishing and deletion.
import {
  type Game,
  PlatformError,
  type PlatformLimits,
  type Release,
  VERSION_PATTERN,
} from '@svc/contracts/platform';
import { isUnreachable } from '../api/send-to-api.ts';
import { coverImage } from '../games/cover.ts';
import { stateMark } from '../games/state-mark.ts';
import { type Html, html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { pathParam } from '../visit/visit.ts';
import { addressPanel } from './address-panel.ts';
import { dashboardPage } from './dashboard-page.ts';
import { describeDone, notice, type Outcome } from './forms/outcome.ts';
import { ifKnown } from './if-known.ts';
import { linkPanel } from './link-panel.ts';
import { liveNotice } from './live-notice.ts';
import type { DeveloperVisit } from './member.ts';
import { newLinkNotice } from './new-link.ts';
import { newPublisherNotice } from './new-publisher.ts';
import { publisherPanel } from './publisher-panel.ts';
import { isAllowed, releaseTable, rollbackForm } from './release-table.ts';
import { statsPanel } from './stats-panel.ts';
import { takenDownNotice } from './taken-down-notice.ts';
import { uploadForm } from './upload-form.ts';

const DONE = {
  created: 'The draft has been created. Next, upload a build or edit its page.',
  published: 'Published. Players now get this release.',
  unpublished:
    'Unpublished. Players can no longer open the page or the game. Preview links still work. All files are kept. To undo this, choose “Put online again”.',
  restored: 'The game has been restored with everything that belongs to it.',
  moved: 'The page has a new address. The old one leads there.',
  link_revoked: 'The link is revoked and no longer works.',
  untrusted: 'The publisher has been removed. Its runs can no longer publish this game.',
  release_deleted: 'The release has been deleted. Its version can’t be used again.',
};

/** The page of a game in the dashboard. */
export async function projectPage(visit: DeveloperVisit): Promise<Page> {
  return showProject(visit, describeDone(visit.url, { ...DONE, ...describeChoice(visit.url) }));
}

/** The messages about releases that players can choose. They name the version in the address. */
function describeChoice({ searchParams }: URL): Record<'offered' | 'withdrawn', string> {
  const version = searchParams.get('version') ?? '';
  const release = new RegExp(VERSION_PATTERN).test(version) ? `version ${version}` : 'the release';
  return {
    offered: `Players can now choose ${release} on the game’s page.`,
    withdrawn: `Players can no longer choose ${release}.`,
  };
}

type ShownWith = {
  /** Content below the result. */
  readonly more?: Html;
  /** The rejected form for a trusted publisher. */
  readonly publisher?: URLSearchParams;
  /** The rejected slug. */
  readonly slug?: string;
};

/** The page with the result of an action. */
export async function showProject(
  visit: DeveloperVisit,
  outcome: Outcome | null,
  { more, publisher: form = new URLSearchParams(), slug }: ShownWith = {},
): Promise<Page> {
  const params = { id: pathParam(visit, 'id') };
  const [
    limits,
    { game, live_release, former_slugs: formerSlugs },
    { releases },
    previews,
    trusted,
    stats,
  ] = await Promise.all([
    visit.web.limits(),
    visit.memberApi.call('project', { params }),
    visit.memberApi.call('releases', { params, query: { limit: '100' } }),
    ifKnown(visit.memberApi.call('previews', { params })),
    ifKnown(visit.memberApi.call('publishers', { params })),
    ifKnown(visit.memberApi.call('projectStats', { params, query: {} }), isFaultOfApi),
  ]);
  const links = previews?.previews ?? null;
  const publishers = trusted?.publishers ?? null;
  const hasLinks = links !== null;
  return dashboardPage(game.title, 'games', {
    account: visit.account,
    status: outcome?.status ?? 200,
    islands: ['upload', 'copy'],
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a></p>
${projectHead(game, live_release)}
${takenDownNotice(game, live_release)}${notice(outcome)}${liveNotice(visit.url, game, releases, live_release)}${newLinkNotice(visit.url, game, releases, links ?? [])}${newPublisherNotice(visit.url, publishers ?? [])}${more}
<div class="project-columns"><div>${uploadForm(game, releases, limits, { hasLinks, outcome })}
${releaseTable(game, releases, hasLinks)}
${stats !== null && game.version !== null && statsPanel(stats)}
${links !== null && linkPanel(game, links)}
${publishers !== null && publisherPanel(game, publishers, limits, { form, outcome })}</div>
<div>${cliHint(game, publishers !== null)}
${profileHint()}
${formerSlugs !== undefined && addressPanel(game, formerSlugs, limits, { wanted: slug ?? null, outcome })}
${dangers(game, limits, hasLinks)}</div></div>`,
  });
}

/** Whether the API has failed, or did not answer in time. */
function isFaultOfApi(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof PlatformError && error.status >= 500);
}

function projectHead(game: Game, live: Release | null): Html {
  return html`<header class="project-head"><span class="row-cover">${coverImage(game, 'row', true)}</span>
<div><h1>${game.title}</h1><p class="project-facts">${stateMark(game)}
<span>${game.version === null ? 'no release yet' : `version ${game.version}`}</span><span>/games/${game.slug}</span></p></div>
<div class="actions">${game.status === 'published' && html`<a class="button" href="/games/${game.slug}">View page</a>`}${game.status === 'draft' && live !== null && isAllowed(game, live) && rollbackForm(game, live.version, 'Put online again')}<a class="button quiet" href="/dashboard/games/${game.id}/page">Edit page</a></div></header>`;
}

function cliHint(game: Game, hasTrust: boolean): Html {
  return html`<section class="panel" aria-labelledby="cli"><h2 id="cli">From a terminal or CI</h2>
<p>You can also publish with the <code>svc</code> command. Create a <a href="/dashboard/tokens">token</a>, then run in the game’s folder:</p>
<pre><code>svc init --slug ${game.slug}
svc publish</code></pre>
${hasTrust && html`<p class="fine">To publish from a CI without a token, add it to the <a href="#trust">trusted publishers</a>.</p>`}</section>`;
}

function profileHint(): Html {
  return html`<section class="panel" aria-labelledby="profile"><h2 id="profile">Profile the game</h2>
<p>Before you publish, look at a trace of the game and check it against the budgets in <code>svc.json</code>. With <code>--trace</code>, a build whose trace exceeds a budget is not published:</p>
<pre><code>svc dashboard game.vpt
svc trace budget game.vpt
svc publish --trace game.vpt</code></pre>
<p class="fine">The trace stays on your machine. It is not uploaded.</p></section>`;
}

function dangers(game: Game, { deleted_game_days: days }: PlatformLimits, hasLinks: boolean): Html {
  const base = `/dashboard/games/${game.id}`;
  const isFinal = days === 0;
  return html`<section class="panel" aria-labelledby="end"><h2 id="end">Unpublish or delete</h2>
${game.status === 'published' && html`<form method="post" action="${base}/unpublish"><p>Unpublishing turns the game into a draft. Players can no longer open its page or play it. ${hasLinks && 'Preview links still work until you revoke them. '}All files are kept. To undo this, choose “Put online again”.</p><p class="actions"><button class="button danger">Unpublish</button></p></form>`}
<form method="post" action="${base}/delete"><p>${isFinal ? 'Deleting permanently removes the game, its page, its media and all releases.' : `Deleting hides the game, its page, its media, all releases and preview links. You can restore it for ${days === 1 ? '1 day' : `${days} days`}. Then it is removed for good.`}</p>
<div class="field"><label for="title">To delete the game, type its title: <strong>${game.title}</strong></label><input id="title" name="title" required autocomplete="off"></div>
<p class="actions"><button class="button danger">${isFinal ? 'Delete permanently' : 'Delete'}</button></p></form></section>`;
}
