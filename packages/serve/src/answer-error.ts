// Turns anything that is thrown into the error envelope. This is the only place that decides what a
// client learns.

import type { IncomingMessage } from 'node:http';
import type { ErrorBody } from '@svc/contracts/errors';
import type { FastifyError } from 'fastify';
import { ApiError, type ErrorParts, failureOf } from './api-error.ts';
import { STATUS_CODES } from './http-words.ts';
import type { Condition, ServeOptions } from './options.ts';

/** An error answer. */
export type ErrorAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
};

const SENTENCES: Readonly<Record<Condition, string>> = {
  malformed: 'The request is not well-formed HTTP',
  invalid_input: 'The body is not valid JSON in UTF-8',
  not_found: 'There is nothing at this address. Check the path',
  method_not_allowed:
    'This address does not accept this method. The Allow header lists the accepted methods',
  body_too_large: 'The body is too large',
  media_type: 'The body has the wrong type. Send it with Content-Type: application/json',
  too_slow: 'The request did not arrive in time. Send it again',
  too_long: 'The request took too long. Try again',
  busy: 'The server is at its limit of concurrent requests. Try again',
  closing: 'The server is shutting down',
  internal: 'The server failed',
};

const FRAMEWORK_CODES: Readonly<Record<string, Condition>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed',
  FST_ERR_BAD_URL: 'malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  ECONNRESET: 'malformed',
};

/** The error for a condition that `@svc/serve` has detected. */
export function conditionError(
  options: ServeOptions,
  condition: Condition,
  parts: ErrorParts = {},
  message: string = SENTENCES[condition],
): ApiError {
  return failureOf(options.errors)(options.codes[condition], message, parts);
}

/**
 * The answer for anything that was thrown. An error that is not a refusal is answered as `internal`
 * and passed to `onFailure`.
 */
export function answerError(
  options: ServeOptions,
  thrown: unknown,
  request: IncomingMessage | null = null,
): ErrorAnswer {
  const error = asApiError(options, thrown);
  const row = error === null ? undefined : options.errors[error.code];
  if (error !== null && row !== undefined) return envelope(row.status, error);
  options.onFailure(thrown, request);
  return envelope(500, conditionError(options, 'internal'));
}

/** The refusal that was thrown, or the refusal for an error of the framework. Null for a fault. */
export function asApiError(options: ServeOptions, thrown: unknown): ApiError | null {
  if (thrown instanceof ApiError) return thrown;
  if (!isFrameworkError(thrown)) return null;
  const condition = FRAMEWORK_CODES[thrown.code];
  return condition === undefined ? null : conditionError(options, condition);
}

function isFrameworkError(thrown: unknown): thrown is FastifyError {
  return thrown instanceof Error && 'code' in thrown;
}

function envelope(status: number, { code, message, parts }: ApiError): ErrorAnswer {
  const { line, column, details, headers = {} } = parts;
  const body: ErrorBody = {
    error: {
      code,
      message,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      ...(details === undefined ? {} : { details: [...details] }),
    },
  };
  return { status, headers, body };
}

/** The answer as bytes for a bare socket, which has no reply object. It ends the connection. */
export function rawAnswer({ status, headers, body }: ErrorAnswer): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`;
}
