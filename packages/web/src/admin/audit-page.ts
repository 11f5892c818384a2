// The audit trail: a list with filters, and a download of all records that the filter finds.
import { Readable } from 'node:stream';
import type { AuditRecord, CallAnswer } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Download } from '../routes/route.ts';
import { clientFor } from '../visit/visit.ts';
import { auditTable } from './audit-table.ts';
import { filterForm, LISTED, listPager, readQuery } from './filter-list.ts';

/** The starts of actions, and the acts of administrators. */
const ACTIONS = [
  ['', 'All actions'],
  ['user.', 'Users: all'],
  ['user.suspended', 'Users: suspended'],
  ['user.role_changed', 'Users: role changed'],
  ['game.', 'Games: all'],
  ['game.taken_down', 'Games: taken down'],
  ['release.', 'Releases: all'],
  ['release.taken_down', 'Releases: taken down'],
  ['project.', 'Projects: all'],
  ['token.', 'Tokens: all'],
  ['publisher.', 'Trusted publishers: all'],
  ['preview.', 'Preview links: all'],
  ['report.', 'Reports: all'],
  ['account.deleted', 'Accounts: deleted'],
] as const;
const EXPORTED = '100';
const PATH = '/dashboard/admin/audit';

export async function auditPage(visit: DeveloperVisit): Promise<Page> {
  const { url, account } = visit;
  const { cursor, ...filter } = readFilter(url);
  const query = { ...filter, limit: LISTED, ...(cursor !== undefined && { cursor }) };
  const { records, next_cursor } = await visit.memberApi.call('audit', { query });
  const { subject, uid } = filter;
  return dashboardPage('Audit trail', 'audit', {
    account,
    body: html`<div class="head"><h1>Audit trail</h1>${records.length > 0 && html`<a class="button quiet" href="${PATH}/export?${new URLSearchParams(filter).toString()}" download>Download as JSON lines</a>`}</div>
${(subject !== undefined || uid !== undefined) && html`<p class="quiet-text">${describeFilter({ subject, uid }, records[0])} <a href="${PATH}">Show all records</a></p>`}
${filterForm(url, { search: null, choices: [{ name: 'action', label: 'Action', options: ACTIONS }], kept: { subject, uid } })}
${records.length === 0 ? html`<p class="empty">Nothing is recorded for this choice. <a href="${PATH}">Show all records</a></p>` : html`<section class="panel">${auditTable(records, 'several')}</section>`}
${listPager(url, next_cursor, 'records')}`,
  });
}

/** All records that the filter finds, newest first, one JSON line each. They are sent while they are read. */
export async function exportAudit(visit: DeveloperVisit): Promise<Download> {
  const { web, request, session } = visit;
  const { cursor: _, ...filter } = readFilter(visit.url);
  // Each call has its own time.
  const api = clientFor(web, request, session.idToken, () => AbortSignal.timeout(web.apiTimeoutMs));
  const read = (cursor: string | null): Promise<CallAnswer<'audit'>> =>
    api.call('audit', {
      query: { ...filter, limit: EXPORTED, ...(cursor !== null && { cursor }) },
    });
  // Read before the answer begins, which can still be an error then.
  const first = await read(null);
  return {
    type: 'application/jsonl; charset=utf-8',
    content: Readable.from(linesOf(first, read)),
    headers: {
      'cache-control': 'private, no-store',
      'content-disposition': 'attachment; filename="audit.jsonl"',
    },
  };
}

async function* linesOf(
  first: CallAnswer<'audit'>,
  read: (cursor: string) => Promise<CallAnswer<'audit'>>,
): AsyncGenerator<string> {
  for (let page = first; ; ) {
    yield page.records.map((record) => `${JSON.stringify(record)}\n`).join('');
    if (page.next_cursor === null) return;
    page = await read(page.next_cursor);
  }
}

function readFilter(url: URL) {
  const query = readQuery(url, ['subject', 'uid', 'action', 'cursor']);
  for (const name of ['subject', 'uid', 'action'] as const) {
    if (query[name] !== undefined) query[name] = query[name].slice(0, 64);
  }
  return query;
}

function describeFilter(
  { subject, uid }: { readonly subject: string | undefined; readonly uid: string | undefined },
  record: AuditRecord | undefined,
): string {
  if (subject !== undefined) return `Only what was done to ${record?.subject_name ?? subject}.`;
  return `Only what ${record?.actor?.name ?? uid} did.`;
}
