// The contract of the local agent: what `svc dashboard` serves on loopback, and what the viewer and the command line ask of it.
export * from './agent/analysis.ts';
export * from './agent/assets.ts';
export * from './agent/client.ts';
export * from './agent/codes.ts';
export * from './agent/limits.ts';
export * from './agent/live.ts';
export * from './agent/routes.ts';
export * from './agent/status.ts';
export * from './agent/trace-summary.ts';
