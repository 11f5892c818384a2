// An identity provider that replaces refresh tokens. It treats the second use of one as theft and ends its session.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export const CLIENT = 'svc-client';

/** What the provider does with a renewal. `hold` renews, but answers only after `release`. */
type Manner = 'renew' | 'hold' | 'fail' | 'overloaded';

export type RotatingProvider = {
  readonly issuer: string;
  /** The refresh tokens that it has received, in order. */
  readonly spent: string[];
  /** The number of refresh tokens that were used twice. */
  thefts: number;
  manner: Manner;
  /** Returns the first refresh token of a new session. */
  newSession(): string;
  /** Sends the held answers. */
  release(): void;
};

/** Starts the provider. It closes with the test. */
export async function startRotatingProvider(t: TestContext): Promise<RotatingProvider> {
  const sessions = new Map<string, { ended: boolean }>();
  const used = new Set<string>();
  const held: (() => void)[] = [];
  let count = 0;
  const issue = (session: { ended: boolean }): string => {
    const token = `refresh-token-${++count}`;
    sessions.set(token, session);
    return token;
  };
  const renew = (token: string): { status: number; body: object } => {
    const session = sessions.get(token);
    if (session !== undefined && used.has(token)) {
      provider.thefts++;
      session.ended = true;
    }
    if (session === undefined || session.ended) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    used.add(token);
    const next = issue(session);
    const id_token = idTokenOf(provider.issuer, next);
    const body = { access_token: 'a', token_type: 'Bearer', id_token, refresh_token: next };
    return { status: 200, body };
  };
  const server = createServer((request, response) => {
    const { issuer } = provider;
    if (request.url === '/.well-known/openid-configuration') {
      const authorization_endpoint = `${issuer}/authorize`;
      const body = { issuer, authorization_endpoint, token_endpoint: `${issuer}/token` };
      return send(response, 200, body);
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const token = form.get('refresh_token') ?? '';
      provider.spent.push(token);
      if (provider.manner === 'fail') return send(response, 500, {});
      if (provider.manner === 'overloaded') return send(response, 503, {});
      const { status, body } = renew(token);
      if (provider.manner === 'hold') held.push(() => send(response, status, body));
      else send(response, status, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const provider: RotatingProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spent: [],
    thefts: 0,
    manner: 'renew',
    newSession: () => issue({ ended: false }),
    release() {
      for (const answer of held.splice(0)) answer();
    },
  };
  return provider;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An unsigned ID token that is valid for an hour. */
export function idTokenOf(issuer: string, id: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: CLIENT, sub: 'ada', iat: now, exp: now + 3600, jti: id };
  const parts = [{ alg: 'RS256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, Buffer.alloc(256).toString('base64url')].join('.');
}
