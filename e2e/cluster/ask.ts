// Sends a request to a port of this machine with the Host header of a public name, which `fetch` can't.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const agent = new Agent({ keepAlive: true });
/** Two processes may be silent for ten seconds each before nginx answers. */
const ASK_MS = 30_000;

/**
 * Returns the answer with its decompressed body. Throws if the connection fails, the body is cut off, after 30 s, or if the
 * signal of `init` is aborted.
 */
export async function ask(
  port: number,
  host: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const asked = new Request(`http://127.0.0.1:${port}${path}`, init);
  const body = Buffer.from(await asked.arrayBuffer());
  const headers = { ...Object.fromEntries(asked.headers), host };
  const length = body.length > 0 ? { 'content-length': body.length } : {};
  const sent = request(asked.url, {
    // A server may close an idle connection while a change is sent on it, and a change is not repeated.
    agent: asked.method === 'GET' ? agent : false,
    method: asked.method,
    headers: { ...headers, ...length },
    signal: AbortSignal.any([asked.signal, AbortSignal.timeout(ASK_MS)]),
  });
  sent.end(body);
  const [answer]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = decode(await buffer(answer), answer.headers['content-encoding']);
  const status = answer.statusCode ?? 0;
  const hasBody = ![204, 304].includes(status);
  const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status, headers: shown });
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}
