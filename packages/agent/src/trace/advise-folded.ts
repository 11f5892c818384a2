// Turns the error for an import of folded stacks into advice.
import { ApiError } from '@svc/serve';
import { FoldedScanner, SNIFF_BYTES } from '@svc/trace';
import { failure } from '../failure.ts';

/**
 * Returns the error for an import that starts with `head`. If it contains folded stacks, the
 * message names the command that converts them.
 */
export function adviseFolded(error: unknown, head: Uint8Array): unknown {
  if (!(error instanceof ApiError) || error.code !== 'invalid_trace') return error;
  if (error.parts.line !== 1 || !holdsStacks(head.subarray(0, SNIFF_BYTES))) return error;
  return failure(
    'invalid_trace',
    'Cannot import folded stacks: convert them with "svc trace convert FILE -o FILE.vpt", then import the .vpt file',
    error.parts,
  );
}

function holdsStacks(head: Uint8Array): boolean {
  const scanner = new FoldedScanner({ stack() {} });
  try {
    scanner.push(head);
    return scanner.finish().samples > 0;
  } catch {
    return false;
  }
}
