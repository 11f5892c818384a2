// What a developer and a visitor do with a deployment behind the proxy of the Compose file.
import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { OutsideProvider } from '@svc/platform/testing';
import { gameHost, publishGame, type Send } from './publish-game.ts';

const PROXY = '10.0.0.10';
const STORE = 'www.games.example';

/** Sends a request to the proxy, with TLS. */
const send: Send = async (host, path, init = {}) => {
  const asked = new Request(`https://${host}${path}`, init);
  const body = Buffer.from(await asked.arrayBuffer());
  const length = body.length > 0 ? { 'content-length': body.length } : {};
  const sent = request({
    ...{ host: PROXY, port: 443, servername: host, rejectUnauthorized: false },
    ...{ method: asked.method, path, agent: false },
    headers: { ...Object.fromEntries(asked.headers), host, ...length },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  const { statusCode: status = 0 } = answer;
  const headers = { 'content-type': answer.headers['content-type'] ?? '' };
  return new Response([204, 304].includes(status) ? null : new Uint8Array(bytes), {
    ...{ status, headers },
  });
};

/** The statuses of a game, of the same over HTTP/2, of its page in the store, and of a request without TLS. */
export type Seen = {
  readonly played: number;
  readonly playedByHttp2: number;
  readonly shown: number;
  readonly redirected: number;
};

/** Publishes a game, plays it and visits its page. */
export async function visit(provider: Pick<OutsideProvider, 'sign'>): Promise<Seen> {
  const slug = await publishGame(send, provider);
  const played = await send(gameHost(slug), '/');
  const shown = await send(STORE, `/games/${slug}`);
  const plain = requestPlain({ host: PROXY, port: 80, headers: { host: STORE } });
  plain.end();
  const [redirected] = (await once(plain, 'response')) as [IncomingMessage];
  redirected.resume();
  return {
    played: played.status,
    playedByHttp2: await statusByHttp2(gameHost(slug)),
    shown: shown.status,
    redirected: redirected.statusCode ?? 0,
  };
}

/** The status of a page. Throws if the proxy does not offer HTTP/2. */
async function statusByHttp2(host: string): Promise<number> {
  const session = connect(`https://${PROXY}`, { servername: host, rejectUnauthorized: false });
  // Without a listener, a failure would end the process before the request reports it.
  session.on('error', () => {});
  try {
    const sent = session.request({ ':path': '/', ':authority': host });
    const [headers] = (await once(sent, 'response')) as [IncomingHttpHeaders];
    sent.resume();
    return Number(headers[':status']);
  } finally {
    session.destroy();
  }
}
