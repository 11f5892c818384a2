// Reads fields of parsed JSON that may be anything. A value of another type is treated as missing.

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : NONE;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number, or NaN. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An integer from 0 to 2^53 − 1, or undefined. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

const decoder = new TextDecoder();

/** Parses bytes as JSON. Returns undefined if they are not JSON. */
export function parseBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
