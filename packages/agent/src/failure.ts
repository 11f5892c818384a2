// Creates errors with a code from the contract.
import { AGENT_ERRORS, type AgentErrorCode } from '@svc/contracts/agent';
import { type Condition, type Failure, failureOf } from '@svc/serve';

/** Creates an error that the agent answers with the code's status and the message. */
export const failure: Failure<AgentErrorCode> = failureOf(AGENT_ERRORS);

/** The code for each condition that `@svc/serve` detects. */
export const AGENT_CONDITIONS = {
  malformed: 'bad_request',
  invalid_input: 'invalid_input',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'payload_too_large',
  media_type: 'unsupported_media_type',
  too_slow: 'request_timeout',
  too_long: 'deadline_exceeded',
  busy: 'busy',
  closing: 'shutting_down',
  internal: 'internal',
} as const satisfies Readonly<Record<Condition, AgentErrorCode>>;
