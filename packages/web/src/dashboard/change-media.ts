// Uploads, moves, describes and removes the images and the trailer of a page, for forms and for the island.
import type { StoreMetadata } from '@svc/contracts/platform';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm, wantsJson } from '../visit/visit.ts';
import { showEditor } from './edit-page.ts';
import { describeRejection } from './forms/outcome.ts';
import type { DeveloperVisit } from './member.ts';
import { asForm } from './page-form.ts';
import { streamThrough } from './stream-through.ts';

/** Uploads images or a trailer. The form is streamed to the API unchanged. */
export async function uploadMedia(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  return change(visit, () =>
    visit.uploadApi.call('updateStore', { params, form: streamThrough(visit) }),
  );
}

/** Removes an image or trailer, moves a screenshot, or sets its alternative text. */
export async function arrangeMedia(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const form = sentForm(visit);
  const { page } = await visit.memberApi.call('project', { params });
  const sent = new FormData();
  const shots = page.screenshots.map(({ id }) => id);
  sent.set('metadata', JSON.stringify(arrange(shots, form)));
  return change(visit, () => visit.memberApi.call('updateStore', { params, form: sent }));
}

async function change(
  visit: DeveloperVisit,
  work: () => Promise<{ page: unknown }>,
): Promise<Answer> {
  const id = pathParam(visit, 'id');
  try {
    const { page } = await work();
    if (!wantsJson(visit)) return { to: `/dashboard/games/${id}/page?done=media#media` };
    return {
      type: 'application/json; charset=utf-8',
      content: JSON.stringify({ page }),
      headers: { 'cache-control': 'no-store' },
    };
  } catch (error) {
    if (wantsJson(visit)) throw error;
    const outcome = describeRejection(error);
    const project = await visit.memberApi.call('project', { params: { id } });
    return showEditor(visit, project, asForm(project), outcome);
  }
}

/**
 * The change that a form of the panel requests. `do` is earlier, later, move (to `place`), remove or describe. `what` is
 * the id of a screenshot, or a slot. An unknown action or id changes nothing.
 */
export function arrange(shots: readonly string[], form: URLSearchParams): StoreMetadata {
  const what = form.get('what') ?? '';
  const action = form.get('do') ?? '';
  if (what === 'banner' || what === 'cover' || what === 'trailer') {
    return action === 'remove' ? { [what]: null } : {};
  }
  const at = shots.indexOf(what);
  if (at === -1) return {};
  const others = shots.filter((id) => id !== what);
  const moveTo = (place: number): StoreMetadata => ({
    screenshots: others.toSpliced(Math.max(0, place), 0, what),
  });
  switch (action) {
    case 'remove':
      return { screenshots: others };
    case 'earlier':
      return moveTo(at - 1);
    case 'later':
      return moveTo(at + 1);
    case 'move':
      return moveTo(Number(form.get('place') ?? at) || 0);
    case 'describe':
      return { alt: { [what]: (form.get('alt') ?? '').trim() || null } };
    default:
      return {};
  }
}
