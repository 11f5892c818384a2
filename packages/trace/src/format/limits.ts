// Every bound of the trace formats, units in the names. `docs/vpt.md` repeats them for people.

/** The format's major number: the value of `vpt` in the first line. */
export const VPT_VERSION = 1;
/** Longest line of a `.vpt` file, its LF left out. */
export const LINE_BYTES = 1_048_576;
/** Longest name of anything (a frame, an asset, a span), in bytes of UTF-8. */
export const NAME_BYTES = 65_536;
/** How deep objects and arrays may lie within each other in one line. */
export const JSON_DEPTH = 64;
/** Latest `t`: up to here a double holds three decimals exactly (about 285 years). */
export const LATEST_T_MS = 9_007_199_254_740;
/** Most decimals of `t`. */
export const T_DECIMALS = 3;
/** Most digits of a weight in `.vpt`. */
export const WEIGHT_DIGITS = 200;
/** Largest exponent of a `scale`, which is a power of ten. */
export const SCALE_DIGITS = 100;
/** Longest line of a folded file; a longer one is skipped and reported. */
export const FOLDED_LINE_BYTES = 67_108_864;
/** How many skipped lines are told one by one; the rest are counted. */
export const SKIPPED_TOLD = 1_000;
/** Distinct stacks and frames are counted up to here. */
export const DISTINCT_COUNTED = 10_000_000;
/** Most nodes of one call tree held in memory. */
export const TREE_NODES = 67_108_864;
/** Most digits of a count in a folded file, before and after the point together, an exponent resolved. */
export const COUNT_DIGITS = 100;
/** How much of a folded file is looked at to learn whether its lines have two counts. */
export const FOLDED_WINDOW_BYTES = 1_048_576;
/** How many assets a report lists where it may not list all: the costliest. */
export const ASSETS_LISTED = 10_000;
