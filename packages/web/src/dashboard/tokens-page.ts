// Personal access tokens: created, listed and revoked. A token's secret is shown once.
import { type CallAnswer, SCOPES, type Token } from '@svc/contracts/platform';
import { formatDay } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { sentForm } from '../visit/visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { selectField, textField } from './forms/fields.ts';
import { describeDone, describeRejection, notice, type Outcome } from './forms/outcome.ts';
import { type Row, table } from './forms/table.ts';
import type { DeveloperVisit } from './member.ts';

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'No expiration'],
] as const;

export async function tokensPage(visit: DeveloperVisit): Promise<Page> {
  const done = { revoked: 'The token has been revoked. It can no longer be used.' };
  return showTokens(visit, new URLSearchParams(), describeDone(visit.url, done), null);
}

/** Creates a token. Only this response contains its secret. */
export async function createToken(visit: DeveloperVisit): Promise<Answer> {
  const form = sentForm(visit);
  const project = form.get('project') ?? '';
  const days = form.get('days') ?? '365';
  try {
    const made = await visit.memberApi.call('createToken', {
      body: {
        name: form.get('name')?.trim() ?? '',
        scopes: SCOPES.filter((scope) => form.getAll('scopes').includes(scope)),
        ...(project === '' ? {} : { projects: [project] }),
        expires_in_days: days === 'never' ? null : Number(days),
      },
    });
    return showTokens(visit, new URLSearchParams(), null, made);
  } catch (error) {
    return showTokens(visit, form, describeRejection(error), null);
  }
}

export async function revokeToken(visit: DeveloperVisit): Promise<Answer> {
  const id = sentForm(visit).get('id') ?? '';
  if (id !== '') await visit.memberApi.call('revokeToken', { params: { id } });
  return { to: '/dashboard/tokens?done=revoked' };
}

async function showTokens(
  visit: DeveloperVisit,
  form: URLSearchParams,
  outcome: Outcome | null,
  made: CallAnswer<'createToken'> | null,
): Promise<Page> {
  const [limits, { tokens }, { games }] = await Promise.all([
    visit.web.limits(),
    visit.memberApi.call('tokens', {}),
    visit.memberApi.call('projects', { query: { limit: '100' } }),
  ]);
  const projects = [
    ['', 'All of your games'] as const,
    ...games.map(({ id, title }) => [id, `Only ${title}`] as const),
  ];
  const chosen = form.has('name') ? form.getAll('scopes') : ['publish'];
  return dashboardPage('Tokens', 'tokens', {
    account: visit.account,
    status: outcome?.status ?? 200,
    islands: ['copy'],
    body: html`<h1>Tokens</h1><p class="quiet-text">Tokens are for the <code>svc</code> command and for CI. A token acts on your behalf. Keep it secret, like a password.</p>
${notice(outcome)}${made !== null && secretNotice(made)}
<section class="panel" aria-labelledby="new"><h2 id="new">New token</h2>
<form class="form" method="post" action="/dashboard/tokens">
${textField({ name: 'name', label: 'Name', value: form.get('name'), required: true, maxLength: limits.name_characters, hint: 'Where it will be used: “laptop”, “CI of moonhop”.', outcome })}
<fieldset class="field"><legend>Permissions</legend>${SCOPES.map((scope) => html`<label class="check"><input type="checkbox" name="scopes" value="${scope}"${chosen.includes(scope) && html` checked`}> <span><strong>${scope}</strong>: ${scope === 'publish' ? 'create, edit and publish games; includes read' : 'view your games and releases, including drafts'}</span></label>`)}${outcome?.faults?.['scopes'] !== undefined && html`<p class="fault">${outcome.faults['scopes']}</p>`}</fieldset>
${selectField({ name: 'project', label: 'Games', value: form.get('project') ?? '', options: projects, outcome })}
${selectField({ name: 'days', label: 'Expires after', value: form.get('days') ?? '365', options: LIFETIMES, outcome })}
<p class="actions"><button class="button">Create token</button></p></form></section>
${tokenTable(tokens, visit.web.now())}`,
  });
}

function secretNotice({ secret, token }: CallAnswer<'createToken'>): Html {
  return html`<div class="notice good" role="status"><p>The token <strong>${token.name}</strong> has been created. Copy it now. It will not be shown again.</p>
<p class="secret"><code data-secret>${secret}</code> <button type="button" class="button quiet" data-copy="[data-secret]" hidden>Copy</button></p>
<p class="hint">On your machine, run <code>svc login --token -</code> and paste the token. In CI, store it as a secret named <code>SVC_TOKEN</code>.</p></div>`;
}

function tokenTable(tokens: readonly Token[], now: number): Html {
  if (tokens.length === 0)
    return html`<p class="empty">No tokens yet. Create one above to publish from a terminal.</p>`;
  return html`<section class="panel" aria-labelledby="all"><h2 id="all">Your tokens</h2>${table(
    'Table of tokens',
    ['Name', 'Permissions', 'Created', 'Last used', 'Expires', 'Status'],
    tokens.map((token) => tokenRow(token, now)),
  )}</section>`;
}

function tokenRow(token: Token, now: number): Row {
  const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= now;
  const only = token.projects === null ? '' : `, ${countGames(token.projects.length)} only`;
  return [
    html`${token.name} <span class="quiet-text">${token.hint}</span>`,
    token.scopes.join(', ') + only,
    formatDay(token.created_at),
    token.last_used_at === null ? 'never' : formatDay(token.last_used_at),
    token.expires_at === null ? 'never' : formatDay(token.expires_at),
    token.revoked_at !== null
      ? html`revoked ${formatDay(token.revoked_at)}`
      : isOver
        ? 'expired'
        : html`<form method="post" action="/dashboard/tokens/revoke"><input type="hidden" name="id" value="${token.id}"><button class="button danger" aria-label="Revoke ${token.name}">Revoke</button></form>`,
  ];
}

function countGames(count: number): string {
  return count === 1 ? '1 game' : `${count} games`;
}
