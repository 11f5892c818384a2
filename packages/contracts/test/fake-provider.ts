// An identity provider that returns what a test sets, with the part of the API that names it. It
// can misbehave in ways that a real one never does.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** The client id that the provider knows. */
export const CLIENT = 'svc-client';

/** The expiry of its ID tokens, in seconds since 1970. */
export const EXPIRES: number = Math.floor(Date.now() / 1000) + 3600;

export type FakeProvider = {
  /** Its address, which is also the API's. */
  readonly issuer: string;
  /** The forms that the token endpoint has received. */
  readonly asked: URLSearchParams[];
  /** The Authorization headers of the same requests. */
  readonly authorizations: (string | undefined)[];
  /** The number of requests to the API for the provider. */
  discoveries: number;
  /**
   * Replaces claims of the ID token, and fields of other answers. A `config` of null makes it fail.
   */
  claims: Readonly<Record<string, unknown>>;
  tokens: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
  config: Readonly<Record<string, unknown>> | null;
  /** The path of the issuer that the metadata are below. Empty by default. */
  path: string;
  /** The status of the answers of the token endpoint. */
  status: number;
};

/** An API and a provider in one server, which closes with the test. */
export async function startFakeProvider(t: TestContext): Promise<FakeProvider> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', fake.issuer);
    if (pathname === '/auth/config') {
      fake.discoveries++;
      if (fake.config === null) return send(response, 503, {});
      return send(response, 200, { issuer: fake.issuer, client_id: CLIENT, ...fake.config });
    }
    if (pathname === `${fake.path}/.well-known/openid-configuration`) {
      return send(response, 200, {
        issuer: fake.issuer,
        authorization_endpoint: `${fake.issuer}/authorize?tenant=1`,
        token_endpoint: `${fake.issuer}/token`,
        ...fake.metadata,
      });
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      fake.asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      fake.authorizations.push(request.headers.authorization);
      send(response, fake.status, {
        access_token: 'access',
        token_type: 'Bearer',
        id_token: idToken({ iss: fake.issuer, ...fake.claims }),
        ...fake.tokens,
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const fake: FakeProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    authorizations: [],
    discoveries: 0,
    claims: {},
    tokens: {},
    metadata: {},
    config: {},
    path: '',
    status: 200,
  };
  return fake;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * An ID token as the provider's own connection delivers it. Its claims are used; its signature is
 * not checked.
 */
function idToken(claims: object): string {
  const issued = { aud: CLIENT, sub: 'ada', iat: EXPIRES - 3600, exp: EXPIRES, ...claims };
  const parts = [{ alg: 'RS256' }, issued].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, Buffer.alloc(256).toString('base64url')].join('.');
}
