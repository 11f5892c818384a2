// One user, for administrators: facts, role, quotas, sessions, tokens, suspension, and what was done to them.
import type { AdminUser, AuditRecord, PlatformLimits, Token } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import { selectField, textField } from '../dashboard/forms/fields.ts';
import { describeDone, notice, type Outcome } from '../dashboard/forms/outcome.ts';
import { type Row, table } from '../dashboard/forms/table.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { avatarImage, formatDay, formatMinute } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { pathParam } from '../visit/visit.ts';
import { auditTable } from './audit-table.ts';
import { reportsLink } from './report-table.ts';
import { ROLES, roleName } from './users-page.ts';

const DONE = {
  role: 'The role has been changed.',
  quota: 'The quotas have been changed.',
  suspended: 'Suspended. The sessions have ended, tokens are rejected, and the games are hidden.',
  restored: 'The suspension is lifted. The games are as they were before.',
  sessions: 'All sessions have ended. The user can sign in again.',
  token: 'The token has been revoked.',
  tokens: 'All tokens have been revoked.',
};
/** How many records of the audit trail are shown. */
const RECORDS = '10';

export async function userPage(visit: DeveloperVisit): Promise<Page> {
  return showUser(visit, describeDone(visit.url, DONE));
}

/** The page with the result of an act. */
export async function showUser(visit: DeveloperVisit, outcome: Outcome | null): Promise<Page> {
  const { memberApi, web, account } = visit;
  const params = { uid: pathParam(visit, 'uid') };
  const [limits, { user }, { tokens }, { records }, reports] = await Promise.all([
    web.limits(),
    memberApi.call('adminUser', { params }),
    memberApi.call('userTokens', { params }),
    memberApi.call('audit', { query: { subject: params.uid, limit: RECORDS } }),
    reportsLink(memberApi, { developer: params.uid }),
  ]);
  const isOwn = user.uid === account.uid;
  return dashboardPage(user.name, 'users', {
    account,
    status: outcome?.status ?? 200,
    body: html`<p class="crumbs"><a href="/dashboard/admin/users">Users</a></p>
<header class="user-head">${avatarImage(user, 56)}<div><h1>${user.name}</h1><p class="project-facts"><span class="mark${user.role === 'player' && ' draft'}">${roleName(user.role)}</span>${user.suspended !== null && html`<span class="mark bad">suspended</span>`}<span>since ${formatDay(user.created_at)}</span></p></div></header>
${suspensionNotice(user)}${notice(outcome)}
<div class="project-columns"><div>${factsPanel(user, reports)}
${tokenPanel(user, tokens, web.now())}
${auditPanel(user, records)}</div>
<div>${isOwn ? ownNote() : rolePanel(user, outcome)}
${quotaPanel(user, limits, outcome)}
${sessionPanel(user)}
${!isOwn && suspensionPanel(user, limits, outcome)}</div></div>`,
  });
}

function suspensionNotice({ suspended }: AdminUser): Shown {
  if (suspended === null) return null;
  return html`<div class="notice bad" role="status"><p><strong>Suspended</strong> since ${formatMinute(suspended.at)}${suspended.reason === null ? '. No reason was given.' : html`: ${suspended.reason}`}</p></div>`;
}

function factsPanel(user: AdminUser, reports: Shown): Html {
  const games = user.projects === 1 ? '1 game' : `${user.projects} games`;
  return html`<section class="panel" aria-labelledby="facts"><h2 id="facts">Account</h2><dl class="record-facts">
<dt>E-mail</dt><dd>${user.email ?? 'not verified by the identity provider'}</dd>
<dt>Id</dt><dd><code>${user.uid}</code></dd>
<dt>Signs in at</dt><dd>${user.issuer}</dd>
<dt>Subject</dt><dd><code>${user.subject}</code></dd>
<dt>Games</dt><dd><a href="/dashboard/admin/games?developer=${user.uid}">${games}</a></dd>
${reports !== null && html`<dt>Reports</dt><dd>${reports}</dd>`}
<dt>Sessions</dt><dd>${user.sessions_ended_at === null ? 'never ended' : html`ended ${formatMinute(user.sessions_ended_at)}`}</dd></dl></section>`;
}

function ownNote(): Html {
  return html`<section class="panel" aria-labelledby="own"><h2 id="own">Your own account</h2><p>You can’t change your own role or suspend yourself, so that an administrator always remains. Another administrator can.</p></section>`;
}

