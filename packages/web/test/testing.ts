// The store's test code for tests of other packages: `@svc/web/testing`.
export { type BareBrowser, openBareBrowser } from './browser-without-screen.ts';
export { openSite, type Site } from './open-site.ts';
