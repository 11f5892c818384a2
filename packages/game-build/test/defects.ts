// Archives with exactly one defect each. A key is a file name: the expected code, two dashes, a note.
import { ENTRIES_DEFECTS } from './defects/entries.ts';
import { NAMES_DEFECTS } from './defects/names.ts';
import { SECOND_END_DEFECTS } from './defects/second-ends.ts';
import { SIZES_DEFECTS } from './defects/sizes.ts';
import { STRUCTURE_DEFECTS } from './defects/structure.ts';

export const DEFECTS: Readonly<Record<string, () => Buffer>> = {
  ...STRUCTURE_DEFECTS,
  ...SECOND_END_DEFECTS,
  ...ENTRIES_DEFECTS,
  ...NAMES_DEFECTS,
  ...SIZES_DEFECTS,
};
