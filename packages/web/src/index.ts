// The store site as a library. README.md describes it.
export { readSettings, type Settings } from './settings.ts';
export { type RunningWeb, startWeb, type WebOptions } from './start-web.ts';
