// The one table of the agent's error codes: server, client, documents and tests read it, and no other code leaves.

/** An error code of the agent: its HTTP status and what it says. */
export const AGENT_ERRORS = {
  bad_request: { status: 400, means: 'The request is not well-formed HTTP.' },
  invalid_input: { status: 400, means: 'The JSON body is not what the route takes.' },
  unexpected_body: { status: 400, means: 'Start takes no body, or an empty object.' },
  invalid_trace: { status: 400, means: 'The text is not a trace; line and column say where.' },
  invalid_utf8: { status: 400, means: 'The trace is not UTF-8; line and column say where.' },
  subprotocol_required: { status: 400, means: 'A live connection offers svc.v1 and the token.' },
  unauthenticated: { status: 401, means: 'The session token is missing or wrong.' },
  host_not_allowed: { status: 403, means: 'Host is not exactly 127.0.0.1:PORT.' },
  origin_not_allowed: { status: 403, means: 'The request comes from another site.' },
  not_found: { status: 404, means: 'There is nothing at this path.' },
  no_trace: { status: 404, means: 'No trace has been captured or imported.' },
  method_not_allowed: { status: 405, means: 'Allow names the methods of this path.' },
  request_timeout: { status: 408, means: 'The request did not arrive in time.' },
  no_target: { status: 409, means: 'No process was authorized with --pid.' },
  already_capturing: { status: 409, means: 'The capture runs already.' },
  target_exited: { status: 409, means: 'The authorized process is gone; the session is ending.' },
  capturing: { status: 409, means: 'A trace can only be imported while nothing is captured.' },
  work_in_progress: { status: 409, means: 'An import or an analysis is running; one at a time.' },
  provider_key_missing: { status: 409, means: 'No key is known for this provider.' },
  summary_changed: {
    status: 409,
    means: 'The trace has changed since the preview; nothing was sent.',
  },
  payload_too_large: { status: 413, means: 'The JSON body is over its limit.' },
  trace_too_large: { status: 413, means: 'The trace is over the import limit.' },
  unsupported_media_type: { status: 415, means: 'The body must be application/json.' },
  range_not_satisfiable: {
    status: 416,
    means: 'The range begins at or after the end of the trace.',
  },
  internal: { status: 500, means: 'The agent failed; it tells nothing more here.' },
  provider_error: { status: 502, means: 'The model provider refused or failed.' },
  provider_response_too_large: { status: 502, means: 'The provider sent more than is read.' },
  busy: { status: 503, means: 'As many requests as are allowed at once are being worked on.' },
  deadline_exceeded: { status: 503, means: 'The work was not done in time.' },
  too_many_clients: { status: 503, means: 'As many live clients as are allowed are connected.' },
  shutting_down: { status: 503, means: 'The session is ending.' },
  not_available: { status: 503, means: 'This build or this machine cannot do that.' },
  keyring_unavailable: { status: 503, means: 'There is no OS keyring that can be reached.' },
  keyring_locked: { status: 503, means: 'The OS keyring is locked.' },
  provider_timeout: { status: 504, means: 'The provider did not answer in time.' },
  storage_full: {
    status: 507,
    means: 'There is no room on the disk for the trace, or the data folder can not be written to.',
  },
} as const satisfies Readonly<Record<string, { status: number; means: string }>>;

export type AgentErrorCode = keyof typeof AGENT_ERRORS;

/** Whether a word is one of the agent's codes. */
export function isAgentErrorCode(code: string): code is AgentErrorCode {
  return Object.hasOwn(AGENT_ERRORS, code);
}
