// The contract of the local agent: the API that `svc dashboard` serves on loopback for the viewer
// and the command line.
export * from './agent/analysis.ts';
export * from './agent/assets.ts';
export * from './agent/client.ts';
export * from './agent/codes.ts';
export { describeAgentApi } from './agent/describe-api.ts';
export * from './agent/limits.ts';
export * from './agent/live.ts';
export * from './agent/notes.ts';
export * from './agent/routes.ts';
export * from './agent/status.ts';
export * from './agent/trace-summary.ts';
export * from './agent/transfer-trace.ts';
