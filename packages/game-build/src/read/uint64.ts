// 64-bit numbers of Zip64, without losing a bit.

/** An unsigned 64-bit number, or null where it is beyond what a double holds exactly. */
export function readSafeUInt64(buffer: Buffer, at: number): number | null {
  const value = buffer.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(value);
}
