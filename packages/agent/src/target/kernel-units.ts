// The units of the running kernel: bytes in a page, clock ticks in a second. They are read from the
// auxiliary vector.
import { readFileSync } from 'node:fs';

export type KernelUnits = {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
  /**
   * The start of the machine, in milliseconds since 1970. Start times of processes count from here.
   */
  readonly bootMs: number;
};

// linux/auxvec.h
const AT_PAGESZ = 6n;
const AT_CLKTCK = 17n;

/** Reads the units of the running kernel. Linux only. */
export function readKernelUnits(): KernelUnits {
  return parseKernelUnits(readFileSync('/proc/self/auxv'), readFileSync('/proc/stat', 'latin1'));
}

/**
 * Parses an auxiliary vector of 64-bit entries, and the text of `/proc/stat`. A missing unit has the
 * value that it has on x86-64.
 */
export function parseKernelUnits(vector: Buffer, stat: string): KernelUnits {
  const boot = /^btime (\d+)$/m.exec(stat)?.[1];
  return {
    pageBytes: Number(entryOf(vector, AT_PAGESZ) ?? 4096n),
    ticksPerSecond: Number(entryOf(vector, AT_CLKTCK) ?? 100n),
    bootMs: Number(boot ?? 0) * 1000,
  };
}

function entryOf(vector: Buffer, key: bigint): bigint | null {
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (vector.readBigUInt64LE(at) === key) return vector.readBigUInt64LE(at + 8);
  }
  return null;
}
