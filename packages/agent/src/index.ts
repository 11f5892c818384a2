// The local service behind `svc dashboard`, and the recording of a process without it.

export { watchStarter } from '@svc/serve';
export type { Agent, AgentOptions } from './agent-options.ts';
export { readViewer, type Viewer } from './page/page-routes.ts';
export {
  type ProcessRecording,
  type RecordProcessOptions,
  recordProcess,
} from './record-process.ts';
export type { EndedAtOnce } from './session/session.ts';
export { startAgent } from './start-agent.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
export {
  type LaunchedProgram,
  launchProgram,
  type ProgramExit,
  type ProgramOptions,
} from './target/launch-program.ts';
export { busyChildOf } from './target/processes/busy-child.ts';
export { findBusyChild, listProcesses } from './target/processes/list-processes.ts';
export type { ListedProcess } from './target/processes/listed-process.ts';
export { matchName, matchWholeName } from './target/processes/match-name.ts';
export { descendantsOf } from './target/processes/process-tree.ts';
