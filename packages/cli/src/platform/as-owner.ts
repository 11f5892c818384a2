// Signs the owner in for commands that a token cannot do: managing tokens, trusted publishers and addresses.
import type { Call, OptionSpec } from '../command-line/define-command.ts';
import { createNetwork } from '../network/network.ts';
import { usageError } from '../process/exit-codes.ts';
import { type ApiOptions, chosenApi } from './api-address.ts';
import { PROVIDER_OPTION } from './choose-provider.ts';
import { connect, type Platform } from './connect.ts';
import { readCredentials } from './credentials.ts';
import { developerSession, signIn } from './sign-in.ts';
import { withApi } from './with-platform.ts';

export const SIGN_IN_NOTE = `You sign in with your browser, because a token cannot manage tokens, trusted publishers and addresses. Without a terminal, or if CI is set, the command ends with exit code 3.`;

export const SIGN_IN_OPTIONS = [
  PROVIDER_OPTION,
  {
    flags: '--no-open',
    help: 'print the address of the sign-in page and do not open a browser; works without a terminal',
  },
] as const satisfies readonly OptionSpec[];

/** Signs a person in, opens a developer session and runs the work with their ID token. */
export async function asOwner<T>(
  call: Call<ApiOptions & { readonly open: boolean; readonly provider?: string }>,
  work: (owner: Platform) => Promise<T>,
): Promise<T> {
  const { io, output, options } = call;
  const api = chosenApi(call) ?? readCredentials(io.env, output.warn)?.api;
  if (api === undefined) {
    throw usageError('No platform is chosen.', 'Add --api, or set SVC_API.');
  }
  return await withApi(call, api, null, async (platform, signal) => {
    const { open, provider = null } = options;
    const idToken = await signIn({ platform, io, output, open, provider, signal });
    await developerSession(platform, idToken);
    const { note } = output;
    const network = createNetwork(io);
    return await work(connect({ api, credential: idToken, source: null, signal, network, note }));
  });
}
