// Every limit of the package, with units in the names.

/** Largest source map, script or module that is read. A larger one is reported and ignored. */
export const FILE_BYTES = 256 * 1024 * 1024;
/** Most segments of one source map, counted as separators of `mappings`. Each takes about 100 bytes of memory. */
export const MAP_SEGMENTS = 12_000_000;
/** Deepest nesting of sections of an index map. Tools write one level. */
export const SECTION_LEVELS = 8;
/** Last line at which a section may begin. */
export const SECTION_LINE = 4_000_000;
/** Most files and folders of a folder that are listed. */
export const FOLDER_ENTRIES = 100_000;
/** Deepest folder that is listed. */
export const FOLDER_LEVELS = 32;
/** Longest function name, in UTF-16 units. The rest is cut. */
export const NAME_LENGTH = 1000;
/** Most functions of a WebAssembly module. V8 allows a million in one module. */
export const WASM_FUNCTIONS = 1_000_000;
