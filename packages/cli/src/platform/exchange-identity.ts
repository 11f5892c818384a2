// Exchanges the identity of a CI run for a token of the platform (RFC 8693), and again before the token expires.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '@svc/contracts/caught';
import { ID_TOKEN_TYPE, TOKEN_EXCHANGE } from '@svc/contracts/platform';
import { isLoopback } from '../network/loopback.ts';
import type { Network } from '../network/network.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { connect } from './connect.ts';
import type { IdentitySource } from './find-identity.ts';
import { type Exchanged as KeptToken, keep, readKept } from './kept-tokens.ts';

/** The part of its lifetime after which a token is replaced. */
const USED_PART = 0.8;
/** How long a command waits for the token of another one, which may have been answered and not yet written it. */
const KEEP_MS = 3000;
const POLL_MS = 100;
const ID_TOKEN_BYTES = 64 * 1024;

/** A token, when it expires, and when it is replaced if that is possible. In milliseconds since 1970. */
type Exchanged = KeptToken & { readonly renewAt?: number };

export type IdentityOptions = {
  readonly api: string;
  /** The project that the token is for. */
  readonly projectId: string;
  readonly identity: IdentitySource;
  readonly network: Network;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
};

/**
 * Returns the function that returns a valid token. GitHub issues another identity for each exchange, so the token is replaced
 * before it expires. An identity that is the same for the whole job can be exchanged once: its token is used until it expires, also
 * by the next commands of the job.
 */
export function createIdentityCredential(options: IdentityOptions): () => Promise<string> {
  let current: Promise<Exchanged> | null = null;
  const isFixed = options.identity.kind !== 'github';
  const isFresh = ({ endsAt, renewAt = endsAt }: Exchanged): boolean =>
    Date.now() < (isFixed ? endsAt : renewAt);
  const renew = (): Promise<Exchanged> => {
    const started = obtain(options);
    current = started;
    started.catch(() => {
      if (current === started) current = null;
    });
    return started;
  };
  return async () => {
    const known = current ?? renew();
    const exchanged = await known;
    if (isFresh(exchanged)) return exchanged.token;
    // Requests that have waited for the same token share one exchange.
    return (await (current === known ? renew() : (current ?? renew()))).token;
  };
}

async function obtain(options: IdentityOptions): Promise<Exchanged> {
  const { identity, api, projectId, env, warn } = options;
  if (identity.kind === 'github')
    return await exchange(options, await requestFromGithub(options, identity));
  const idToken = identity.kind === 'variable' ? identity.idToken : readIdToken(identity.path);
  const key = createHash('sha256')
    .update(JSON.stringify([api, projectId, idToken]))
    .digest('hex');
  const kept = readKept(env, key, warn);
  if (kept !== null) return kept;
  try {
    const exchanged = await exchange(options, idToken);
    keep(env, key, exchanged, warn);
    return exchanged;
  } catch (error) {
    const isUsed = error instanceof ExitError && error.code === 'id_token_used';
    const other = isUsed ? await waitForKept(options, key) : null;
    if (other === null) throw error;
    return other;
  }
}

/** Waits for the token of another command of the job, which has exchanged the same identity a moment ago. */
async function waitForKept(
  { env, warn, signal }: IdentityOptions,
  key: string,
): Promise<Exchanged | null> {
  for (let waited = 0; waited < KEEP_MS; waited += POLL_MS) {
    const kept = readKept(env, key, warn);
    if (kept !== null) return kept;
    await setTimeout(POLL_MS, undefined, { signal });
  }
  return null;
}

async function exchange(
  { api, projectId, identity, network, signal, note }: IdentityOptions,
  idToken: string,
): Promise<Exchanged> {
  const source = { kind: 'identity', identity } as const;
  const platform = connect({ api, credential: null, source, signal, network, note });
  const asked = Date.now();
  const { access_token, expires_in } = await platform.call('exchangeToken', {
    body: {
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: ID_TOKEN_TYPE,
      audience: projectId,
    },
  });
  const lifetime = expires_in * 1000;
  return {
    token: access_token,
    endsAt: asked + lifetime,
    renewAt: asked + lifetime * USED_PART,
  };
}

function readIdToken(path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text === '' || text.length > ID_TOKEN_BYTES) throw new Error('it is not an ID token');
    return text;
  } catch (error) {
    throw noIdentity(`Cannot read "${path}": ${messageOf(error)}.`, {
      hint: 'SVC_ID_TOKEN_FILE must name a file with an ID token.',
      cause: error,
    });
  }
}

/** Requests an identity with the platform as its audience, so that no other server accepts it. */
async function requestFromGithub(
  { api, network, signal }: IdentityOptions,
  { url, secret }: Extract<IdentitySource, { kind: 'github' }>,
): Promise<string> {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== 'https:' && !isLoopback(address.hostname))) {
    throw noIdentity('ACTIONS_ID_TOKEN_REQUEST_URL is not an https address.', {
      hint: 'GitHub Actions sets it. Do not change it.',
    });
  }
  address.searchParams.set('audience', api);
  const headers = { authorization: `Bearer ${secret}`, accept: 'application/json' };
  const answer = await network.send(address.href, {
    method: 'GET',
    headers,
    redirect: 'manual',
    signal,
  });
  const body: unknown = answer.ok ? await answer.json().catch(() => null) : null;
  if (
    typeof body === 'object' &&
    body !== null &&
    'value' in body &&
    typeof body.value === 'string'
  ) {
    return body.value;
  }
  throw noIdentity(`GitHub Actions issued no identity: status ${answer.status}.`, {
    hint:
      answer.status >= 500
        ? 'GitHub has a problem. Run the job again.'
        : 'Add "permissions: id-token: write" to the job, or set SVC_TOKEN.',
  });
}

function noIdentity(message: string, more: { hint: string; cause?: unknown }): ExitError {
  return new ExitError(EXIT.unauthenticated, 'no_identity', message, more);
}
