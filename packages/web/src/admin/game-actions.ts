// The acts on a game's page: take it, or one release, down, and restore it.
import { describeRejection } from '../dashboard/forms/outcome.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import { showGame } from './game-page.ts';

export function takeDown(visit: DeveloperVisit): Promise<Answer> {
  const reason = field(visit, 'reason') || null;
  const body = { reason, ...versionOf(visit) };
  return act(visit, 'down', () =>
    visit.memberApi.call('takeDown', { params: gameOf(visit), body }),
  );
}

export function restoreGame(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, 'restored', () =>
    visit.memberApi.call('restoreGame', { params: gameOf(visit), body: versionOf(visit) }),
  );
}

function versionOf(visit: DeveloperVisit): { version?: string } {
  const version = field(visit, 'version');
  return version === '' ? {} : { version };
}

function gameOf(visit: DeveloperVisit): { id: string } {
  return { id: pathParam(visit, 'id') };
}

function field(visit: DeveloperVisit, name: string): string {
  return sentForm(visit).get(name)?.trim() ?? '';
}

/** Does the work and returns to the page, which says what was done. A rejection is shown there. */
async function act(
  visit: DeveloperVisit,
  done: string,
  work: () => Promise<unknown>,
): Promise<Answer> {
  try {
    await work();
  } catch (error) {
    return showGame(visit, describeRejection(error));
  }
  return { to: `/dashboard/admin/games/${gameOf(visit).id}?done=${done}` };
}
