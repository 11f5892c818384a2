// One report of a game, for administrators: what the player wrote, the decision, and other reports of the game.
import {
  type CallAnswer,
  type PlatformLimits,
  type Report,
  reasonName,
} from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import { checkField, radioField, textField } from '../dashboard/forms/fields.ts';
import { describeDone, notice, type Outcome } from '../dashboard/forms/outcome.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { formatMinute } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { pathParam, sentForm } from '../visit/visit.ts';
import {
  decidedBy,
  developerLink,
  gameLink,
  OUTCOMES,
  outcomeName,
  REPORTS_PATH,
  reportMark,
  reportTable,
} from './report-table.ts';

const DONE = {
  resolved: 'The report has been resolved.',
  reopened: 'The report is open again.',
};

export async function reportPage(visit: DeveloperVisit): Promise<Page> {
  return showReport(visit, describeDone(visit.url, DONE));
}

/** The page with the result of an act. */
export async function showReport(visit: DeveloperVisit, outcome: Outcome | null): Promise<Page> {
  const { memberApi, web, account } = visit;
  const params = { report: pathParam(visit, 'report') };
  const [limits, answer] = await Promise.all([
    web.limits(),
    memberApi.call('adminReport', { params }),
  ]);
  const { report } = answer;
  return dashboardPage(`Report of ${report.game.title}`, 'reports', {
    account,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="${REPORTS_PATH}">Reports</a></p>
<header class="user-head"><div><h1>Report of ${report.game.title}</h1><p class="project-facts">${reportMark(report)}<span>${formatMinute(report.created_at)}</span></p></div>
${report.game.url !== null && html`<div class="actions"><a class="button quiet" href="/games/${report.game.slug}">View page</a><a class="button quiet" href="/dashboard/admin/games/${report.game.id}">Releases and take-down</a></div>`}</header>
${notice(outcome)}
<div class="project-columns"><div>${textPanel(report)}
${othersPanel(answer)}</div>
<div>${report.resolved === null ? resolvePanel(answer, limits, sentForm(visit), outcome) : decisionPanel(report)}
${factsPanel(report)}</div></div>`,
  });
}

function textPanel({ reason, text }: Report): Html {
  return html`<section class="panel" aria-labelledby="report"><h2 id="report">${reasonName(reason)}</h2>
${text === null ? html`<p class="none-yet">The player wrote no text.</p>` : html`<p class="written">${text}</p>`}</section>`;
}

function factsPanel(report: Report): Html {
  return html`<section class="panel" aria-labelledby="facts"><h2 id="facts">Game</h2><dl class="record-facts">
<dt>Title</dt><dd>${gameLink(report)}</dd>
<dt>Version</dt><dd>${report.version ?? 'no live release'}</dd>
<dt>Developer</dt><dd>${developerLink(report)}</dd>
<dt>Report</dt><dd><code>${report.id}</code></dd></dl>
${report.game.url !== null && html`<p class="fine">To take the game or a release down, open <a href="/dashboard/admin/games/${report.game.id}">the game’s page for administrators</a>.</p>`}</section>`;
}

function resolvePanel(
  { report, open }: CallAnswer<'adminReport'>,
  limits: PlatformLimits,
  form: URLSearchParams,
  outcome: Outcome | null,
): Html {
  const others = open - 1;
  return html`<section class="panel" aria-labelledby="decision"><h2 id="decision">Decision</h2>
<form class="form" method="post" action="${REPORTS_PATH}/${report.id}/resolve">
${radioField({ name: 'outcome', label: 'What is the result?', value: form.get('outcome'), options: OUTCOMES, outcome })}
${textField({ name: 'note', label: 'Note', value: form.get('note'), maxLength: limits.reason_characters, hint: 'Only administrators see it.', outcome })}
${others > 0 && checkField({ name: 'whole_game', label: others === 1 ? 'Also the other open report of this game' : `Also the other ${others} open reports of this game`, checked: form.has('whole_game') })}
<p class="actions"><button class="button">Resolve</button></p></form></section>`;
}

function decisionPanel(report: Report): Shown {
  const { resolved } = report;
  if (resolved === null) return null;
  return html`<section class="panel" aria-labelledby="decision"><h2 id="decision">Decision</h2><dl class="record-facts">
<dt>Result</dt><dd>${outcomeName(resolved.outcome)}</dd>
<dt>By</dt><dd>${decidedBy(report)}</dd>
<dt>Time</dt><dd>${formatMinute(resolved.at)}</dd>
<dt>Note</dt><dd>${resolved.note ?? '—'}</dd></dl>
<form method="post" action="${REPORTS_PATH}/${report.id}/reopen"><p class="actions"><button class="button quiet">Reopen</button></p></form></section>`;
}

function othersPanel({ report, others }: CallAnswer<'adminReport'>): Html {
  return html`<section class="panel admin-list" aria-labelledby="others"><h2 id="others">Other reports of the game</h2>
${others.length === 0 ? html`<p class="none-yet">There are no other reports of this game.</p>` : html`${reportTable(others, 'one')}<p class="fine"><a href="${REPORTS_PATH}?game=${report.game.id}&amp;state=all">All reports of the game</a></p>`}</section>`;
}
