// Chooses the identity provider of a sign-in: by an option, or by asking if the platform has several.
import { createInterface } from 'node:readline/promises';
import type { SignInProvider } from '@svc/contracts/platform';
import type { OptionSpec } from '../command-line/define-command.ts';
import { safeLine } from '../output/text.ts';
import { canAnswer, canSee } from '../process/attended.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

export const PROVIDER_OPTION = {
  flags: '--provider <NAME>',
  help: 'the identity provider to sign in at, by its name or address, if the platform has several',
} as const satisfies OptionSpec;

/**
 * Returns the provider with the wanted name or address, in upper or lower case. If none is wanted, returns the only one, or asks the
 * person. Throws an ExitError (2) if the wanted one is unknown or no person can be asked, and an ExitError (130) for Ctrl-C.
 */
export async function chooseProvider(
  providers: readonly SignInProvider[],
  wanted: string | null,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Promise<SignInProvider> {
  if (wanted !== null) return findWanted(providers, wanted);
  const [first, second] = providers;
  if (first !== undefined && second === undefined) return first;
  if (canAnswer(io) && canSee(io)) return await ask(providers, io, signal);
  throw usageError(
    `The platform has ${providers.length} identity providers: ${namesOf(providers)}.`,
    'Choose one with --provider.',
  );
}

function findWanted(providers: readonly SignInProvider[], wanted: string): SignInProvider {
  const isWanted = (text: string): boolean => text.toLowerCase() === wanted.trim().toLowerCase();
  const found = providers.find(({ name, issuer }) => isWanted(name) || isWanted(issuer));
  if (found !== undefined) return found;
  throw usageError(
    `The platform has no identity provider "${safeLine(wanted)}".`,
    `Choose one of these with --provider: ${namesOf(providers)}.`,
  );
}

function namesOf(providers: readonly SignInProvider[]): string {
  return providers.map(({ name }) => safeLine(name)).join(', ');
}

/** Asks for a number until it is that of a provider. */
async function ask(
  providers: readonly SignInProvider[],
  io: Io,
  signal: AbortSignal,
): Promise<SignInProvider> {
  const rows = providers.map(
    ({ name, issuer }, index) => `  ${index + 1}  ${safeLine(name)} (${safeLine(issuer)})\n`,
  );
  io.stderr.write(`The platform has several identity providers:\n\n${rows.join('')}\n`);
  const stop = new AbortController();
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  for (const gone of ['SIGINT', 'close'] as const) lines.on(gone, () => stop.abort());
  const asking = { signal: AbortSignal.any([stop.signal, signal]) };
  try {
    for (;;) {
      const answer = await lines.question(`Sign in with [1-${providers.length}]: `, asking);
      const chosen = providers[Number(answer.trim()) - 1];
      if (chosen !== undefined) return chosen;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (stop.signal.aborted) throw new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.');
    throw error;
  } finally {
    lines.close();
  }
}
