// How players get the files of a build: the package's public surface, but for the preview.
export { createGameAnswers, type GameAnswers } from './game/answer-game.ts';
export { type Coding, compressBytes, compressFile, isCompressed } from './game/compress.ts';
export { decodeFilePath } from './game/file-path.ts';
export { EMBED_ALLOW, gameHeaders } from './game/game-headers.ts';
export {
  type Delivery,
  type GameFile,
  makeRepresentations,
  type PlayedAt,
  type Representations,
} from './game/representations.ts';
export { type OpenFile, readChunks } from './http/read-chunks.ts';
export { createRefusals, type Exchange, isReadMethod, type Refusals } from './http/refusals.ts';
export {
  createSender,
  type FileSource,
  MEMORY_ENTRY_BYTES,
  type Sendable,
} from './http/send-representation.ts';
