// An outside identity provider with one key. Its answers can be changed, and it signs any claims. A test can sign in with a
// code that it makes itself.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { readSettings, type Settings } from '../src/index.ts';

/** An answer that replaces the usual one. `silence` never answers. */
type Reply = { readonly status: number; readonly body: string } | 'silence';

export type OutsideProvider = AsyncDisposable & {
  readonly issuer: string;
  /** The requested paths. */
  readonly asked: string[];
  /** Answers that replace the usual ones, by path. */
  readonly replies: Map<string, Reply>;
  /** Settings of a platform that accepts its ID tokens. */
  settings(more?: Readonly<Record<string, string>>): Settings;
  /** Returns a token, which is valid unless the given claims or header make it invalid. A claim that is undefined is missing. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header?: { readonly alg?: string; readonly kid?: string },
  ): Promise<string>;
  /** Returns a code for which the token endpoint returns an ID token with these claims. It can be used again. */
  codeFor(claims: JWTPayload): string;
  /** Replaces the key. Tokens are signed with the new one from now on. */
  rotate(): Promise<void>;
};

const ALG = 'ES256';
const AUDIENCE = 'svc-client';

/** Starts a provider on 127.0.0.1. Its issuer ends with the path. */
export async function startOutsideProvider(path = ''): Promise<OutsideProvider> {
  const asked: string[] = [];
  const replies = new Map<string, Reply>();
  let key = await newKey(1);
  let keys = 1;
  const usual = new Map<string, () => object>([
    [
      `${path.replace(/\/$/, '')}/.well-known/openid-configuration`,
      () => ({
        issuer,
        jwks_uri: `${origin}/keys`,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        id_token_signing_alg_values_supported: [ALG],
      }),
    ],
    ['/keys', () => ({ keys: [key.shown] })],
  ]);
  const server = createServer(async (request, response) => {
    const { url = '' } = request;
    asked.push(url);
    const body = url === '/token' ? await exchange(await text(request)) : usual.get(url)?.();
    const reply = replies.get(url) ?? {
      status: body === undefined ? 404 : 200,
      body: JSON.stringify(body ?? {}),
    };
    if (reply === 'silence') return;
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const issuer = `${origin}${path}`;
  const sign: OutsideProvider['sign'] = (claims, header = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const base = { iss: issuer, aud: AUDIENCE, sub: 'u1', iat: now, exp: now + 300 };
    const head = { alg: ALG, kid: key.shown.kid, ...header };
    return new SignJWT({ ...base, ...claims }).setProtectedHeader(head).sign(key.secret);
  };
  const exchange = async (form: string): Promise<object> => {
    const code = new URLSearchParams(form).get('code') ?? '';
    const claims: JWTPayload = JSON.parse(Buffer.from(code, 'base64url').toString());
    return { access_token: 'access', token_type: 'Bearer', id_token: await sign(claims) };
  };
  return {
    issuer,
    asked,
    replies,
    settings: (more = {}) =>
      readSettings({
        SVC_OIDC_ISSUER: issuer,
        SVC_OIDC_AUDIENCE: AUDIENCE,
        SVC_WEB_ORIGIN: 'https://games.example',
        ...more,
      }),
    sign,
    codeFor: (claims) => Buffer.from(JSON.stringify(claims)).toString('base64url'),
    async rotate() {
      key = await newKey(++keys);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function newKey(number: number) {
  const { privateKey, publicKey } = await generateKeyPair(ALG, { extractable: true });
  const shown = { ...(await exportJWK(publicKey)), kid: `key-${number}`, alg: ALG, use: 'sig' };
  return { secret: privateKey, shown };
}
