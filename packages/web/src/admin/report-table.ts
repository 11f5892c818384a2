// Reports of games as a table, and the links from a game or a developer to theirs.
import {
  type PlatformClient,
  type Report,
  type ReportOutcome,
  reasonName,
} from '@svc/contracts/platform';
import { type Row, table } from '../dashboard/forms/table.ts';
import { ifKnown } from '../dashboard/if-known.ts';
import { formatMinute } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';

export const REPORTS_PATH = '/dashboard/admin/reports';
export const OUTCOMES = [
  ['acted', 'Something was done'],
  ['dismissed', 'Nothing needs to be done'],
] as const;
/** How much of a text a table shows. */
const EXCERPT_CHARACTERS = 140;
/** How many reports are counted. */
const COUNTED = 100;

/** The table. Game and developer are shown only if the reports are about `several` games. */
export function reportTable(reports: readonly Report[], games: 'one' | 'several'): Html {
  const hasGame = games === 'several';
  const columns = ['Report', ...(hasGame ? ['Game', 'Developer'] : []), 'Version', 'Time', 'State'];
  const rows = reports.map((report) => reportRow(report, hasGame));
  return html`<div class="reports">${table('Table of reports', columns, rows)}</div>`;
}

function reportRow(report: Report, hasGame: boolean): Row {
  const { id, reason, text, version, created_at, resolved } = report;
  const decision =
    resolved !== null &&
    html` <span class="quiet-text">${outcomeName(resolved.outcome)}. Decided by ${decidedBy(report)}, ${formatMinute(resolved.at)}${resolved.note !== null && `: ${resolved.note}`}</span>`;
  return [
    html`<a href="${REPORTS_PATH}/${id}">${reasonName(reason)}</a>${text !== null && html` <span class="quiet-text">${excerptOf(text)}</span>`}`,
    ...(hasGame ? [gameLink(report), developerLink(report)] : []),
    version ?? '—',
    formatMinute(created_at),
    html`${reportMark(report)}${!hasGame && decision}`,
  ];
}

/** The state of a report as a mark. */
export function reportMark({ resolved }: Report): Html {
  return resolved === null
    ? html`<span class="mark draft">open</span>`
    : html`<span class="mark">resolved</span>`;
}

/** The reported game, linked to its page for administrators if it was not removed. */
export function gameLink({ game }: Report): Html {
  if (game.url === null) return html`${game.title} <span class="quiet-text">removed</span>`;
  return html`<a href="/dashboard/admin/games/${game.id}">${game.title}</a>`;
}

export function developerLink({ developer: { uid, name } }: Report): Html {
  return html`<a href="/dashboard/admin/users/${uid}">${name || uid}</a>`;
}

/** The name of a decision for people. */
export function outcomeName(outcome: ReportOutcome): string {
  return OUTCOMES.find(([id]) => id === outcome)?.[1] ?? outcome;
}

/** Who has decided a report; null if it is open. */
export function decidedBy({ resolved }: Report): Shown {
  if (resolved === null) return null;
  const { uid, name } = resolved.by;
  if (uid === null) return html`${name} on the server`;
  return html`<a href="/dashboard/admin/users/${uid}">${name ?? uid}</a>`;
}

/** A link to the reports of a game, or of the games of a developer, with their number. Null if the API has no reports. */
export async function reportsLink(
  api: PlatformClient,
  about: { readonly game: string } | { readonly developer: string },
): Promise<Shown> {
  const query = { ...about, limit: String(COUNTED) };
  const found = await ifKnown(api.call('adminReports', { query }));
  if (found === null) return null;
  const { reports, next_cursor } = found;
  if (reports.length === 0) return 'no reports';
  const most = next_cursor === null ? '' : ' or more';
  const open = reports.filter(({ resolved }) => resolved === null).length;
  const address = `${REPORTS_PATH}?${new URLSearchParams({ ...about, state: 'all' })}`;
  return html`<a href="${address}">${countReports(reports.length, most)}</a>${open > 0 && html` <span class="mark draft">${open} open</span>`}`;
}

function countReports(count: number, most: string): string {
  return count === 1 ? '1 report' : `${count}${most} reports`;
}

function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const characters = [...line];
  if (characters.length <= EXCERPT_CHARACTERS) return line;
  return `${characters.slice(0, EXCERPT_CHARACTERS).join('').trimEnd()}…`;
}
