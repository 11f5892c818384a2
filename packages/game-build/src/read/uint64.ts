// Reads the 64-bit numbers of Zip64 exactly.

/** Reads an unsigned 64-bit number. Returns null above 2^53 − 1, which a double cannot represent exactly. */
export function readSafeUInt64(buffer: Buffer, at: number): number | null {
  const value = buffer.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(value);
}
