// The pages that anybody can read.
import { ApiError, type App } from '@svc/serve';
import { get } from '../routes/route.ts';
import type { Web } from '../visit/web.ts';
import { developerPage } from './developer-page.ts';
import { newestFeed, releasesFeed, robots } from './feeds.ts';
import { gamePage } from './game-page.ts';
import { categoryPage, homePage, tagPage } from './home-page.ts';
import { releasesPage } from './releases-page.ts';
import { searchPage } from './search-page.ts';
import { createSitemap } from './sitemap.ts';

export function registerStore(app: App, web: Web): void {
  const sitemap = createSitemap();
  get(app, web, '/', homePage);
  get(app, web, '/categories/:id', categoryPage);
  get(app, web, '/tags/:tag', tagPage);
  get(app, web, '/search', searchPage);
  get(app, web, '/games/:slug', gamePage);
  get(app, web, '/games/:slug/releases', releasesPage);
  get(app, web, '/games/:slug/releases.xml', releasesFeed);
  get(app, web, '/devs/:uid', developerPage);
  get(app, web, '/feed.xml', newestFeed);
  get(app, web, '/sitemap.xml', sitemap.index);
  get(app, web, '/sitemap-games.xml', sitemap.file);
  get(app, web, '/robots.txt', robots);
  get(app, web, '/*', () => {
    throw new ApiError('not_found', 'Nothing is here');
  });
}
