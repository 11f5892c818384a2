// The agent's error code for each condition that `@svc/serve` detects.
import type { AgentErrorCode } from '@svc/contracts/agent';
import type { Condition } from '@svc/serve';

export const AGENT_CONDITIONS: Readonly<Record<Condition, AgentErrorCode>> = {
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
};
