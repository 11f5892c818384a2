// Every limit of the trace formats, with units in the names. `docs/vpt.md` repeats them.

/** The format's major number: the value of `vpt` in the first line. */
export const VPT_VERSION = 1;
/** Longest line of a `.vpt` file, without its LF. */
export const LINE_BYTES = 1_048_576;
/** Longest name (of a frame, an asset, a span), in bytes of UTF-8. */
export const NAME_BYTES = 65_536;
/** Deepest nesting of objects and arrays in one line. */
export const JSON_DEPTH = 64;
/** Latest `t`. Up to this value a double keeps three decimals exactly (about 285 years). */
export const LATEST_T_MS = 9_007_199_254_740;
/** Most decimals of `t`. */
export const T_DECIMALS = 3;
/** Most digits of a weight in `.vpt`. */
export const WEIGHT_DIGITS = 200;
/** Largest exponent of a `scale` (a power of ten). */
export const SCALE_DIGITS = 100;
/** Longest line of a folded file. Longer lines are skipped and reported. */
export const FOLDED_LINE_BYTES = 67_108_864;
/** Most skipped lines that are listed. Further lines are only counted. */
export const SKIPPED_LISTED = 1_000;
/** Distinct stacks and frames are counted up to this number. */
export const DISTINCT_COUNTED = 10_000_000;
/** Most nodes of one call tree in memory. */
export const TREE_NODES = 67_108_864;
/** Most digits of a count in a folded file, before and after the decimal point together, with the exponent applied. */
export const COUNT_DIGITS = 100;
/** The number of bytes of a folded file that are inspected to decide whether its lines have one count or two. */
export const FOLDED_WINDOW_BYTES = 1_048_576;
/** Most bytes to which a compressed file may expand. */
export const EXPANDED_BYTES = 2_147_483_648;
/** Most assets in a report that does not list all; the costliest are listed. */
export const ASSETS_LISTED = 10_000;
/** Most UTF-16 units of a note that svc writes. Readers accept NAME_BYTES. */
export const NOTE_LENGTH = 16_384;
