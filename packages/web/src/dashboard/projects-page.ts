// The list of the developer's games, with the deleted ones, and the form that creates a game.
import { type DeletedGame, type PlatformLimits, SLUG_PATTERN } from '@svc/contracts/platform';
import { coverImage } from '../games/cover.ts';
import { pager } from '../games/game-grid.ts';
import { stateMark } from '../games/state-mark.ts';
import { minuteOf } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { deletedGameList, readDeletedGames } from './deleted-game-list.ts';
import { ENGINE_OPTIONS, readEngine } from './forms/engine.ts';
import { selectField, textField } from './forms/fields.ts';
import {
  checkTexts,
  describeDone,
  describeRejection,
  notice,
  type Outcome,
} from './forms/outcome.ts';
import type { DeveloperVisit } from './member.ts';

export async function projectsPage(visit: DeveloperVisit): Promise<Page> {
  return await showProjects(visit, null);
}

/** The list with the result of an action, or of the one that the address names. The deleted games are on its first page. */
export async function showProjects(visit: DeveloperVisit, result: Outcome | null): Promise<Page> {
  const cursor = visit.url.searchParams.get('cursor') || null;
  const query = { limit: '24', ...(cursor === null ? {} : { cursor }) };
  const [{ games, next_cursor }, deleted, limits] = await Promise.all([
    visit.memberApi.call('projects', { query }),
    cursor === null ? readDeletedGames(visit.memberApi) : [],
    visit.web.limits(),
  ]);
  const outcome = result ?? describeEnd(visit.url, deleted, limits);
  return dashboardPage('Your games', 'games', {
    account: visit.account,
    status: outcome?.status ?? 200,
    body: html`${notice(outcome)}<div class="head"><h1>Your games</h1><a class="button" href="/dashboard/new">New game</a></div>
${
  games.length === 0
    ? html`<div class="empty"><h2>No games yet</h2><p>Create a game and upload a ZIP file that contains <code>index.html</code>. Players run it in the browser.</p><p><a class="button" href="/dashboard/new">Create your first game</a></p></div>`
    : html`<ul class="rows">${games.map(
        (game) =>
          html`<li><span class="row-cover">${coverImage(game, 'row')}</span><div><h2><a href="/dashboard/games/${game.id}">${game.title}</a></h2><p class="quiet-text">${game.version === null ? 'no release yet' : `version ${game.version}`} · /games/${game.slug}</p></div>
${stateMark(game)}</li>`,
      )}</ul>`
}${pager('/dashboard', cursor, next_cursor)}
${deletedGameList(deleted)}`,
  });
}

/**
 * The message after a deletion or a removal. It says until when the game in the address can be restored. There is none about a deletion if
 * the game was restored or removed since, as when the browser goes back to this address.
 */
function describeEnd(
  url: URL,
  deleted: readonly DeletedGame[],
  { deleted_game_days }: PlatformLimits,
): Outcome | null {
  const game = deleted.find(({ id }) => id === url.searchParams.get('game'));
  const sentences: Record<string, string> = {
    removed: 'The game and all of its files have been removed.',
  };
  if (game !== undefined) {
    sentences['deleted'] =
      `“${game.title}” has been deleted. You can restore it until ${minuteOf(game.removed_at)}, under “Deleted games” on this page.`;
  } else if (deleted_game_days === 0) {
    sentences['deleted'] = 'The game and all of its files have been deleted.';
  }
  return describeDone(url, sentences);
}

export async function newProjectPage(visit: DeveloperVisit): Promise<Page> {
  return newProjectForm(visit, new URLSearchParams(), null);
}

export async function createProject(visit: DeveloperVisit): Promise<Answer> {
  const form = sentForm(visit);
  const slug = form.get('slug')?.trim() ?? '';
  const title = form.get('title')?.trim() ?? '';
  const outcome = checkTexts({ title });
  if (outcome !== null) return newProjectForm(visit, form, outcome);
  try {
    const { game } = await visit.memberApi.call('createProject', {
      body: {
        title,
        ...(slug === '' ? {} : { slug }),
        engine: readEngine(form.get('engine')),
      },
    });
    return { to: `/dashboard/games/${game.id}?done=created` };
  } catch (error) {
    return newProjectForm(visit, form, describeRejection(error));
  }
}

async function newProjectForm(
  { web, account }: DeveloperVisit,
  form: URLSearchParams,
  outcome: Outcome | null,
): Promise<Page> {
  const limits = await web.limits();
  return dashboardPage('New game', 'games', {
    account,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a></p><h1>New game</h1>${notice(outcome)}
<form class="form" method="post" action="/dashboard/new">
${textField({ name: 'title', label: 'Title', value: form.get('title'), required: true, maxLength: limits.title_characters, outcome })}
${textField({ name: 'slug', label: 'Address', value: form.get('slug'), maxLength: limits.slug_characters, pattern: SLUG_PATTERN.slice(1, -1), hint: 'Last part of the page’s address: lowercase letters, digits and hyphens. If you leave it empty, it is derived from the title. You can change it later.', placeholder: 'moon-hop', outcome })}
${selectField({ name: 'engine', label: 'Engine', value: form.get('engine') ?? 'html5', options: ENGINE_OPTIONS })}
<p class="hint">The game starts as a draft. Only you can see it until you publish a build.</p>
<p class="actions"><button class="button">Create draft</button></p></form>`,
  });
}
