// The acts on a game's page: take it, or one release, down, and restore it.
import type { DeveloperVisit } from '../dashboard/member.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam } from '../visit/visit.ts';
import { act, field } from './act.ts';
import { showGame } from './game-page.ts';

export function takeDown(visit: DeveloperVisit): Promise<Answer> {
  const reason = field(visit, 'reason') || null;
  const body = { reason, ...versionOf(visit) };
  return act(visit, showGame, 'down', () =>
    visit.memberApi.call('takeDown', { params: gameOf(visit), body }),
  );
}

export function restoreGame(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, showGame, 'restored', () =>
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
