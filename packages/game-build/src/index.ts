// What a safe build is: the package's whole public surface.
export type { Build, BuildFile, Encoding, Isolation } from './build.ts';
export { type ByteSource, bufferSource, openFileSource, ShortReadError } from './byte-source.ts';
export { checkBuild, type Verdict } from './check-build.ts';
export { comparePaths, digestManifest } from './digest.ts';
export {
  type BuildSink,
  type ExtractOptions,
  extractEntries,
  type FileWriter,
} from './extract/extract-entries.ts';
export { readEntry } from './extract/read-entry.ts';
export {
  BuildError,
  type Finding,
  MAX_FINDINGS,
  type PackCode,
  REFUSAL_STATUS,
  type Refusal,
  type RefusalCode,
  type Warning,
  type WarningCode,
} from './findings.ts';
export type { Entry } from './judge/judge-archive.ts';
export { BUILD_LIMITS, type BuildLimits } from './limits.ts';
export { hasContentHash } from './names/hashed-name.ts';
export { type Packed, type PackOptions, packFolder, packToFile } from './pack/pack-folder.ts';
export { type PackPlan, type PlanOptions, planPack } from './pack/plan-pack.ts';
export { type Archive, readArchive } from './read-archive.ts';
