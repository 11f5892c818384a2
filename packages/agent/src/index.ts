// The local service behind `svc dashboard`.

export { watchStarter } from '@svc/serve';
export type { Agent, AgentOptions } from './agent-options.ts';
export { readViewer, type Viewer } from './page/page-routes.ts';
export type { EndedAtOnce } from './session/session.ts';
export { startAgent } from './start-agent.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
