// The files that may have symbols: a folder, or a build.

/** Files by their paths, with `/` between folders and none at the start. Paths never lead out of the set. */
export type SymbolFiles = {
  /** All paths. */
  list(): Promise<readonly string[]>;
  /** The bytes of a listed file. Throws a `SymbolFault` if the file has more than `most` bytes, and errors of the source. */
  read(path: string, most: number): Promise<Uint8Array>;
};

/** Whether a file may have symbols: scripts, source maps, WebAssembly modules and the symbol files of Emscripten. */
export function mayHaveSymbols(path: string): boolean {
  return /\.(?:[cm]?js|map|wasm|symbols)$/i.test(path);
}
