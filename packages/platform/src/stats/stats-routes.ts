// The route for the daily counts of a game.
import type { App } from '@svc/serve';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { readDays, readStats } from './read-stats.ts';

export function statsRoutes(app: App, platform: Platform): void {
  routesOn(app, platform)('projectStats', ({ game, query }) =>
    readStats(platform, game, readDays(platform, query.days)),
  );
}
