// Which platform a command talks to, and with which credential: options, then environment, then the saved login.
import type { Call, OptionSpec } from '../command-line/define-command.ts';
import { isLoopback } from '../network/loopback.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import { type Credentials, credentialsPath, readCredentials } from './credentials.ts';
import { findTokenFault } from './token-shape.ts';

/** The `--api` option that every publishing command has. */
export const API_OPTION: OptionSpec = {
  flags: '--api <URL>',
  help: 'address of the platform (else SVC_API, else where you are logged in)',
};

export type ApiOptions = { readonly api?: string };

/** A credential and where it came from, so that messages can name it. */
export type FoundToken = {
  readonly token: string;
  readonly source: { readonly kind: 'environment' } | { readonly kind: 'file'; path: string };
};

/** The platform that was chosen, with the token for it; null where there is none. */
export type Access = { readonly api: string; readonly found: FoundToken | null };

/**
 * The address in one spelling: scheme, host, port and path without a slash at its end.
 * Throws a usage failure for what is no such address, and for `http:` to another machine.
 */
export function normalizeApi(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw usageError(
      `${from} is not an address: "${text}".`,
      'It looks like https://api.example.com.',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(`${from} must hold no user name, query or fragment.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usageError(
      `${from} is "${text}": http: would send your token in clear, so it is taken for this machine only.`,
      'Use https:.',
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** What is set in the environment; an empty variable counts as unset. */
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

/** The platform that options and environment name; null where neither does. */
export function chosenApi(call: Call<ApiOptions>): string | null {
  if (call.options.api !== undefined) return normalizeApi(call.options.api, '--api');
  return readEnvironment(call.io.env).api;
}

/** The platform and the token for it. Throws where no platform is chosen; there is no default address. */
export function findAccess(call: Call<ApiOptions>): Access {
  const chosen = chosenApi(call);
  const { token } = readEnvironment(call.io.env);
  if (token !== null) return accessByEnvironment(chosen, token);
  const saved = readCredentials(call.io.env, call.output.warn);
  const api = chosen ?? saved?.api ?? null;
  if (api === null) throw noApiError();
  return { api, found: savedFor(api, saved, credentialsPath(call.io.env)) };
}

function accessByEnvironment(chosen: string | null, token: string): Access {
  if (chosen === null) {
    throw usageError(
      'SVC_TOKEN is set, but not which platform it is for.',
      'Set SVC_API, or give --api: a token is never sent to a platform that you did not name.',
    );
  }
  const fault = findTokenFault(token);
  if (fault !== null)
    throw new ExitError(EXIT.unauthenticated, 'token_malformed', `SVC_TOKEN ${fault}`);
  return { api: chosen, found: { token, source: { kind: 'environment' } } };
}

/** The saved token, where it was saved for this very platform. */
function savedFor(api: string, saved: Credentials | null, path: string): FoundToken | null {
  if (saved === null || saved.api !== api) return null;
  return { token: saved.token, source: { kind: 'file', path } };
}

function noApiError(): ExitError {
  return usageError(
    'No platform is chosen.',
    'Log in to one with svc login --api https://…, or set SVC_API. There is no default address.',
  );
}

/** As {@link findAccess}, for a command that can't do without a token. */
export function requireAccess(call: Call<ApiOptions>): { api: string; found: FoundToken } {
  const { api, found } = findAccess(call);
  if (found !== null) return { api, found };
  throw new ExitError(EXIT.unauthenticated, 'not_logged_in', `You are not logged in to ${api}.`, {
    hint: `Log in with svc login --api ${api}, or set SVC_TOKEN.`,
  });
}
