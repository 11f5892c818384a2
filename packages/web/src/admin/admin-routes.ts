// The pages and acts of administrators.
import { asAdmin } from '../dashboard/member.ts';
import type { Routes } from '../routes/route.ts';
import { auditPage, exportAudit } from './audit-page.ts';
import { restoreGame, takeDown } from './game-actions.ts';
import { gamePage } from './game-page.ts';
import { gamesPage } from './games-page.ts';
import { reopenReport, resolveReport } from './report-actions.ts';
import { reportPage } from './report-page.ts';
import { reportsPage } from './reports-page.ts';
import {
  endSessions,
  giveRole,
  restoreUser,
  revokeToken,
  revokeTokens,
  setQuota,
  suspendUser,
} from './user-actions.ts';
import { userPage } from './user-page.ts';
import { usersPage } from './users-page.ts';

/** An export of many records takes longer than a page. */
const EXPORT_MS = 10 * 60_000;

export function registerAdmin({ get, post }: Routes): void {
  const user = '/dashboard/admin/users/:uid';
  const game = '/dashboard/admin/games/:id';
  const report = '/dashboard/admin/reports/:report';
  get('/dashboard/admin', () => ({ to: '/dashboard/admin/users' }));
  get('/dashboard/admin/users', asAdmin(usersPage));
  get(user, asAdmin(userPage));
  post(`${user}/role`, asAdmin(giveRole));
  post(`${user}/quota`, asAdmin(setQuota));
  post(`${user}/suspend`, asAdmin(suspendUser));
  post(`${user}/restore`, asAdmin(restoreUser));
  post(`${user}/end-sessions`, asAdmin(endSessions));
  post(`${user}/revoke-token`, asAdmin(revokeToken));
  post(`${user}/revoke-tokens`, asAdmin(revokeTokens));
  get('/dashboard/admin/games', asAdmin(gamesPage));
  get(game, asAdmin(gamePage));
  post(`${game}/take-down`, asAdmin(takeDown));
  post(`${game}/restore`, asAdmin(restoreGame));
  get('/dashboard/admin/reports', asAdmin(reportsPage));
  get(report, asAdmin(reportPage));
  post(`${report}/resolve`, asAdmin(resolveReport));
  post(`${report}/reopen`, asAdmin(reopenReport));
  get('/dashboard/admin/audit', asAdmin(auditPage));
  get('/dashboard/admin/audit/export', asAdmin(exportAudit), { requestMs: EXPORT_MS });
}
