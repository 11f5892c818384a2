// Chooses the platform and the token of a command: options first, then the environment, then the saved login.
import type { Call, OptionSpec, OptionValues } from '../command-line/define-command.ts';
import { isLoopback } from '../network/loopback.ts';
import { runsInCi } from '../process/attended.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import { type Credentials, credentialsPath, readCredentials } from './credentials.ts';
import { findIdentity, type IdentitySource } from './find-identity.ts';
import { findTokenFault } from './token-shape.ts';

/** The `--api` option of every command that uses a platform. */
export const API_OPTION = {
  flags: '--api <URL>',
  help: 'address of the platform (default: SVC_API, else the platform you are logged in to)',
} as const satisfies OptionSpec;

export type ApiOptions = OptionValues<[typeof API_OPTION]>;

/** A token and its source, which messages name. The token of a CI's identity is requested when it is needed. */
export type FoundToken =
  | {
      readonly token: string;
      readonly source: { readonly kind: 'environment' } | { readonly kind: 'file'; path: string };
    }
  | {
      readonly token: null;
      readonly source: { readonly kind: 'identity'; readonly identity: IdentitySource };
    };

/** The chosen platform and the token for it, or null without a token. */
type Access = { readonly api: string; readonly found: FoundToken | null };

/**
 * Normalizes an address to scheme, host, port and path, without a slash at the end. `from` names its source in messages.
 * Throws a usage error for a text that is not such an address, and for `http:` to another machine.
 */
export function normalizeApi(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw usageError(
      `${from} is not an address: "${text}".`,
      'Write an address such as https://api.example.com.',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(`${from} must not contain a user name, a query or a fragment.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usageError(
      `${from} is "${text}", but http: sends your token unencrypted. It is accepted for this machine only.`,
      'Use https:.',
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Reads SVC_API and SVC_TOKEN. An empty variable counts as unset. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): {
  api: string | null;
  token: string | null;
} {
  const api = env['SVC_API']?.trim() ?? '';
  const token = env['SVC_TOKEN']?.trim() ?? '';
  return {
    api: api === '' ? null : normalizeApi(api, 'SVC_API'),
    token: token === '' ? null : token,
  };
}

/** The platform that the options or the environment name, or null. */
export function chosenApi(call: Call<ApiOptions>): string | null {
  if (call.options.api !== undefined) return normalizeApi(call.options.api, '--api');
  return readEnvironment(call.io.env).api;
}

/** The platform and the token for it. Throws if no platform is chosen; there is no default address. */
function findAccess(call: Call<ApiOptions>): Access {
  const chosen = chosenApi(call);
  const { token } = readEnvironment(call.io.env);
  if (token !== null) return accessByEnvironment(chosen, token);
  const identity = findIdentity(call.io.env);
  // One that was set for svc. Others that a CI offers are for all programs of the job.
  if (identity !== null && identity.kind !== 'github') return accessByIdentity(chosen, identity);
  const saved = readCredentials(call.io.env, call.output.warn);
  const api = chosen ?? saved?.api ?? null;
  if (api === null) throw noApiError();
  const found = savedFor(api, saved, credentialsPath(call.io.env));
  if (found === null && identity !== null) return accessByIdentity(chosen, identity);
  return { api, found };
}

function accessByIdentity(chosen: string | null, identity: IdentitySource): Access {
  if (chosen === null) {
    throw usageError(
      'This run has an identity, but its platform is not set.',
      'Set SVC_API, or add --api. svc sends an identity only to a platform that you name.',
    );
  }
  return { api: chosen, found: { token: null, source: { kind: 'identity', identity } } };
}

function accessByEnvironment(chosen: string | null, token: string): Access {
  if (chosen === null) {
    throw usageError(
      'SVC_TOKEN is set, but its platform is not.',
      'Set SVC_API, or add --api. svc sends a token only to a platform that you name.',
    );
  }
  const fault = findTokenFault(token);
  if (fault !== null)
    throw new ExitError(EXIT.unauthenticated, 'token_malformed', `SVC_TOKEN ${fault}`);
  return { api: chosen, found: { token, source: { kind: 'environment' } } };
}

/** The saved token, if it was saved for this platform. */
function savedFor(api: string, saved: Credentials | null, path: string): FoundToken | null {
  if (saved === null || saved.api !== api) return null;
  return { token: saved.token, source: { kind: 'file', path } };
}

function noApiError(): ExitError {
  return usageError(
    'No platform is chosen.',
    'Run svc login --api https://…, or set SVC_API. There is no default address.',
  );
}

/** Like {@link findAccess}, but throws an ExitError (3) without a token. */
export function requireAccess(call: Call<ApiOptions>): { api: string; found: FoundToken } {
  const { api, found } = findAccess(call);
  if (found !== null) return { api, found };
  throw new ExitError(EXIT.unauthenticated, 'not_logged_in', `You are not logged in to ${api}.`, {
    hint: runsInCi(call.io.env)
      ? 'Set SVC_TOKEN, or let the project trust this CI (svc trust add). In GitHub Actions, the job then needs "permissions: id-token: write".'
      : `Run svc login --api ${api}, or set SVC_TOKEN.`,
  });
}
