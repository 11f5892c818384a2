// The store's test code for tests of other packages: `@svc/web/testing`.
export { openSite, type Site } from './open-site.ts';
