// An OpenID provider that is as strict as those of large services: exact redirect addresses, PKCE, confidential clients, short
// ID tokens, refresh tokens that are used once, and back-channel logout.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { type ClientMetadata, type Configuration, Provider } from 'oidc-provider';

const HOUR_SECONDS = 3600;
/** The store renews an ID token that ends within a minute, so it renews this one with each request. */
const ID_TOKEN_SECONDS = 50;

export const STORE_CLIENT = 'svc-store';
export const CLI_CLIENT = 'svc-cli';

/** How the store's client authenticates. */
export type StoreClient =
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly publicKey: JWK }
  | { readonly method: 'none' };

export type StrictProvider = AsyncDisposable & {
  readonly issuer: string;
  /** Who is signed in by the next interaction. */
  account: { readonly sub: string; readonly name: string };
  /** The grants that the token endpoint has completed, such as `refresh_token`. */
  readonly grants: string[];
  /** Registers the clients, and begins to answer. */
  begin(store: StoreClient, addresses: Addresses): Promise<void>;
};

type Addresses = { readonly storeOrigin: string; readonly apiUrl: string };

/** Starts a provider on 127.0.0.1, whose issuer ends with the path. It answers after `begin`. */
export async function startStrictProvider(path: string): Promise<StrictProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const issuer = origin + path;
  const strict: StrictProvider = {
    issuer,
    account: { sub: 'ada', name: 'Ada' },
    grants: [],
    async begin(store, addresses) {
      const provider = new Provider(issuer, await configure(strict, clients(store, addresses)));
      provider.on('grant.success', ({ oidc }) => {
        strict.grants.push(String(oidc.params?.['grant_type']));
      });
      provider.use(async (context, next) => {
        if (!context.path.startsWith('/interaction/')) return await next();
        await signIn(provider, context, strict.account.sub);
      });
      const answer = provider.callback();
      server.on('request', (request, response) => {
        // As behind a proxy that serves the provider below a path.
        const { url = '' } = request;
        if (!url.startsWith(path)) return void response.writeHead(404).end();
        Object.assign(request, { originalUrl: url, url: url.slice(path.length) || '/' });
        void answer(request, response);
      });
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return strict;
}

function clients(store: StoreClient, { storeOrigin, apiUrl }: Addresses): ClientMetadata[] {
  const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
  return [
    {
      ...grants,
      client_id: STORE_CLIENT,
      redirect_uris: [`${storeOrigin}/sign-in/callback`],
      token_endpoint_auth_method: store.method,
      ...('secret' in store && { client_secret: store.secret }),
      ...('publicKey' in store && {
        jwks: { keys: [store.publicKey] },
        token_endpoint_auth_signing_alg: 'ES256',
      }),
      backchannel_logout_uri: `${apiUrl}/auth/backchannel-logout`,
      backchannel_logout_session_required: true,
    } as ClientMetadata,
    {
      ...grants,
      client_id: CLI_CLIENT,
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    } as ClientMetadata,
  ];
}

async function configure(
  strict: Pick<StrictProvider, 'account' | 'issuer'>,
  registered: ClientMetadata[],
): Promise<Configuration> {
  const path = new URL(strict.issuer).pathname;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'strict' };
  return {
    jwks: { keys: [key] },
    clients: registered,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      IdToken: ID_TOKEN_SECONDS,
      Interaction: HOUR_SECONDS,
      RefreshToken: HOUR_SECONDS,
      Session: HOUR_SECONDS,
      Grant: HOUR_SECONDS,
    },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        ...{ sub, name: strict.account.name },
        ...{ email: `${sub}@id.example`, email_verified: true },
      }),
    }),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `${path}/interaction/${uid}` },
    // The library's own dispatcher rejects addresses of this machine.
    fetch: (address, options) => fetch(address, withoutDispatcher(options)),
    cookies: { keys: [randomBytes(16).toString('hex')] },
  };
}

/** Completes the interaction at once, with all scopes. */
async function signIn(
  provider: Provider,
  { req, res }: Parameters<Parameters<Provider['use']>[0]>[0],
  accountId: string,
): Promise<void> {
  const { params } = await provider.interactionDetails(req, res);
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope('openid profile email offline_access');
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(req, res, { login: { accountId }, consent });
}

function withoutDispatcher(options: RequestInit = {}): RequestInit {
  return { ...options, ...{ dispatcher: undefined } };
}
