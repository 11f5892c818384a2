// Why a file with symbols can't be used.

/** `message` completes "Cannot use FILE: …". */
export class SymbolFault extends Error {
  override readonly name = 'SymbolFault';
}
