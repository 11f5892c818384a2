// Checks of record fields. Each check returns, or throws a FieldError with the path of the wrong value and the reason.

import { utf8Length } from '../bytes/utf8.ts';
import type { TraceErrorCode } from '../format/errors.ts';
import { LATEST_T_MS, NAME_BYTES, SCALE_DIGITS, WEIGHT_DIGITS } from '../format/limits.ts';
import { roundMs } from './format-record.ts';
import type { Path } from './json-fault.ts';

/** A wrong value in a line whose position is not known yet. `path` leads from the checked value to the wrong one. */
export class FieldError extends Error {
  readonly code: TraceErrorCode;
  readonly path: Path;

  constructor(path: Path, message: string, code: TraceErrorCode = 'invalid_record') {
    super(message);
    this.path = path;
    this.code = code;
  }

  /** The same error, with `step` put before its path. */
  within(step: string | number): FieldError {
    return new FieldError([step, ...this.path], this.message, this.code);
  }
}

export type Check = (value: unknown) => void;

/** Checks a part of a value. The path is built only when an error passes through, so valid values don't pay for it. */
export function checkPart(check: Check, part: unknown, step: string | number): void {
  try {
    check(part);
  } catch (error) {
    throw error instanceof FieldError ? error.within(step) : error;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const time: Check = (value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= LATEST_T_MS)) {
    throw new FieldError([], `must be a number of milliseconds from 0 to ${LATEST_T_MS}`);
  }
  if (roundMs(value) !== value) throw new FieldError([], 'must have at most 3 decimals');
};

export const number: Check = (value) => {
  if (!Number.isFinite(value)) throw new FieldError([], 'must be a finite number');
};

/** A duration in milliseconds or a percentage. It is bounded so that the sums of a whole file stay finite. */
export const amount: Check = (value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= LATEST_T_MS)) {
    throw new FieldError([], `must be a number from 0 to ${LATEST_T_MS}`);
  }
};

export const count: Check = (value) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new FieldError([], 'must be an integer from 0 to 2^53 − 1');
  }
};

/** True or false. */
export const flag: Check = (value) => {
  if (typeof value !== 'boolean') throw new FieldError([], 'must be true or false');
};

/** A well-formed string of at most NAME_BYTES. */
export const name: Check = (value) => {
  if (typeof value !== 'string') throw new FieldError([], 'must be a string');
  if (value.length > NAME_BYTES / 3 && utf8Length(value) > NAME_BYTES) {
    throw new FieldError([], `is longer than ${NAME_BYTES} bytes`, 'name_too_long');
  }
  if (!value.isWellFormed()) throw new FieldError([], 'contains half of a surrogate pair');
};

/** A reason. Writers use lower-case words, readers accept any text that is not empty. */
export const word: Check = (value) => {
  name(value);
  if (value === '') throw new FieldError([], 'must not be empty');
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is an ISO 8601 time with a time zone. */
export function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text));
}

/** Formats a time in milliseconds since 1970 in UTC. Null for one whose year does not have four digits, which no record may have. */
export function formatInstant(ms: number): string | null {
  const date = new Date(ms);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return isInstant(text) ? text : null;
}

/** ISO 8601 with a time zone (writers use Z), or null if unknown. */
export const instant: Check = (value) => {
  if (value === null) return;
  if (typeof value !== 'string' || !isInstant(value)) {
    throw new FieldError(
      [],
      'must be an ISO 8601 time with a time zone (2026-01-02T03:04:05Z), or null',
    );
  }
};

const INTEGER = new RegExp(`^-?(?:0|[1-9]\\d{0,${WEIGHT_DIGITS - 1}})$`);

/** A safe integer, or the decimal digits of any integer as a string. */
export const weight: Check = (value) => {
  if (Number.isSafeInteger(value)) return;
  if (typeof value === 'string' && INTEGER.test(value)) return;
  throw new FieldError(
    [],
    `must be an integer, or a string of at most ${WEIGHT_DIGITS} digits beyond 2^53 − 1`,
  );
};

const POWER_OF_TEN = /^10*$/;

export const scale: Check = (value) => {
  const safe = typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string';
  const digits = String(value);
  if (!safe || digits.length > SCALE_DIGITS + 1 || !POWER_OF_TEN.test(digits)) {
    throw new FieldError([], `must be a power of ten up to 10^${SCALE_DIGITS}`);
  }
};

export function oneOf(allowed: readonly string[]): Check {
  const known = new Set<unknown>(allowed);
  return (value) => {
    if (!known.has(value)) throw new FieldError([], `must be one of: ${allowed.join(', ')}`);
  };
}

export function nullable(check: Check): Check {
  return (value) => {
    if (value !== null) check(value);
  };
}

export function column(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) throw new FieldError([], 'must be an array');
    let index = 0;
    try {
      for (; index < value.length; index++) check(value[index]);
    } catch (error) {
      throw error instanceof FieldError ? error.within(index) : error;
    }
  };
}

/** An object with these fields. A key that ends in `?` is optional. Other keys are ignored. */
export function object(fields: Readonly<Record<string, Check>>): Check {
  const rows = Object.entries(fields).map(([key, check]) => ({
    key: key.replace(/\?$/, ''),
    optional: key.endsWith('?'),
    check,
  }));
  return (value) => {
    if (!isFields(value)) throw new FieldError([], 'must be an object');
    for (const { key, optional, check } of rows) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (field !== undefined) checkPart(check, field, key);
      else if (!optional) throw new FieldError([], `has no "${key}"`);
    }
  };
}

/** Rejects columns whose length differs from the first one. Absent columns are ignored. */
export function sameLength(fields: Fields, keys: readonly string[], path: Path = []): void {
  let length = -1;
  for (const key of keys) {
    const value = fields[key];
    if (!Array.isArray(value)) continue;
    if (length >= 0 && value.length !== length) {
      const message = `has ${value.length} entries but "${keys[0]}" has ${length}`;
      throw new FieldError([...path, key], message, 'column_length');
    }
    length = value.length;
  }
}
