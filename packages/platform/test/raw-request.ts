// A request as bytes, so that nothing is decoded, added or normalized on the way.
import { once } from 'node:events';
import { connectBounded } from '../../../scripts/connect-bounded.ts';

export type RawResponse = {
  readonly status: number;
  /** By their lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
};

export type RawRequest = {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
};

export async function requestRaw({
  port,
  path,
  headers = {},
  method = 'GET',
}: RawRequest): Promise<RawResponse> {
  const socket = connectBounded(port);
  const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers });
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`,
  );
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  const all = Buffer.concat(chunks);
  const split = all.indexOf('\r\n\r\n');
  const [first = '', ...rest] = all.subarray(0, split).toString('latin1').split('\r\n');
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(
      rest.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    ),
    body: all.subarray(split + 4),
  };
}
