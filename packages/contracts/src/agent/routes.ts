// Every route of the agent as data. A test compares the server's routes with them.
import { type Static, Type } from 'typebox';
import { Analysis, AnalyzeRequest, KeyRemoveRequest, KeyRequest } from './analysis.ts';
import { AssetReport } from './assets.ts';
import type { AgentErrorCode } from './codes.ts';
import { Ending, Status } from './status.ts';
import { TraceSummary } from './trace-summary.ts';

/** The answer of `POST /api/trace`. */
export const ImportAnswer = Type.Object({ trace: TraceSummary });
export type ImportAnswer = Static<typeof ImportAnswer>;

/** The request header with the name of an imported trace. */
export const TRACE_NAME_HEADER = 'svc-trace-name';

/**
 * The answer header that says whether an exported trace is partial: `true` during capture and if
 * the end is missing, else `false`.
 */
export const TRACE_PARTIAL_HEADER = 'svc-trace-partial';

/** The errors that any request under /api may get, in the order of the checks. */
export const COMMON_REFUSALS = [
  'bad_request',
  'host_not_allowed',
  'origin_not_allowed',
  'unauthenticated',
  'not_found',
  'method_not_allowed',
  'shutting_down',
  'busy',
  'request_timeout',
  'deadline_exceeded',
  'internal',
] as const satisfies readonly AgentErrorCode[];

/** The errors of routes with a JSON body. */
const JSON_REFUSALS = ['payload_too_large', 'unsupported_media_type', 'invalid_input'] as const;

/** A route: its success statuses and its own errors. */
type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly success: readonly number[];
  readonly refusals: readonly AgentErrorCode[];
};

export const AGENT_ROUTES = {
  status: { method: 'GET', path: '/api/status', success: [200], refusals: [] },
  live: {
    method: 'GET',
    path: '/api/live',
    success: [101],
    refusals: ['subprotocol_required', 'too_many_clients'],
  },
  start: {
    method: 'POST',
    path: '/api/start',
    success: [200],
    refusals: [
      'unexpected_body',
      'no_target',
      'already_capturing',
      'target_exited',
      'storage_full',
    ],
  },
  import_trace: {
    method: 'POST',
    path: '/api/trace',
    success: [200],
    refusals: [
      'invalid_trace',
      'invalid_utf8',
      'capturing',
      'work_in_progress',
      'trace_too_large',
      'storage_full',
    ],
  },
  export_trace: {
    method: 'GET',
    path: '/api/trace',
    success: [200, 206],
    refusals: ['no_trace', 'range_not_satisfiable'],
  },
  assets: { method: 'GET', path: '/api/assets', success: [200], refusals: ['not_available'] },
  analyze: {
    method: 'POST',
    path: '/api/analyze',
    success: [200],
    refusals: [
      ...JSON_REFUSALS,
      'no_trace',
      'work_in_progress',
      'provider_key_missing',
      'summary_changed',
      'provider_error',
      'provider_response_too_large',
      'provider_timeout',
      'not_available',
    ],
  },
  key: {
    method: 'POST',
    path: '/api/key',
    success: [204],
    refusals: [...JSON_REFUSALS, 'keyring_unavailable', 'keyring_locked', 'not_available'],
  },
  key_remove: {
    method: 'POST',
    path: '/api/key/remove',
    success: [204],
    refusals: [...JSON_REFUSALS, 'keyring_unavailable', 'keyring_locked', 'not_available'],
  },
  off: { method: 'POST', path: '/api/off', success: [200], refusals: [] },
} as const satisfies Readonly<Record<string, Route>>;

export type AgentRouteName = keyof typeof AGENT_ROUTES;

/** The JSON bodies of requests. */
export const AGENT_REQUESTS = {
  analyze: AnalyzeRequest,
  key: KeyRequest,
  key_remove: KeyRemoveRequest,
} as const;

/** The JSON answers. Other routes answer with text, nothing, or a socket. */
export const AGENT_ANSWERS = {
  status: Status,
  start: Status,
  import_trace: ImportAnswer,
  assets: AssetReport,
  analyze: Analysis,
  off: Ending,
} as const;
