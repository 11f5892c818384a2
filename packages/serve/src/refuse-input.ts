// Explains the refusal of an invalid body, query or URL, and of a body that is not JSON.
import {
  BODY,
  explainInput,
  findJsonFault,
  formatNumber,
  HEADERS,
  type InputKind,
  PATH,
  QUERY,
} from '@svc/contracts/faults';
import type { FastifyError, FastifyRequest } from 'fastify';
import { conditionError } from './answer-error.ts';
import type { ApiError, ErrorParts } from './api-error.ts';
import type { ServeOptions } from './options.ts';

const PARTS: Readonly<
  Record<string, { kind: InputKind; schema: 'body' | 'querystring' | 'params' | 'headers' }>
> = {
  body: { kind: BODY, schema: 'body' },
  querystring: { kind: QUERY, schema: 'querystring' },
  params: { kind: PATH, schema: 'params' },
  headers: { kind: HEADERS, schema: 'headers' },
};

/** The refusal for an error of Fastify's validation. Null for any other error. */
export function refuseInput(
  options: ServeOptions,
  request: FastifyRequest,
  thrown: unknown,
): ApiError | null {
  if (!(thrown instanceof Error)) return null;
  if ('code' in thrown && thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const most = formatNumber(request.routeOptions.bodyLimit);
    const message = `The body is too large. Allowed: at most ${most} bytes`;
    return conditionError(options, 'body_too_large', {}, message);
  }
  if (!('validation' in thrown) || !Array.isArray(thrown.validation)) return null;
  return explainRefusal(options, request, thrown as FastifyError);
}

function explainRefusal(
  options: ServeOptions,
  request: FastifyRequest,
  error: FastifyError,
): ApiError {
  const { kind, schema: name } = PARTS[error.validationContext ?? 'body'] ?? {
    kind: BODY,
    schema: 'body',
  };
  const schema = Object(request.routeOptions.schema?.[name]);
  const value = sentValue(request, name);
  if (name === 'body' && value === undefined) return noBody(options, schema);
  const [first, ...others] = explainInput(
    schema,
    value,
    kind,
    error.validation?.[0]?.instancePath ?? '',
  );
  const details = options.details === true ? { details: [first, ...others] } : {};
  return conditionError(options, 'invalid_input', details, first.message);
}

function sentValue(request: FastifyRequest, name: string): unknown {
  switch (name) {
    case 'querystring':
      return request.query;
    case 'params':
      return request.params;
    case 'headers':
      return request.headers;
    default:
      return request.body;
  }
}

function noBody(options: ServeOptions, schema: { readonly required?: unknown }): ApiError {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const fields = required.length === 0 ? '' : ` with ${required.join(' and ')}`;
  const message = `The body is empty. Allowed: a JSON object${fields}, sent as application/json`;
  return conditionError(options, 'invalid_input', {}, message);
}

/** The refusal of a body that is not JSON, with line and column. `bytes` is the whole body. */
export function refuseJson(options: ServeOptions, bytes: Uint8Array): ApiError {
  const refusal = (message: string, parts: ErrorParts = {}): ApiError =>
    conditionError(options, 'invalid_input', parts, message);
  const text = decode(bytes);
  if (text === null) return refusal('The body is not valid UTF-8. Allowed: JSON in UTF-8');
  const fault = findJsonFault(text, 'The body');
  if (fault !== null) return refusal(fault.message, { line: fault.line, column: fault.column });
  return refusal('The body contains a reserved field: __proto__ or constructor');
}

/** The text of a body. Null if it is not UTF-8. A byte order mark is kept, which JSON forbids. */
export function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
