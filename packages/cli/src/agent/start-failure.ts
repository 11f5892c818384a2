// The errors of the agent at its start, as errors of a command.
import type { StartError } from '@svc/agent';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';

/** `message` replaces the agent's own. */
export function startFailure(error: StartError, message: string = error.message): ExitError {
  if (error.code === 'invalid_option') return usageError(error.message);
  // The system's own words follow the last colon. One plain sentence replaces them.
  const sentence = message.replace(/: ENOENT: .*$/, ': the file does not exist.');
  const dotted = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
  return new ExitError(EXIT.unexpected, error.code, safeLine(dotted), { cause: error });
}
