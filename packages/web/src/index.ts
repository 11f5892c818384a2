// The store site as a library: see README.md.
export { readSettings, type Settings } from './settings.ts';
export { type RunningWeb, startWeb, type WebOptions } from './start-web.ts';
