// The original names and positions of functions, from source maps and WebAssembly symbols.
export { folderFiles } from './files/read-folder.ts';
export type { SymbolWarning } from './find/file-cache.ts';
export {
  openSymbols,
  type ScriptReport,
  type SymbolReport,
  type Symbols,
} from './open-symbols.ts';
export { SymbolFault } from './symbol-fault.ts';
export { mayHaveSymbols, type SymbolFiles } from './symbol-files.ts';
