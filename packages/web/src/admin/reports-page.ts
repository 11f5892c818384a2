// The queue of reports of games, for administrators.
import { REPORT_REASONS, type Report } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { html, type Shown } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { filterForm, LISTED, listPager, oneOf, readQuery } from './filter-list.ts';
import { developerLink, gameLink, REPORTS_PATH, reportTable } from './report-table.ts';

const STATES = [
  ['open', 'Open'],
  ['resolved', 'Resolved'],
  ['all', 'Open and resolved'],
] as const;
const REASONS = REPORT_REASONS.map(({ id, name }) => [id, name] as const);

/** What the list is limited to. */
type Subject = { readonly game: string | undefined; readonly developer: string | undefined };

export async function reportsPage({ url, memberApi, account }: DeveloperVisit): Promise<Page> {
  const { cursor, ...chosen } = readQuery(url, [
    ...(['state', 'reason', 'game', 'developer', 'cursor'] as const),
  ]);
  const state = oneOf(chosen.state, ['resolved', 'all']) ?? 'open';
  const reason = REPORT_REASONS.find(({ id }) => id === chosen.reason)?.id;
  const subject = { game: chosen.game?.slice(0, 64), developer: chosen.developer?.slice(0, 64) };
  const { game, developer } = subject;
  const { reports, next_cursor } = await memberApi.call('adminReports', {
    query: {
      limit: LISTED,
      ...(state !== 'all' && { state }),
      ...(reason !== undefined && { reason }),
      ...(game !== undefined && { game }),
      ...(developer !== undefined && { developer }),
      ...(cursor !== undefined && { cursor }),
    },
  });
  const isPart = reason !== undefined || game !== undefined || developer !== undefined;
  return dashboardPage('Reports', 'reports', {
    account,
    body: html`<h1>Reports</h1>
${describeSubject(subject, reports[0])}
${filterForm(url, {
  search: null,
  kept: subject,
  choices: [
    { name: 'state', label: 'State', options: STATES },
    { name: 'reason', label: 'Reason', options: [['', 'All reasons'], ...REASONS] },
  ],
})}
${
  reports.length === 0
    ? html`<p class="empty">${emptyText(state, isPart)} <a href="${REPORTS_PATH}?state=all">Show all reports</a></p>`
    : html`<section class="panel admin-list">${reportTable(reports, 'several')}</section>`
}${listPager(url, next_cursor, 'reports')}`,
  });
}

function describeSubject({ game, developer }: Subject, report: Report | undefined): Shown {
  if (game === undefined && developer === undefined) return null;
  const what =
    game !== undefined
      ? html`Only reports of ${report === undefined ? 'one game' : gameLink(report)}.`
      : html`Only reports of the games of ${report === undefined ? 'one developer' : developerLink(report)}.`;
  return html`<p class="quiet-text">${what} <a href="${REPORTS_PATH}">Show the reports of all games</a></p>`;
}

function emptyText(state: 'open' | 'resolved' | 'all', isPart: boolean): string {
  if (isPart) return 'No report was found for this choice.';
  if (state === 'open') return 'No report is open. Players can report a game on its page.';
  return state === 'resolved' ? 'No report has been resolved.' : 'There are no reports.';
}
