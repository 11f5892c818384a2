// The list of all users, for administrators.
import type { AdminUser } from '@svc/contracts/platform';
import { dashboardPage } from '../dashboard/dashboard-page.ts';
import { type Row, table } from '../dashboard/forms/table.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import { formatDay } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { filterForm, LISTED, listPager, oneOf, readQuery } from './filter-list.ts';

export const ROLES = [
  ['player', 'Player'],
  ['developer', 'Developer'],
  ['admin', 'Administrator'],
] as const;
const ROLE_NAMES = ['player', 'developer', 'admin'] as const;

export async function usersPage({ url, memberApi, account }: DeveloperVisit): Promise<Page> {
  const { q, cursor, ...chosen } = readQuery(url, ['q', 'role', 'suspended', 'cursor']);
  const role = oneOf(chosen.role, ROLE_NAMES);
  const suspended = oneOf(chosen.suspended, ['true', 'false']);
  const { users, next_cursor } = await memberApi.call('adminUsers', {
    query: {
      limit: LISTED,
      ...(q !== undefined && { q: [...q].slice(0, 200).join('') }),
      ...(role !== undefined && { role }),
      ...(suspended !== undefined && { suspended }),
      ...(cursor !== undefined && { cursor }),
    },
  });
  return dashboardPage('Users', 'users', {
    account,
    body: html`<h1>Users</h1>
${filterForm(url, {
  search: 'Name, e-mail address or id',
  choices: [
    { name: 'role', label: 'Role', options: [['', 'All roles'], ...ROLES] },
    {
      name: 'suspended',
      label: 'State',
      options: [
        ['', 'All states'],
        ['true', 'Suspended'],
        ['false', 'Not suspended'],
      ],
    },
  ],
})}
${
  users.length === 0
    ? html`<p class="empty">No user was found. Use another part of the name, or <a href="/dashboard/admin/users">show all users</a>.</p>`
    : html`<section class="panel admin-list">${table(
        'Table of users',
        ['Name', 'E-mail', 'Role', 'Games', 'Since', 'State'],
        users.map(userRow),
      )}</section>`
}${listPager(url, next_cursor, 'users')}`,
  });
}

function userRow(user: AdminUser): Row {
  return [
    html`<a href="/dashboard/admin/users/${user.uid}">${user.name}</a>`,
    user.email ?? '—',
    roleName(user.role),
    user.projects,
    formatDay(user.created_at),
    user.suspended !== null && html`<span class="mark bad">suspended</span>`,
  ];
}

/** The name of a role for people; the role itself if it is unknown. */
export function roleName(role: string): string {
  return ROLES.find(([id]) => id === role)?.[1] ?? role;
}
