// The local service behind `svc dashboard`.

export { watchStarter } from '@svc/serve';
export type { Agent, AgentOptions, EndedAtOnce } from './agent-options.ts';
export { startAgent } from './start-agent.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
