// Reads a symbol file of Emscripten (`--emit-symbol-map`): lines of `index:name`.
import { NAME_LENGTH, WASM_FUNCTIONS } from '../limits.ts';
import { SymbolFault } from '../symbol-fault.ts';

/** The names by function index. Throws a {@link SymbolFault} if a line has another form. */
export function readSymbolFile(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const [, index, name] = /^(\d{1,9}):(.+)$/.exec(line) ?? [];
    if (index === undefined || name === undefined || names.size >= WASM_FUNCTIONS) {
      throw new SymbolFault('it is not a list of "index:name" lines, or it is too long');
    }
    names.set(Number(index), unescaped(name).slice(0, NAME_LENGTH));
  }
  return names;
}

/** Emscripten writes some characters as `\28`, a backslash and two hexadecimal digits. */
function unescaped(name: string): string {
  return name.replace(/\\([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
