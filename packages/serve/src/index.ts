// The server code that the agent and the platform share. See README.md.
export { addRoute } from './add-route.ts';
export { ApiError, type ErrorParts, type Failure, failureOf } from './api-error.ts';
export { closeOnSignal, endWithError } from './close-on-signal.ts';
export { createServer, type Server } from './create-server.ts';
export { ENDING_SIGNALS } from './ending-signals.ts';
export { addHealthRoutes, createHealth, drainAndClose, type Health } from './health.ts';
export { makeDataDir } from './make-data-dir.ts';
export type { App, Condition, ServeOptions, Watch } from './options.ts';
export { reachableHost } from './reachable-host.ts';
export { countRequests } from './request-ids.ts';
export { hasForeignTarget } from './request-target.ts';
export { readContacts, SECURITY_TEXT_PATH, securityText } from './security-text.ts';
export { readSettingsInFiles } from './settings-in-files.ts';
export { describeUnknownSettings, SERVER_SETTINGS } from './unknown-settings.ts';
export { acceptsSignals, type Environment, watchStarter } from './watch-starter.ts';
