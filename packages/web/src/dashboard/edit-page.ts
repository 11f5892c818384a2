// The editor of a game's page: text and layout in one form, media below it, and a live preview.
import type { CallAnswer } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { readEngine } from './forms/engine.ts';
import {
  checkTexts,
  describeDone,
  describeRejection,
  notice,
  type Outcome,
} from './forms/outcome.ts';
import { mediaPanel } from './media-panel.ts';
import type { DeveloperVisit } from './member.ts';
import { asForm, pageForm, readMetadata } from './page-form.ts';

/** A project, as the API returns it to its owner. */
type Project = CallAnswer<'project'>;

const DONE = {
  saved: 'Saved. If the game is published, players see the change now.',
  media: 'The media have been updated.',
};

export async function editPage(visit: DeveloperVisit): Promise<Page> {
  const project = await visit.memberApi.call('project', { params: { id: pathParam(visit, 'id') } });
  return showEditor(visit, project, asForm(project), describeDone(visit.url, DONE));
}

/** Saves the text and the layout. If the API rejects the form, it is shown again with the input. */
export async function savePage(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const form = sentForm(visit);
  try {
    const title = form.get('title')?.trim() ?? '';
    const metadata = readMetadata(form);
    // Two calls save the form. This check prevents that the first succeeds and the second fails.
    const outcome = checkTexts({ title, ...metadata });
    if (outcome !== null) {
      return showEditor(visit, await visit.memberApi.call('project', { params }), form, outcome);
    }
    await visit.memberApi.call('editProject', {
      params,
      body: { title, engine: readEngine(form.get('engine')) },
    });
    const sent = new FormData();
    sent.set('metadata', JSON.stringify(metadata));
    await visit.memberApi.call('updateStore', { params, form: sent });
    return { to: `/dashboard/games/${params.id}/page?done=saved` };
  } catch (error) {
    const outcome = describeRejection(error);
    return showEditor(visit, await visit.memberApi.call('project', { params }), form, outcome);
  }
}

/** The editor. `form` contains the values of its fields. */
export async function showEditor(
  visit: DeveloperVisit,
  project: Project,
  form: URLSearchParams,
  outcome: Outcome | null,
): Promise<Page> {
  const { game, page } = project;
  const base = `/dashboard/games/${game.id}`;
  const limits = await visit.web.limits();
  return dashboardPage(`Edit ${game.title}`, 'games', {
    account: visit.account,
    status: outcome?.status ?? 200,
    islands: ['editor'],
    framesOwn: true,
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a> / <a href="${base}">${game.title}</a></p>
<div class="head"><h1>Edit page</h1>${game.status === 'published' && html`<a class="button quiet" href="/games/${game.slug}">View page</a>`}</div>${notice(outcome)}
<div class="editor"><div class="editor-forms">
${pageForm(base, form, limits, outcome)}
${mediaPanel(base, page, limits)}
</div><section class="editor-preview" aria-label="Preview" data-preview="${base}/preview" hidden></section></div>`,
  });
}
