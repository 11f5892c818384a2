// All error codes of the agent, for server, client, documents and tests. The agent sends no other
// code.

/** HTTP status and meaning by code. */
export const AGENT_ERRORS = {
  bad_request: { status: 400, means: 'The request is not well-formed HTTP.' },
  invalid_input: { status: 400, means: 'The JSON body does not match the route.' },
  unexpected_body: { status: 400, means: 'Start accepts no body, or an empty object.' },
  invalid_trace: {
    status: 400,
    means: 'The text is not a trace; line and column are the position.',
  },
  invalid_utf8: { status: 400, means: 'The trace is not UTF-8; line and column are the position.' },
  subprotocol_required: {
    status: 400,
    means: 'A live connection must offer svc.v1 and the token.',
  },
  unauthenticated: { status: 401, means: 'The session token is missing or wrong.' },
  host_not_allowed: { status: 403, means: 'Host is not exactly 127.0.0.1:PORT.' },
  origin_not_allowed: { status: 403, means: 'The request comes from another site.' },
  not_found: { status: 404, means: 'There is nothing at this path.' },
  no_trace: { status: 404, means: 'No trace has been captured or imported.' },
  method_not_allowed: { status: 405, means: 'The Allow header lists the methods of this path.' },
  request_timeout: { status: 408, means: 'The request did not arrive in time.' },
  no_target: { status: 409, means: 'No process was authorized on the command line.' },
  already_capturing: { status: 409, means: 'The capture is already running.' },
  target_exited: {
    status: 409,
    means: 'The authorized process has exited; the session is ending.',
  },
  capturing: { status: 409, means: 'A trace cannot be imported during a capture.' },
  work_in_progress: { status: 409, means: 'Another import or analysis is running.' },
  provider_key_missing: { status: 409, means: 'There is no key for this provider.' },
  summary_changed: {
    status: 409,
    means: 'The trace has changed since the preview; nothing was sent.',
  },
  too_many_notes: {
    status: 409,
    means: 'The agent cannot keep more notes beside this trace; none of the request was added.',
  },
  payload_too_large: { status: 413, means: 'The JSON body is too large.' },
  trace_too_large: { status: 413, means: 'The trace is over the import limit.' },
  unsupported_media_type: { status: 415, means: 'The body must be application/json.' },
  range_not_satisfiable: {
    status: 416,
    means: 'The range begins at or after the end of the trace.',
  },
  internal: { status: 500, means: 'The agent failed; the answer has no details.' },
  provider_error: { status: 502, means: 'The model provider refused or failed.' },
  provider_response_too_large: { status: 502, means: 'The answer of the provider is too large.' },
  busy: { status: 503, means: 'The limit of concurrent requests is reached.' },
  deadline_exceeded: { status: 503, means: 'The request took too long.' },
  too_many_clients: { status: 503, means: 'The limit of live clients is reached.' },
  shutting_down: { status: 503, means: 'The session is ending.' },
  not_available: { status: 503, means: 'This build or this machine cannot do that.' },
  keyring_unavailable: { status: 503, means: 'No usable OS keyring was found.' },
  keyring_locked: { status: 503, means: 'The OS keyring is locked.' },
  provider_timeout: { status: 504, means: 'The provider did not answer in time.' },
  storage_full: {
    status: 507,
    means:
      'There is no room on the disk or under the storage cap, or the data folder cannot be written to.',
  },
} as const satisfies Readonly<Record<string, { status: number; means: string }>>;

export type AgentErrorCode = keyof typeof AGENT_ERRORS;

/** Whether a text is one of the agent's codes. */
export function isAgentErrorCode(code: string): code is AgentErrorCode {
  return Object.hasOwn(AGENT_ERRORS, code);
}
