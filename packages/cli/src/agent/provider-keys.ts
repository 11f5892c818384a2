// Gives a command access to the keys of model providers through the agent's code, without starting an agent.
import type { openProviderKeys } from '@svc/agent/providers';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { packagedWorker } from './agent-files.ts';

export type Keys = ReturnType<typeof openProviderKeys>;

/** Runs `use` with the keys from the environment and the keyring. Throws an ExitError: 2 for an unknown provider, else 1. */
export async function withKeys<Result>(
  io: Io,
  providerUrl: string | undefined,
  use: (keys: Keys) => Promise<Result>,
): Promise<Result> {
  const { openProviderKeys } = await import('@svc/agent/providers');
  const keys = openProviderKeys({
    env: io.env,
    providerUrl: providerUrl ?? null,
    ...packagedWorker(),
  });
  try {
    return await use(keys);
  } catch (error) {
    throw toExitError(error);
  } finally {
    keys.release();
  }
}

/** Errors with a code of the agent's API become errors of the command. Other errors are bugs and stay as they are. */
function toExitError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ApiError' || !('code' in error)) return error;
  const message = `${error.message.replace(/\.$/, '')}.`;
  return error.code === 'invalid_input'
    ? usageError(message)
    : new ExitError(EXIT.unexpected, String(error.code), message, { cause: error });
}
