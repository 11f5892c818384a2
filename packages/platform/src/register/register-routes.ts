// Registers the routes of all features, in the order of the contract.
import { CATEGORIES, ENGINES, REPORT_REASONS, SCOPES } from '@svc/contracts/platform';
import type { App, Health } from '@svc/serve';
import { accountRoutes } from '../accounts/account-routes.ts';
import { adminRoutes } from '../admin/admin-routes.ts';
import { catalogRoutes } from '../catalog/catalog-routes.ts';
import { exportRoutes } from '../export/export-routes.ts';
import { routesOn } from '../handle-route.ts';
import { avatarRoutes } from '../media/avatar-routes.ts';
import { storeRoutes } from '../media/store-routes.ts';
import { noticeRoutes } from '../notices/notice-routes.ts';
import type { Platform } from '../platform.ts';
import { previewRoutes } from '../previews/preview-routes.ts';
import { deletionRoutes } from '../projects/deletion-routes.ts';
import { projectRoutes } from '../projects/project-routes.ts';
import { publishingRoutes } from '../publishing/publishing-routes.ts';
import { reportRoutes } from '../reports/report-routes.ts';
import { statsRoutes } from '../stats/stats-routes.ts';
import { tokenRoutes } from '../tokens/token-routes.ts';
import { publisherRoutes } from '../trust/publisher-routes.ts';
import { uploadRoutes } from '../uploads/upload-routes.ts';
import { describeApi } from './describe-api.ts';
import { healthRoutes } from './health-routes.ts';
import { securityRoute } from './security-route.ts';

export async function registerRoutes(app: App, platform: Platform, health: Health): Promise<void> {
  const handleRoute = routesOn(app, platform);
  await describeApi(app, platform);
  handleRoute('health', async () => ({ ok: true as const }));
  healthRoutes(app, platform, health);
  securityRoute(app, platform);
  handleRoute('limits', async () => ({
    limits: { ...platform.limits },
    engines: [...ENGINES],
    categories: [...CATEGORIES],
    scopes: [...SCOPES],
    report_reasons: [...REPORT_REASONS],
    media_origin: new URL(platform.addresses.publicUrl).origin,
  }));
  accountRoutes(app, platform);
  exportRoutes(app, platform);
  avatarRoutes(app, platform);
  noticeRoutes(app, platform);
  tokenRoutes(app, platform);
  projectRoutes(app, platform);
  deletionRoutes(app, platform);
  storeRoutes(app, platform);
  publishingRoutes(app, platform);
  uploadRoutes(app, platform);
  previewRoutes(app, platform);
  publisherRoutes(app, platform);
  statsRoutes(app, platform);
  catalogRoutes(app, platform);
  adminRoutes(app, platform);
  reportRoutes(app, platform);
}
