// Restores a deleted game, and removes one for good after a confirmation.
import { type DeletedGame, PlatformError } from '@svc/contracts/platform';
import { formatMinute } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { deletedGameAddress, readDeletedGames } from './deleted-game-list.ts';
import { describeRejection, notice, type Outcome } from './forms/outcome.ts';
import type { DeveloperVisit } from './member.ts';
import { showProjects } from './projects-page.ts';

const GONE: Outcome = {
  status: 404,
  text: 'This game was restored or removed before. The lists below are current.',
};

/** Restores the game and goes to its page. */
export async function restoreGame(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  return await unlessGone(visit, async () => {
    const { game } = await visit.memberApi.call('restoreProject', { params });
    return { to: `/dashboard/games/${game.id}?done=restored` };
  });
}

/** The page that says what a removal removes. */
export async function removalPage(visit: DeveloperVisit): Promise<Page> {
  return await showRemoval(visit, null);
}

/** Removes the game if the form contains its title. */
export async function removeForGood(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const game = await findDeletedGame(visit);
  if (game === undefined) return await showProjects(visit, GONE);
  if (sentForm(visit).get('title')?.trim() !== game.title) {
    const text = `Nothing was removed. To remove the game, type its title exactly: “${game.title}”.`;
    return await showRemoval(visit, { status: 400, text });
  }
  return await unlessGone(visit, async () => {
    await visit.memberApi.call('removeDeletedGame', { params });
    return { to: '/dashboard?done=removed' };
  });
}

async function showRemoval(visit: DeveloperVisit, outcome: Outcome | null): Promise<Page> {
  const game = await findDeletedGame(visit);
  if (game === undefined) return await showProjects(visit, GONE);
  return dashboardPage(`Remove ${game.title}`, 'games', {
    account: visit.account,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a></p><h1>Remove ${game.title} for good</h1>${notice(outcome)}
<section class="panel" aria-labelledby="confirm"><h2 id="confirm">Confirm the removal</h2>
<form method="post" action="${deletedGameAddress(game.id, 'remove')}"><p>This removes the game, its page, its media, all releases and its statistics now. It can’t be undone. If you do nothing, the game can be restored until ${formatMinute(game.removed_at)}.</p>
<div class="field"><label for="title">To remove the game, type its title: <strong>${game.title}</strong></label><input id="title" name="title" required autocomplete="off"></div>
<p class="actions"><button class="button danger">Remove for good</button> <a class="button quiet" href="/dashboard">Cancel</a></p></form></section>`,
  });
}

async function findDeletedGame(visit: DeveloperVisit): Promise<DeletedGame | undefined> {
  const id = pathParam(visit, 'id');
  return (await readDeletedGames(visit.memberApi)).find((game) => game.id === id);
}

/** Does the work. If the game is no longer deleted, or gone, shows the dashboard with a message. */
async function unlessGone(visit: DeveloperVisit, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const isGone = error instanceof PlatformError && error.code === 'not_found';
    return await showProjects(visit, isGone ? GONE : describeRejection(error));
  }
}
