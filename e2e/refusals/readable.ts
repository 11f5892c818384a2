// Checks that error messages are readable.
import assert from 'node:assert/strict';

/** Terms and characters of schema validators, regular expressions and JSON pointers. */
const JARGON = [
  /\bmust\b/i,
  /\bNOT\b/,
  /instancePath|schemaPath|additionalProp|anyOf|\bpattern\b/i,
  // A URN of the IETF has `params` in it.
  /\bbody\/|\bquerystring\b|\b(?<!urn:ietf:)params\b/,
  /\^|\$(?!schema\b)|\(\?|\\u0|\]\*|\]\+|\{\d+,?\d*\}/,
  // A call of the API, such as PUT /me/avatar, is not a JSON pointer.
  /(?:^|(?<!\b(?:GET|POST|PUT|PATCH|DELETE))[\s"'(])\/[\w~]/,
  /undefined|\[object|NaN/,
  /[\p{Cc}\p{Cs}]/u,
];

export type Refusal = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly path?: string; readonly message: string }[];
};

/** Asserts that an error is readable and contains the names. */
export function assertReadable(refusal: Refusal, names: readonly string[], about: string): void {
  const { status, code, message, details } = refusal;
  assert.deepEqual([status, code], [400, 'invalid_input'], `${about}: ${message}`);
  for (const text of [message, ...details.map((detail) => detail.message)]) {
    assertPlain(text, about);
  }
  for (const name of names) {
    assert.ok(
      message.toLowerCase().includes(name.toLowerCase()),
      `${about}: "${message}" does not name "${name}"`,
    );
  }
}

/** Asserts that a message is readable. */
export function assertPlain(message: string, about: string): void {
  for (const sign of JARGON) assert.doesNotMatch(message, sign, about);
  assert.match(message, /^[A-Z]/, about);
}

/** Reads the error in a response's body. */
export function refusalIn(status: number, body: unknown): Refusal {
  const error = Object(Object(body).error);
  return {
    status,
    code: String(error.code),
    message: String(error.message),
    details: Array.isArray(error.details) ? error.details : [],
  };
}
