// The local service behind `svc dashboard`.
export type { Agent, AgentOptions } from './agent-options.ts';
export { startAgent } from './start-agent.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
