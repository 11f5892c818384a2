// The public pages.
import { SECURITY_TEXT_PATH } from '@svc/serve';
import { failure } from '../failure.ts';
import type { Routes } from '../routes/route.ts';
import { clientForManyCalls } from '../visit/visit.ts';
import { developerPage } from './developer-page.ts';
import { newestFeed, releasesFeed, robots, security } from './feeds.ts';
import { gamePage } from './game-page.ts';
import { categoryPage, homePage, tagPage } from './home-page.ts';
import { releasesPage } from './releases-page.ts';
import { reportPage, sendReport } from './report-page.ts';
import { searchPage } from './search-page.ts';
import { createSitemap } from './sitemap.ts';

export function registerStore({ get, post }: Routes): void {
  const sitemap = createSitemap();
  get('/', homePage);
  get('/categories/:id', categoryPage);
  get('/tags/:tag', tagPage);
  get('/search', searchPage);
  get('/games/:slug', gamePage);
  get('/games/:slug/releases', releasesPage);
  get('/games/:slug/releases.xml', releasesFeed('xml'));
  get('/games/:slug/releases.atom', releasesFeed('atom'));
  get('/games/:slug/report', reportPage);
  post('/games/:slug/report', sendReport);
  get('/devs/:uid', developerPage);
  get('/feed.xml', newestFeed('xml'));
  get('/feed.atom', newestFeed('atom'));
  get('/sitemap.xml', (visit) => sitemap.index({ ...visit, api: clientForManyCalls(visit) }));
  get('/sitemap-games.xml', (visit) => sitemap.file({ ...visit, api: clientForManyCalls(visit) }));
  get('/robots.txt', robots);
  get(SECURITY_TEXT_PATH, security);
  get('/*', () => {
    throw failure('not_found', 'There is no such page');
  });
}
