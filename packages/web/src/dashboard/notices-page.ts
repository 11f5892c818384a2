// What the signed-in user should know: reports, take-downs, releases, tokens and sign-ins, newest first.
import { describeNotice, type Notice } from '@svc/contracts/platform';
import { pager } from '../games/game-grid.ts';
import { formatMinute } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { describeDone, notice as outcomeNotice } from './forms/outcome.ts';
import type { MemberVisit } from './member.ts';

const PATH = '/dashboard/notices';
const LISTED = '50';
const DONE = { read: 'The notices are marked as read.' };

export async function noticesPage({ url, memberApi }: MemberVisit): Promise<Page> {
  const cursor = url.searchParams.get('cursor') || null;
  const query = { limit: LISTED, ...(cursor === null ? {} : { cursor }) };
  const [{ user }, { notices, next_cursor }] = await Promise.all([
    memberApi.call('me', {}),
    memberApi.call('notices', { query }),
  ]);
  const [newest] = notices;
  const canMark = cursor === null && newest !== undefined && (user.unread_notices ?? 0) > 0;
  return dashboardPage('Notices', 'notices', {
    account: user,
    body: html`${outcomeNotice(describeDone(url, DONE))}<div class="head"><h1>Notices</h1>${canMark && html`<form method="post" action="${PATH}/read"><input type="hidden" name="last" value="${newest.id}"><button class="button quiet">Mark all as read</button></form>`}</div>
${
  notices.length === 0
    ? html`<p class="empty">There are no notices. Reports of your games, decisions of the operator, releases, new tokens and sign-ins on new devices are listed here.</p>`
    : html`<ul class="notices panel">${notices.map(noticeEntry)}</ul>`
}${pager(PATH, cursor, next_cursor, 'notices')}`,
  });
}

/** Marks the notices that the page has shown, and all before them, as read. */
export async function readNotices(visit: MemberVisit): Promise<Answer> {
  const last = sentForm(visit).get('last') ?? '';
  await visit.memberApi.call('readNotices', { body: { last } });
  return { to: `${PATH}?done=read` };
}

function noticeEntry(notice: Notice): Html {
  const text = describeNotice(notice);
  const target = targetOf(notice);
  return html`<li><p>${!notice.read && html`<span class="mark">new</span> `}${target === null ? text : html`<a href="${target}">${text}</a>`}</p>${formatMinute(notice.at)}</li>`;
}

/** The page about the subject of a notice; null if there is none. */
function targetOf({ kind, game }: Notice): string | null {
  if (kind === 'token_created') return '/dashboard/tokens';
  if (game === null) return null;
  return kind === 'report_received'
    ? `/dashboard/admin/reports?game=${game.id}&state=all`
    : `/dashboard/games/${game.id}`;
}
