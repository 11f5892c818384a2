// Routes to report a game, and for administrators to read and decide reports.
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { adminOf } from '../admin/act.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { findReport, findReports } from './find-reports.ts';
import { reportGame } from './report-game.ts';
import { reopenReport, resolveReport } from './resolve-report.ts';

export function reportRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { ReportGame, ResolveReport } = requestSchemas(platform.limits);
  handleRoute(
    'reportGame',
    async ({ params, body, count }) => {
      await count.daily('reports', () => reportGame(platform, params.slug, body));
      return null;
    },
    { body: ReportGame },
  );
  handleRoute('adminReports', ({ caller, query }) => findReports(adminOf(platform, caller), query));
  handleRoute('adminReport', ({ params }) => findReport(platform, params.report));
  handleRoute(
    'resolveReport',
    async ({ caller, params, body }) => {
      await resolveReport(adminOf(platform, caller), params.report, body);
      return { report: (await findReport(platform, params.report)).report };
    },
    { body: ResolveReport },
  );
  handleRoute('reopenReport', async ({ caller, params }) => {
    await reopenReport(adminOf(platform, caller), params.report);
    return { report: (await findReport(platform, params.report)).report };
  });
}
