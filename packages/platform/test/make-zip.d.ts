/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;
/** A valid archive with deflated entries. */
export declare function makeZip(files: Files): Buffer;