function rolePanel(user: AdminUser, outcome: Outcome | null): Html {
  return html`<section class="panel" aria-labelledby="roles"><h2 id="roles">Role</h2>
<form class="form" method="post" action="${actionOf(user, 'role')}">
${selectField({ name: 'role', label: 'New role', value: user.role, options: ROLES, outcome, hint: 'Players can’t publish. Developers can. Administrators can also do everything on these pages. The user can’t change the role any more.' })}
<p class="actions"><button class="button quiet">Change role</button></p></form></section>`;
}

function quotaPanel(user: AdminUser, limits: PlatformLimits, outcome: Outcome | null): Html {
  const { projects, project_bytes: bytes } = user.quota;
  return html`<section class="panel" aria-labelledby="quotas"><h2 id="quotas">Quotas</h2>
<form class="form" method="post" action="${actionOf(user, 'quota')}">
${textField({ name: 'projects', label: 'Games', value: textOf(projects), pattern: '[0-9]*', hint: `Empty for the limit of the server, ${limits.projects_per_developer}.`, outcome })}
${textField({ name: 'project_mib', label: 'MiB for each game', value: textOf(bytes === null ? null : bytes / MIB), pattern: '[0-9]*([.][0-9]+)?', hint: `Empty for the limit of the server, ${limits.project_bytes / MIB}.`, outcome })}
<p class="actions"><button class="button quiet">Set quotas</button></p></form></section>`;
}

const MIB = 1024 * 1024;

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}

function sessionPanel(user: AdminUser): Html {
  return html`<section class="panel" aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
<form method="post" action="${actionOf(user, 'end-sessions')}"><p>The user must sign in again, everywhere. Tokens stay.</p><p class="actions"><button class="button danger">End all sessions</button></p></form></section>`;
}

function suspensionPanel(user: AdminUser, limits: PlatformLimits, outcome: Outcome | null): Html {
  if (user.suspended !== null) {
    return html`<section class="panel" aria-labelledby="end"><h2 id="end">Suspension</h2>
<form method="post" action="${actionOf(user, 'restore')}"><p>The user can sign in again, the games are as before, and tokens work again that were not revoked.</p><p class="actions"><button class="button">Lift the suspension</button></p></form></section>`;
  }
  return html`<section class="panel" aria-labelledby="end"><h2 id="end">Suspend</h2>
<form class="form" method="post" action="${actionOf(user, 'suspend')}"><p>All sessions end, tokens are rejected, and the games, the public page and the picture are hidden. You can undo this.</p>
${textField({ name: 'reason', label: 'Reason', maxLength: limits.reason_characters, hint: 'The user sees it.', outcome })}
<p class="actions"><button class="button danger">Suspend ${user.name}</button></p></form></section>`;
}

function tokenPanel(user: AdminUser, tokens: readonly Token[], now: number): Html {
  const isValid = ({ revoked_at, expires_at }: Token): boolean =>
    revoked_at === null && (expires_at === null || Date.parse(expires_at) > now);
  return html`<section class="panel" aria-labelledby="tokens"><h2 id="tokens">Tokens</h2>
${
  tokens.length === 0
    ? html`<p class="none-yet">The user has no tokens.</p>`
    : table(
        'Table of tokens',
        ['Name', 'Permissions', 'Last used', 'State', { hidden: 'Actions' }],
        tokens.map((token) => tokenRow(user, token, isValid(token))),
      )
}${tokens.some(isValid) && html`<form method="post" action="${actionOf(user, 'revoke-tokens')}"><p class="actions"><button class="button danger">Revoke all tokens</button></p></form>`}</section>`;
}

function tokenRow(user: AdminUser, token: Token, isValid: boolean): Row {
  const state =
    token.revoked_at === null ? 'expired' : html`revoked ${formatDay(token.revoked_at)}`;
  return [
    html`${token.name} <span class="quiet-text">${token.hint}</span>`,
    token.scopes.join(', '),
    token.last_used_at === null ? 'never' : formatDay(token.last_used_at),
    isValid ? 'valid' : state,
    isValid &&
      html`<div class="row-actions"><form method="post" action="${actionOf(user, 'revoke-token')}"><input type="hidden" name="token" value="${token.id}"><button class="button quiet" aria-label="Revoke ${token.name}">Revoke</button></form></div>`,
  ];
}

function auditPanel({ uid }: AdminUser, records: readonly AuditRecord[]): Html {
  return html`<section class="panel" aria-labelledby="audit"><h2 id="audit">What was done to the account</h2>
${records.length === 0 ? html`<p class="none-yet">Nothing is recorded.</p>` : auditTable(records, 'one')}
<p class="fine"><a href="/dashboard/admin/audit?subject=${uid}">All records about the user</a> · <a href="/dashboard/admin/audit?uid=${uid}">What the user did</a></p></section>`;
}

function actionOf({ uid }: AdminUser, action: string): string {
  return `/dashboard/admin/users/${uid}/${action}`;
}
