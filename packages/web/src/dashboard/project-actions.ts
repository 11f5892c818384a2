// The actions on a game's page: on its releases, on the links that play them, on its trusted publishers, and on the game.
import { PlatformError } from '@svc/contracts/platform';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import { describeRejection, type Outcome } from './forms/outcome.ts';
import { afterChange } from './live-notice.ts';
import type { DeveloperVisit } from './member.ts';
import { afterLink } from './new-link.ts';
import { afterPublisher } from './new-publisher.ts';
import { showProject } from './project-page.ts';
import { readPublisher } from './publisher-form.ts';

/** Makes a release live. This also publishes an unpublished game. */
export async function rollbackRelease(visit: DeveloperVisit): Promise<Answer> {
  return makeLive(visit, 'rollback', 'rolled_back');
}

/** Makes a staged release live. This also publishes a draft. */
export async function promoteRelease(visit: DeveloperVisit): Promise<Answer> {
  return makeLive(visit, 'promote', 'promoted');
}

/** Makes the release live. The page then offers to make the replaced one live again. */
function makeLive(
  visit: DeveloperVisit,
  route: 'rollback' | 'promote',
  done: 'rolled_back' | 'promoted',
): Promise<Answer> {
  const params = gameOf(visit);
  return attempt(visit, async () => {
    const body = { version: field(visit, 'version') };
    const { release, replaced = null } = await visit.memberApi.call(route, { params, body });
    return afterChange(params.id, done, { version: release.version, replaced });
  });
}

/** Makes a link that plays a release. */
export async function createLink(visit: DeveloperVisit): Promise<Answer> {
  const params = gameOf(visit);
  return attempt(visit, async () => {
    const body = { version: field(visit, 'version') };
    const { preview } = await visit.memberApi.call('createPreview', { params, body });
    return afterLink(params.id, 'linked', preview);
  });
}

/** Ends a link. A link that has ended already counts as ended. */
export async function revokeLink(visit: DeveloperVisit): Promise<Answer> {
  const params = { ...gameOf(visit), preview: field(visit, 'link') };
  return change(visit, 'link_revoked', () =>
    unlessGone(visit.memberApi.call('revokePreview', { params })),
  );
}

/** Lets runs of a CI publish the game. A rejected form is shown again with its input. */
export async function addPublisher(visit: DeveloperVisit): Promise<Answer> {
  const params = gameOf(visit);
  const form = sentForm(visit);
  const body = readPublisher(form);
  let to: string;
  try {
    const { publisher } = await visit.memberApi.call('createPublisher', { params, body });
    to = afterPublisher(params.id, body, publisher);
  } catch (error) {
    return showProject(visit, describeRejection(error), { publisher: form });
  }
  return { to };
}

/** Trusts a publisher no longer. One that was removed already counts as removed. */
export async function removePublisher(visit: DeveloperVisit): Promise<Answer> {
  const params = { ...gameOf(visit), publisher: field(visit, 'publisher') };
  return change(visit, 'untrusted', () =>
    unlessGone(visit.memberApi.call('removePublisher', { params })),
  );
}

/** Lets players choose a release that is not live. */
export async function offerRelease(visit: DeveloperVisit): Promise<Answer> {
  return change(visit, 'offered', () => editRelease(visit, true), field(visit, 'version'));
}

/** No longer lets players choose a release. */
export async function withdrawRelease(visit: DeveloperVisit): Promise<Answer> {
  return change(visit, 'withdrawn', () => editRelease(visit, false), field(visit, 'version'));
}

function editRelease(visit: DeveloperVisit, playable: boolean): Promise<unknown> {
  const params = { ...gameOf(visit), version: field(visit, 'version') };
  return visit.memberApi.call('editRelease', { params, body: { playable } });
}

/** Moves the page of the game to another address. A rejected one is shown again. */
export async function changeSlug(visit: DeveloperVisit): Promise<Answer> {
  const params = gameOf(visit);
  const slug = field(visit, 'slug').trim();
  try {
    await visit.memberApi.call('changeSlug', { params, body: { slug } });
  } catch (error) {
    return showProject(visit, describeRejection(error), { slug });
  }
  return { to: `/dashboard/games/${params.id}?done=moved` };
}

/** Removes the game from the store and keeps its files. */
export async function unpublishProject(visit: DeveloperVisit): Promise<Answer> {
  return change(visit, 'unpublished', () =>
    visit.memberApi.call('unpublish', { params: gameOf(visit) }),
  );
}

/** Deletes a release that is not live. */
export async function deleteRelease(visit: DeveloperVisit): Promise<Answer> {
  const params = { ...gameOf(visit), version: field(visit, 'version') };
  return change(visit, 'release_deleted', () => visit.memberApi.call('deleteRelease', { params }));
}

/** Deletes the game if the form contains its title. */
export async function deleteProject(visit: DeveloperVisit): Promise<Answer> {
  const params = gameOf(visit);
  const { game } = await visit.memberApi.call('project', { params });
  if (field(visit, 'title').trim() !== game.title) {
    const text = `Nothing was deleted. To delete the game, type its title exactly: “${game.title}”.`;
    return showProject(visit, { status: 400, text });
  }
  await visit.memberApi.call('deleteProject', { params });
  return { to: `/dashboard?${new URLSearchParams({ done: 'deleted', game: params.id })}` };
}

const GONE: Outcome = {
  status: 404,
  text: 'This release or link no longer exists. The lists below are current.',
};

/** Whether the API rejected a call because a game, release or link does not exist. */
function isGone(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'not_found';
}

/** Waits for a call that removes something. Something that is gone already counts as removed. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function gameOf(visit: DeveloperVisit): { id: string } {
  return { id: pathParam(visit, 'id') };
}

function field(visit: DeveloperVisit, name: string): string {
  return sentForm(visit).get(name) ?? '';
}

/** Does the work and returns to the page, which says what was `done`, and with which `version` if there is one. */
function change(
  visit: DeveloperVisit,
  done: string,
  work: () => Promise<unknown>,
  version?: string,
): Promise<Answer> {
  return attempt(visit, async () => {
    await work();
    const query = new URLSearchParams({ done, ...(version !== undefined && { version }) });
    return `/dashboard/games/${pathParam(visit, 'id')}?${query}`;
  });
}

/**
 * Does the work and goes to the address that it returns. A rejection is shown on the page of the game. If the game itself
 * does not exist, the visitor gets the page for that.
 */
async function attempt(visit: DeveloperVisit, work: () => Promise<string>): Promise<Answer> {
  let to: string;
  try {
    to = await work();
  } catch (error) {
    return showProject(visit, isGone(error) ? GONE : describeRejection(error));
  }
  return { to };
}
