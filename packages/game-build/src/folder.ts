// The rules for the files of a folder, for a browser: `@svc/game-build/folder`. No file that it imports uses a module of Node.
export { BuildError, MAX_FINDINGS, type Refusal, refuse, showName } from './findings.ts';
export type { BuildLimits } from './limits.ts';
export { type ChosenFiles, chooseFiles } from './pack/choose-files.ts';
export {
  ENTRIES_PER_KEPT_FILE,
  IGNORE_FILE,
  PROJECT_FILE,
  SECRET_TEXT_BYTES,
  secretTextFinding,
  tooManyEntries,
} from './pack/folder-rules.ts';
