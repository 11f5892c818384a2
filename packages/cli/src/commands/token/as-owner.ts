// Tokens are managed by their owner in person: the identity provider is asked each time, a token is not enough.
import type { Call, OptionSpec } from '../../command-line/define-command.ts';
import { createNetwork } from '../../network/network.ts';
import { type ApiOptions, chosenApi } from '../../platform/api-address.ts';
import { connect, type Platform } from '../../platform/connect.ts';
import { readCredentials } from '../../platform/credentials.ts';
import { developerSession, signIn } from '../../platform/sign-in.ts';
import { withApi } from '../../platform/with-platform.ts';
import { usageError } from '../../process/exit-codes.ts';

export const SIGN_IN_NOTE = `You sign in with your browser for this: a token can't make, list or revoke tokens.
Without a terminal, and where CI is set, it ends with 3 at once.`;

export const SIGN_IN_OPTION: OptionSpec = {
  flags: '--no-open',
  help: 'print the address to sign in at, and open no browser; needs no terminal',
};

/** Signs in, opens the session, and runs the work with the person's own ID token. */
export async function asOwner<T>(
  call: Call<ApiOptions & { readonly open: boolean }>,
  work: (owner: Platform) => Promise<T>,
): Promise<T> {
  const { io, output, options } = call;
  const api = chosenApi(call) ?? readCredentials(io.env, output.warn)?.api;
  if (api === undefined) {
    throw usageError('No platform is chosen.', 'Name it with --api, or set SVC_API.');
  }
  return await withApi(call, api, null, async (platform, signal) => {
    const idToken = await signIn({ platform, io, output, open: options.open, signal });
    await developerSession(platform, idToken);
    const { note } = output;
    const network = createNetwork(io);
    return await work(connect({ api, credential: idToken, source: null, signal, network, note }));
  });
}
