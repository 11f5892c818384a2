// The page on which players report a game to the administrators. It needs no account.
import { REPORT_REASONS } from '@svc/contracts/platform';
import { formText, radioField, textArea } from '../dashboard/forms/fields.ts';
import { describeRejection, notice, type Outcome } from '../dashboard/forms/outcome.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm, type Visit } from '../visit/visit.ts';
import { movedGame } from './moved-game.ts';

const REASONS = REPORT_REASONS.map(({ id, name }) => [id, name] as const);
const NO_REASON = 'Choose a reason.';
const NO_TEXT = 'Describe what is wrong with the game.';

export async function reportPage(visit: Visit): Promise<Answer> {
  if (!visit.url.searchParams.has('done')) return showForm(visit, new URLSearchParams(), null);
  const { game } = await visit.api.call('game', { params: { slug: pathParam(visit, 'slug') } });
  return (
    movedGame(visit, game) ?? {
      title: 'Report sent',
      body: html`<section class="notice-page"><h1>Report sent</h1><p role="status">Thank you. The administrators will look at your report.</p>
<p class="actions"><a class="button" href="/games/${game.slug}">Back to the game</a></p></section>`,
    }
  );
}

/** Sends the report. If it is incomplete or the API rejects it, the form is shown again with the input. */
export async function sendReport(visit: Visit): Promise<Answer> {
  const form = sentForm(visit);
  const slug = pathParam(visit, 'slug');
  const text = formText(form, 'text').trim();
  const reason = REPORT_REASONS.find(({ id }) => id === form.get('reason'))?.id;
  if (reason === undefined) return showForm(visit, form, faultOf('reason', NO_REASON));
  if (reason === 'other' && text === '') return showForm(visit, form, faultOf('text', NO_TEXT));
  try {
    const body = { reason, text: text === '' ? null : text };
    await visit.api.call('reportGame', { params: { slug }, body });
  } catch (error) {
    return showForm(visit, form, describeRejection(error));
  }
  return { to: `${visit.url.pathname}?done=1` };
}

function faultOf(name: string, text: string): Outcome {
  return { status: 400, text: `The report was not sent. ${text}`, faults: { [name]: text } };
}

async function showForm(
  visit: Visit,
  form: URLSearchParams,
  outcome: Outcome | null,
): Promise<Answer> {
  const params = { slug: pathParam(visit, 'slug') };
  const [limits, { game }] = await Promise.all([
    visit.web.limits(),
    visit.api.call('game', { params }),
  ]);
  // A rejected form is shown where it was sent, so that the input is not lost.
  const moved = outcome === null ? movedGame(visit, game) : null;
  const path = `/games/${game.slug}/report`;
  const page: Page = {
    title: `Report ${game.title}`,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="/games/${game.slug}">${game.title}</a></p><h1>Report ${game.title}</h1>${notice(outcome)}
<form class="form report-form" method="post" action="${path}">
${radioField({ name: 'reason', label: 'What is wrong?', value: form.get('reason'), options: REASONS, outcome })}
${textArea({ name: 'text', label: 'What happened?', value: form.get('text'), required: 'for-some', rows: 6, maxLength: limits.report_characters, hint: 'Required for “Something else”. For other reasons it helps the administrators to find the problem.', outcome })}
<p class="quiet-text">The administrators of this store read your report. The developer learns the reason you choose, but not your text. Your report does not say who you are. If you want an answer, write how to reach you.</p>
<p class="actions"><button class="button">Send report</button> <a class="button quiet" href="/games/${game.slug}">Cancel</a></p></form>`,
  };
  return moved ?? page;
}
