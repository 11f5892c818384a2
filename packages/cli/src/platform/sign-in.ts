// Signs a person in at the platform's identity provider: authorization code with PKCE, and a redirect to loopback (RFC 8252).
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { type Account, signInProviders } from '@svc/contracts/platform';
import * as oauth from 'oauth4webapi';
import { isLoopback } from '../network/loopback.ts';
import { createNetwork } from '../network/network.ts';
import { NetworkError } from '../network/network-error.ts';
import type { Output } from '../output/output.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { openInBrowser, writeRedirectFile } from '../process/open-browser.ts';
import { chooseProvider } from './choose-provider.ts';
import { secureFolder } from './config-folder.ts';
import type { Platform } from './connect.ts';
import { credentialsPath } from './credentials.ts';
import { requirePerson } from './require-person.ts';

/** The time limit for the person in the browser. */
const SIGN_IN_LIMIT_MS = 10 * 60_000;

export type SignInOptions = {
  readonly platform: Platform;
  readonly io: Io;
  readonly output: Output;
  /** Whether to open the browser. The address is printed in any case. */
  readonly open: boolean;
  /** Name or address of the identity provider; null for the only one, or to ask the person. */
  readonly provider: string | null;
  readonly signal: AbortSignal;
};

/** The values that are sent with the browser and checked when it returns. */
type Attempt = {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Options for requests to the provider. */
  readonly requests: Requests;
};

type Requests = {
  [oauth.allowInsecureRequests]?: boolean;
  [oauth.customFetch]: (address: string, init: ProviderRequest) => Promise<Response>;
};

type ProviderRequest = oauth.CustomFetchOptions<string, URLSearchParams | undefined>;

/**
 * Signs a person in and returns their ID token. Throws an ExitError (3) at once if there is no terminal, and later if the person
 * refuses or takes more than ten minutes. Throws an ExitError (2) if the identity provider is unknown or not chosen.
 */
export async function signIn(options: SignInOptions): Promise<string> {
  requirePerson(options.io, options.open);
  const attempt = await prepare(options);
  const listener = createServer();
  const port = await listen(listener);
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(SIGN_IN_LIMIT_MS)]);
  const returned = waitForReturn(listener, attempt, port, signal);
  // The promise is awaited below. Until then a rejection must not count as unhandled.
  returned.catch(() => {});
  const address = await authorizationAddress(attempt, redirectUri);
  const redirectFile = sendToBrowser(address, port, options);
  try {
    const parameters = await returned;
    options.output.note('Signed in. Finishing …');
    return await exchange(attempt, parameters, redirectUri, options.signal);
  } finally {
    if (redirectFile !== null) rmSync(redirectFile, { force: true });
    listener.close();
    listener.closeAllConnections();
  }
}

async function prepare({ platform, io, provider, signal }: SignInOptions): Promise<Attempt> {
  const providers = signInProviders(await platform.call('authConfig', {}));
  const { issuer, cli_client_id } = await chooseProvider(providers, provider, { io, signal });
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const local = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !local)) {
    throw new ExitError(
      EXIT.server,
      'identity_unusable',
      `Cannot sign in at "${issuer}": the address must begin with https:.`,
    );
  }
  const network = createNetwork(io);
  const requests: Requests = {
    [oauth.customFetch]: (address, { body, signal: ended, ...init }) =>
      network.send(address, {
        ...init,
        ...(body === undefined ? {} : { body }),
        ...(ended === undefined ? {} : { signal: ended }),
      }),
    ...(local ? { [oauth.allowInsecureRequests]: true } : {}),
  };
  const server = await atProvider(issuer, async () =>
    oauth.processDiscoveryResponse(
      url,
      await oauth.discoveryRequest(url, { algorithm: 'oidc', signal, ...requests }),
    ),
  );
  return {
    server,
    client: { client_id: cli_client_id },
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    requests,
  };
}

