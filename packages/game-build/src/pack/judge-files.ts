// Applies the rules about names and sizes to the files of a folder that is packed.
import { entryFinding, type Refusal } from '../findings.ts';
import { findLimitFaults } from '../judge/listing.ts';
import type { BuildLimits } from '../limits.ts';
import { collisionFinding, findCollisions } from '../names/collisions.ts';
import { findLengthFault, findPathFault } from '../names/paths.ts';

/** A file with its path in the folder. */
export type SizedFile = { readonly path: string; readonly bytes: number };

/** The limits of a ZIP without Zip64: number of files, and bytes of one file. */
const MAX_FILES = 0xfffe;
const MAX_FILE_BYTES = 0xffff_fffe;

/** The server's rules about names and sizes. */
export function judgeFiles(files: readonly SizedFile[], limits: BuildLimits): Refusal[] {
  const faults = files.map(({ path }) => findPathFault(path) ?? findLengthFault(path, limits));
  const sound = files.filter((_, i) => faults[i] === null).map(({ path }) => path);
  const sized = files.map(({ path, bytes }) => ({ name: path, bytes }));
  return [
    ...files.flatMap(({ path }, i) => {
      const found = faults[i] ?? null;
      if (found === null) return [];
      return [entryFinding(path, { code: 'zip_path_invalid', ...found })];
    }),
    ...findCollisions(sound).map(collisionFinding),
    ...findLimitFaults(sized, sized, {
      ...limits,
      files: Math.min(limits.files, MAX_FILES),
      file_bytes: Math.min(limits.file_bytes, MAX_FILE_BYTES),
    }),
  ];
}
