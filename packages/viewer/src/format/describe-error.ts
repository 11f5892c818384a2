// Errors as sentences for people.
import { AgentError } from '@svc/contracts/agent';

/** Returns the message of an error, with line and column if the agent reported them. */
export function describeError(error: unknown): string {
  if (!(error instanceof AgentError)) return String(error);
  const place = error.line === null ? '' : ` (line ${error.line}, column ${error.column ?? 1})`;
  return `${error.message}${place}`;
}
