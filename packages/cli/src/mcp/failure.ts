// The answer to a call that failed.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ExitError } from '../process/exit-codes.ts';
import { cleanText } from './clean-answer.ts';

/** Writes an error to standard error, for the user. */
export type Report = (error: unknown) => void;

/**
 * Any error that is not a refusal is a bug in svc. The answer does not have its message, which may contain a path of the machine:
 * that is only reported.
 */
export function failure(error: unknown, report: Report): CallToolResult {
  if (error instanceof ExitError) return { content: [textOf(error.message)], isError: true };
  report(error);
  const text =
    'svc failed unexpectedly. The reason is on the standard error of svc mcp, which most assistants keep in a log.';
  return { content: [textOf(text)], isError: true };
}

function textOf(text: string): { type: 'text'; text: string } {
  return { type: 'text', text: cleanText(text) };
}
