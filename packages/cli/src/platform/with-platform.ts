// Runs the work of a command with the chosen platform and its token, until it ends or Ctrl-C aborts it.
import type { Call } from '../command-line/define-command.ts';
import { createNetwork, type Network } from '../network/network.ts';
import { interruptible } from '../process/interrupt.ts';
import { requireProjectId } from '../project/project-file.ts';
import { type ApiOptions, type FoundToken, requireAccess } from './api-address.ts';
import { connect, type Platform } from './connect.ts';
import { createIdentityCredential } from './exchange-identity.ts';

export type Session = {
  readonly api: string;
  readonly found: FoundToken;
  readonly platform: Platform;
  readonly network: Network;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
};

/** Runs the work with the platform and token of the options, the environment or the saved login. */
export async function withPlatform<T>(
  call: Call<ApiOptions>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { api, found } = requireAccess(call);
  return await interruptible(call.io, async (signal) => {
    const network = createNetwork(call.io);
    const platform = connect({
      api,
      credential: credentialOf(call, { api, found, network, signal }),
      source: found.source,
      signal,
      network,
      note: call.output.note,
    });
    return await work({ api, found, platform, network, signal });
  });
}

function credentialOf(
  { io, options, output }: Call<ApiOptions & { readonly project?: string | undefined }>,
  { api, found, network, signal }: Omit<Session, 'platform'>,
): string | (() => Promise<string>) {
  const { source, token } = found;
  if (source.kind !== 'identity') return token ?? '';
  const projectId = options.project ?? requireProjectId(io.cwd);
  const { note, warn } = output;
  const { identity } = source;
  return createIdentityCredential({
    ...{ api, projectId, identity, network, signal, env: io.env, note, warn },
  });
}

/** Runs the work with the given credential, or without one for null. */
export async function withApi<T>(
  call: Call<ApiOptions>,
  api: string,
  credential: string | null,
  work: (platform: Platform, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const network = createNetwork(call.io);
  const { note } = call.output;
  return await interruptible(call.io, async (signal) =>
    work(connect({ api, credential, source: null, signal, network, note }), signal),
  );
}
