// Every route of the agent as data. The agent registers these rows, the client calls them, the
// documents list them.
import { type Static, Type } from 'typebox';
import type { AnswerOf, RouteFields } from '../route.ts';
import { Analysis, AnalyzeRequest, KeyRemoveRequest, KeyRequest } from './analysis.ts';
import { AssetReport } from './assets.ts';
import type { AgentErrorCode } from './codes.ts';
import { NotesAnswer, NotesRequest } from './notes.ts';
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
export const COMMON_ERRORS = [
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
const JSON_ERRORS = ['payload_too_large', 'unsupported_media_type', 'invalid_input'] as const;

/**
 * One endpoint. A route that takes no body accepts one of any content type, and ignores it unless
 * its errors say otherwise.
 */
export type AgentRouteRow = RouteFields & {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  /** What the route does, without a full stop. */
  readonly summary: string;
  readonly takes: 'none' | 'json' | 'stream';
  /** The status of an answer with a part of the file, if the route accepts `Range`. */
  readonly partialStatus?: 206;
  /** The route's own errors, in addition to {@link COMMON_ERRORS}. */
  readonly errors: readonly AgentErrorCode[];
};

const defaults = {
  takes: 'none',
  body: Type.Object({}),
  status: 200,
  errors: [],
} as const;

/** The endpoints by name. */
export const AGENT_ROUTES = {
  status: {
    ...defaults,
    method: 'GET',
    path: '/api/status',
    summary: 'What the agent does: its target, the trace, and what it can record',
    answer: Status,
  },
  live: {
    ...defaults,
    method: 'GET',
    path: '/api/live',
    summary: 'The status whenever it changes, by a WebSocket',
    status: 101,
    answer: null,
    errors: ['subprotocol_required', 'too_many_clients'],
  },
  start: {
    ...defaults,
    method: 'POST',
    path: '/api/start',
    summary: 'Start the recording of the target',
    answer: Status,
    errors: [
      'payload_too_large',
      'unexpected_body',
      'no_target',
      'already_capturing',
      'target_exited',
      'storage_full',
    ],
  },
  import_trace: {
    ...defaults,
    method: 'POST',
    path: '/api/trace',
    summary: 'Import a trace. It replaces an earlier import',
    takes: 'stream',
    answer: ImportAnswer,
    errors: [
      'invalid_trace',
      'invalid_utf8',
      'capturing',
      'work_in_progress',
      'trace_too_large',
      'storage_full',
    ],
  },
  export_trace: {
    ...defaults,
    method: 'GET',
    path: '/api/trace',
    summary: 'The text of the trace, as it was imported or as it was recorded so far',
    partialStatus: 206,
    answer: null,
    errors: ['no_trace', 'range_not_satisfiable'],
  },
  add_notes: {
    ...defaults,
    method: 'POST',
    path: '/api/notes',
    summary: 'Add, change or remove notes in the trace',
    takes: 'json',
    body: NotesRequest,
    answer: NotesAnswer,
    errors: [...JSON_ERRORS, 'no_trace', 'too_many_notes', 'storage_full'],
  },
  assets: {
    ...defaults,
    method: 'GET',
    path: '/api/assets',
    summary: 'The assets of the trace, the costliest first',
    answer: AssetReport,
    errors: ['not_available'],
  },
  analyze: {
    ...defaults,
    method: 'POST',
    path: '/api/analyze',
    summary: 'Find problems in the trace on this machine, or ask a model provider',
    takes: 'json',
    body: AnalyzeRequest,
    answer: Analysis,
    errors: [
      ...JSON_ERRORS,
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
    ...defaults,
    method: 'POST',
    path: '/api/key',
    summary: "Store the key of a model provider in the system's keyring",
    takes: 'json',
    body: KeyRequest,
    status: 204,
    answer: null,
    errors: [...JSON_ERRORS, 'keyring_unavailable', 'keyring_locked', 'not_available'],
  },
  key_remove: {
    ...defaults,
    method: 'POST',
    path: '/api/key/remove',
    summary: "Remove the key of a model provider from the system's keyring",
    takes: 'json',
    body: KeyRemoveRequest,
    status: 204,
    answer: null,
    errors: [...JSON_ERRORS, 'keyring_unavailable', 'keyring_locked', 'not_available'],
  },
  off: {
    ...defaults,
    method: 'POST',
    path: '/api/off',
    summary: 'End the session. A recording is saved',
    answer: Ending,
    errors: ['payload_too_large'],
  },
} as const satisfies Readonly<Record<string, AgentRouteRow>>;

export type AgentRoutes = typeof AGENT_ROUTES;
export type AgentRouteName = keyof AgentRoutes;

/** The answer of the named route. Null if the answer is not JSON. */
export type AgentAnswer<Name extends AgentRouteName> = AnswerOf<AgentRoutes[Name]>;
