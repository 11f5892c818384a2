// The OpenID provider of --dev: oidc-provider in this process. It accepts any name without a password.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { type Configuration, Provider } from 'oidc-provider';
import { SIGN_IN_POLICY, signInErrorPage, signInPage } from './sign-in-page.ts';

const CLIENT_ID = 'svc-dev';
const HOUR_SECONDS = 3600;
const FORM_BYTES = 4096;
const NAME_CHARACTERS = 80;

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

export type DevProvider = AsyncDisposable & { readonly issuer: string; readonly clientId: string };

/** Starts the provider on 127.0.0.1 at the wanted port, or at a free port if that one is in use. */
export async function startDevProvider(wantedPort: number): Promise<DevProvider> {
  const server = createServer();
  const port = await listen(server, wantedPort).catch(() => listen(server, 0));
  const issuer = `http://127.0.0.1:${port}`;
  const names = new Map<string, string>();
  const provider = new Provider(issuer, await describeProvider(names));
  allowLoopbackRedirects(provider);
  provider.use(async (context, next) => {
    context.set('content-security-policy', SIGN_IN_POLICY);
    if (context.path.startsWith('/interaction/')) await signIn(provider, context, names);
    else await next();
  });
  server.on('request', provider.callback());
  return {
    issuer,
    clientId: CLIENT_ID,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function describeProvider(names: ReadonlyMap<string, string>): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'dev' };
  return {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      RefreshToken: 24 * HOUR_SECONDS,
      Session: 24 * HOUR_SECONDS,
      Grant: 24 * HOUR_SECONDS,
    },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: names.get(sub) ?? sub }),
    }),
    clientBasedCORS: () => true,
    // The library's own pages load a font from another host, so they are disabled or replaced.
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    renderError: (context, { error }) => {
      context.type = 'html';
      context.body = signInErrorPage(error);
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: [randomBytes(16).toString('hex')] },
  };
}

/** Accepts any loopback address as a redirect. Only programs on this machine can receive a code there. */
function allowLoopbackRedirects(provider: Provider): void {
  Object.defineProperty(provider.Client.prototype, 'redirectUriAllowed', {
    value: (address: string): boolean => {
      if (!URL.canParse(address)) return false;
      const { protocol, hostname } = new URL(address);
      return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
    },
  });
}

/** Shows the form and handles its submission. There is no consent step, because the only client is `svc` itself. */
async function signIn(
  provider: Provider,
  context: Context,
  names: Map<string, string>,
): Promise<void> {
  const details = await provider.interactionDetails(context.req, context.res);
  const known = details.session?.accountId;
  if (context.method !== 'POST' && known === undefined) {
    context.type = 'html';
    context.set('cache-control', 'no-store');
    context.body = signInPage(context.path);
    return;
  }
  const accountId = known ?? rememberName(await readName(context), names);
  const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
  grant.addOIDCScope('openid profile email offline_access');
  await provider.interactionFinished(
    context.req,
    context.res,
    { login: { accountId }, consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: false },
  );
}

async function readName(context: Context): Promise<string> {
  let form = '';
  for await (const chunk of context.req) {
    form += String(chunk);
    if (form.length > FORM_BYTES) context.throw(413);
  }
  const name = new URLSearchParams(form).get('name')?.trim().slice(0, NAME_CHARACTERS) ?? '';
  if (name === '') context.throw(400, 'Enter a name');
  return name;
}

/** Derives the subject from the name, so the same name is the same person, even after a restart. */
function rememberName(name: string, names: Map<string, string>): string {
  const sub = createHash('sha256').update(name).digest('hex').slice(0, 32);
  names.set(sub, name);
  return sub;
}
