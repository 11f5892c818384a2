// Records a browser game, unchanged, in an installed browser.
export { findBrowser, type Machine } from './browser/find-browser.ts';
export type { Size } from './browser/launch-browser.ts';
export type { Counts } from './game/merge-records.ts';
export {
  type InputScript,
  InputScriptError,
  parseInputScript,
  SCRIPT_BYTES,
} from './input/input-script.ts';
export { RecordError, type RecordErrorCode } from './record-error.ts';
export { type Recorded, type RecordOptions, recordGame } from './record-game.ts';
export type { StartFault, StartRule } from './start/start-fault.ts';
export { type StartState, StartWatch } from './start/start-watch.ts';
export { type StartOptions, type StartTest, testStart } from './test-start.ts';
