// What a safe build is: the package's whole public surface.
export type { Build, BuildDescription, BuildFile, Encoding, Isolation } from './build.ts';
export { type ByteSource, bufferSource, openFileSource, ShortReadError } from './byte-source.ts';
export { checkBuild, type Verdict } from './check-build.ts';
export { comparePaths } from './compare-paths.ts';
export {
  type BuildFacts,
  decodeFacts,
  encodeFacts,
  FACTS_FORMAT,
} from './describe/build-facts.ts';
export { digestManifest } from './digest.ts';
export { type ExtractedBuild, extractBuild, extractEntries } from './extract/extract-entries.ts';
export { readEntry } from './extract/read-entry.ts';
export {
  type BuildSink,
  type EntryReader,
  type ExtractOptions,
  type FileWriter,
  type ReadBuild,
  type Reading,
  readFiles,
} from './extract/read-files.ts';
export { readSource } from './extract/read-source.ts';
export {
  BuildError,
  entryFinding,
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
export { judgeListing, type ListedEntry, type ListedFile, type Listing } from './judge/listing.ts';
export { BUILD_LIMITS, type BuildLimits } from './limits.ts';
export { hasContentHash } from './names/hashed-name.ts';
export { type Packed, type PackOptions, packFolder, packToFile } from './pack/pack-folder.ts';
export { type PackPlan, type PlanOptions, planPack } from './pack/plan-pack.ts';
export { readPlannedRange } from './pack/read-planned.ts';
export {
  type StreamedFile,
  sizeZip,
  writeZip,
  type ZippedData,
  type ZippedFile,
} from './pack/write-zip.ts';
export { type Archive, readArchive } from './read-archive.ts';
export { readFolder } from './read-folder.ts';
