/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;
/** An honest archive, each entry deflated. */
export declare function makeZip(files: Files): Buffer;
