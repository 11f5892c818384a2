// The log of a server: lines with a level, a message and fields. No line may contain a secret.

/** From the least to the most important. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Values beside the message, such as `{ route: '/projects/:id', status: 200 }`. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Writes lines for the operator. `debug`: what happens often and matters seldom. `info`: what happened. `warn`: needs
 * attention. `error`: a bug of the server.
 */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

/** Discards all lines. */
export const NO_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns the fields that describe what was thrown: its stack, or its text. */
export function errorFields(thrown: unknown): { readonly error: string } {
  return { error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
}
