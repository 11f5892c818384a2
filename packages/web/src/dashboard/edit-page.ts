// Editing a game's page: its words and layout in one form with a live preview beside it, its pictures below.
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

/** A project as its owner gets it. */
export type Project = CallAnswer<'project'>;

const DONE = {
  saved: 'Saved. Players see it now if the game is published.',
  media: 'The pictures are changed.',
};

export async function editPage(visit: DeveloperVisit): Promise<Page> {
  const project = await visit.own.call('project', { params: { id: pathParam(visit, 'id') } });
  return showEditor(visit, project, asForm(project), describeDone(visit.url, DONE));
}

/** Saves the words and the layout. What was typed stays in the form where it is refused. */
export async function savePage(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const form = sentForm(visit);
  try {
    const title = form.get('title')?.trim() ?? '';
    const metadata = readMetadata(form);
    // Two calls save the form: what the second would refuse must stop the first.
    const outcome = checkTexts({ title, ...metadata });
    if (outcome !== null) {
      return showEditor(visit, await visit.own.call('project', { params }), form, outcome);
    }
    await visit.own.call('editProject', {
      params,
      body: { title, engine: readEngine(form.get('engine')) },
    });
    const sent = new FormData();
    sent.set('metadata', JSON.stringify(metadata));
    await visit.own.call('updateStore', { params, form: sent });
    return { to: `/dashboard/games/${params.id}/page?done=saved` };
  } catch (error) {
    const outcome = describeRejection(error);
    return showEditor(visit, await visit.own.call('project', { params }), form, outcome);
  }
}

/** The editor, with what stands in its form. */
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
    status: outcome?.status ?? 200,
    islands: ['editor'],
    framesOwn: true,
    body: html`<p class="crumbs"><a href="/dashboard">Your games</a> / <a href="${base}">${game.title}</a></p>
<div class="head"><h1>Edit its page</h1>${game.status === 'published' && html`<a class="button quiet" href="/games/${game.slug}">Open its page</a>`}</div>${notice(outcome)}
<div class="editor"><div class="editor-forms">
${pageForm(base, form, limits, outcome)}
${mediaPanel(base, page, limits)}
</div><section class="editor-preview" aria-label="Preview" data-preview="${base}/preview" hidden></section></div>`,
  });
}