/** Runs requests to the provider. Turns their errors into an ExitError (10). */
async function atProvider<T>(issuer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ExitError || (error instanceof Error && error.name === 'AbortError'))
      throw error;
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new ExitError(
      EXIT.unreachable,
      'identity_unavailable',
      `Cannot sign in at ${issuer}: ${reason}.`,
      {
        hint:
          error instanceof NetworkError
            ? error.hint
            : 'The identity provider may be down. You can also log in with a token from the dashboard: svc login --token -',
        cause: error,
      },
    );
  }
}

async function authorizationAddress(attempt: Attempt, redirectUri: string): Promise<string> {
  const { server, client, verifier, state, nonce } = attempt;
  if (server.authorization_endpoint === undefined) {
    throw new ExitError(
      EXIT.server,
      'identity_unusable',
      `Cannot sign in at ${server.issuer}: the provider has no sign-in page.`,
    );
  }
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Prints the address and opens it. Returns the redirect file, which the caller removes, or null. */
function sendToBrowser(
  address: string,
  port: number,
  { io, output, open }: SignInOptions,
): string | null {
  output.note(`Sign in with your browser at this address:\n\n  ${address}\n`);
  if (!open) return null;
  if (!hasDesktop(io.env)) {
    output.note(
      `svc found no desktop on this machine to open a browser. Your browser must be able to connect to port ${port} of this machine. Over SSH, first run this on your own machine:\n\n  ssh -L ${port}:127.0.0.1:${port} HOST\n`,
    );
    return null;
  }
  const folder = dirname(credentialsPath(io.env));
  secureFolder(folder, output.warn);
  const file = writeRedirectFile(folder, address, 'the sign-in page');
  openInBrowser(file);
  return file;
}

/** Whether this machine can show a web page. */
function hasDesktop(env: Io['env']): boolean {
  if (process.platform !== 'linux') return true;
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'].some((name) => (env[name] ?? '') !== '');
}

function listen(listener: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.on('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = listener.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('Cannot listen on loopback'));
    });
  });
}

/** Waits for the parameters that the browser returns. Ignores requests without the `state` of this attempt. */
function waitForReturn(
  listener: Server,
  attempt: Attempt,
  port: number,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason instanceof ExitError ? signal.reason : timeoutError());
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
      if (request.headers.host !== `127.0.0.1:${port}` || url.pathname !== '/callback') {
        answer(response, 404, 'Not found.');
        return;
      }
      try {
        const parameters = oauth.validateAuthResponse(
          attempt.server,
          attempt.client,
          url,
          attempt.state,
        );
        answer(
          response,
          200,
          'You are signed in. You can close this page and return to the terminal.',
        );
        resolve(parameters);
      } catch (error) {
        const isOwn = url.searchParams.get('state') === attempt.state;
        answer(response, 400, 'The sign-in failed. See the terminal for the reason.');
        if (isOwn) reject(refused(error));
      }
    });
  });
}

function timeoutError(): ExitError {
  return new ExitError(
    EXIT.unauthenticated,
    'sign_in_timeout',
    'You did not sign in within ten minutes.',
    {
      hint: 'Run the command again.',
    },
  );
}

function refused(error: unknown): ExitError {
  const reason =
    error instanceof oauth.AuthorizationResponseError
      ? (error.error_description ?? error.error)
      : error instanceof Error
        ? error.message
        : String(error);
  return new ExitError(
    EXIT.unauthenticated,
    'sign_in_refused',
    `The identity provider did not sign you in: ${reason}.`,
    {
      cause: error,
    },
  );
}

async function exchange(
  attempt: Attempt,
  parameters: URLSearchParams,
  redirectUri: string,
  signal: AbortSignal,
): Promise<string> {
  const { server, client, verifier, nonce, requests } = attempt;
  return await atProvider(server.issuer, async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      { signal, ...requests },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    if (tokens.id_token === undefined) throw new Error('it returned no ID token');
    return tokens.id_token;
  });
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(
    `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>svc</title><p style="font:1.1rem system-ui;margin:20vh auto;max-width:32rem;text-align:center">${text}</p>\n`,
  );
}

/** Opens a developer session for the person who signed in. */
export async function developerSession(platform: Platform, idToken: string): Promise<Account> {
  const body = { id_token: idToken, role: 'developer' } as const;
  const { user } = await platform.call('openSession', { body }, { repeat: 'safe' });
  return user;
}
