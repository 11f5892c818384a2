// Fetching a file of a game as a browser does: redirects, encodings, retries, and faults of the game.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { listen } from '../../../test/sockets.ts';
import { exchange } from '../../network/exchange.ts';
import type { Network } from '../../network/network.ts';
import { type NetworkCode, NetworkError } from '../../network/network-error.ts';
import { decodeBody, fetchGameFile, GameFaultError } from './fetch-game-file.ts';

test('fetchGameFile does not read a whole file if a range was requested', async (t) => {
  const server = createServer((_, response) => response.end(Buffer.alloc(256 * 1024)));
  const url = `http://127.0.0.1:${await listen(t, server)}/sound.ogg`;
  const network: Network = {
    send: (address, init, limits = {}) => exchange(address, init, { env: {}, limits }),
  };
  const visit = { network, signal: new AbortController().signal };
  assert.equal((await fetchGameFile({ url }, visit)).status, 200);
  await assert.rejects(fetchGameFile({ url, range: 'bytes=0-1023' }, visit), (error) => {
    assert.ok(error instanceof GameFaultError);
    assert.match(error.message, /the requested range.*it is larger than 64\.0 KiB/);
    return true;
  });
});

type Asked = {
  readonly address: string;
  readonly encodings: string;
  readonly range: string | null;
};

/** Fetches with a network that returns these responses in turn, and then repeats the last one. */
async function fetchWith(
  file: Parameters<typeof fetchGameFile>[0],
  answers: readonly (() => Response)[],
): Promise<{ asked: Asked[]; limits: (number | undefined)[]; outcome: unknown }> {
  const asked: Asked[] = [];
  const limits: (number | undefined)[] = [];
  const network: Network = {
    async send(address, init, { answer_bytes } = {}) {
      const headers = new Headers(init.headers);
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push({
        address,
        encodings: headers.get('accept-encoding') ?? '',
        range: headers.get('range'),
      });
      limits.push(answer_bytes);
      return answer?.() ?? assert.fail('no answer');
    },
  };
  const outcome = await fetchGameFile(file, {
    network,
    signal: new AbortController().signal,
  }).catch((error: unknown) => error);
  return { asked, limits, outcome };
}

const redirect =
  (location: string | null, status = 302) =>
  (): Response =>
    new Response(null, { status, headers: location === null ? {} : { location } });

const fails = (code: NetworkCode, transient: boolean) => (): never => {
  throw new NetworkError(code, 'Cannot reach it.', { hint: '', sent: true, transient });
};

test('fetchGameFile follows redirects as a browser does, and accepts Brotli over TLS only', async () => {
  const good = () => new Response('x');
  for (const status of [301, 302, 303, 307, 308]) {
    const { asked, outcome } = await fetchWith({ url: 'http://a.test/g/', range: 'bytes=0-1' }, [
      redirect('../h?x', status),
      redirect('https://b.test/i', status),
      redirect('/j', status),
      good,
    ]);
    assert.ok(outcome instanceof Response && outcome.status === 200, String(status));
    const range = 'bytes=0-1';
    assert.deepEqual(asked, [
      { address: 'http://a.test/g/', encodings: 'gzip, deflate', range },
      { address: 'http://a.test/h?x', encodings: 'gzip, deflate', range },
      { address: 'https://b.test/i', encodings: 'br, gzip, deflate', range },
      { address: 'https://b.test/j', encodings: 'br, gzip, deflate', range },
    ]);
  }
  for (const answer of [
    redirect(null),
    redirect('https://'),
    redirect('/x', 304),
    redirect('/x', 300),
  ]) {
    const { asked, outcome } = await fetchWith({ url: 'http://a.test/' }, [answer]);
    assert.ok(outcome instanceof Response);
    assert.equal(asked.length, 1);
  }
});

test('fetchGameFile follows ten redirects, and reports more as a loop', async () => {
  const good = () => new Response('x');
  const ten = await fetchWith({ url: 'http://a.test/' }, [...Array(10).fill(redirect('/b')), good]);
  assert.ok(ten.outcome instanceof Response);
  const loop = await fetchWith({ url: 'http://a.test/' }, [redirect('/b')]);
  assert.equal(loop.asked.length, 11);
  assert.ok(loop.outcome instanceof GameFaultError);
  assert.equal(loop.outcome.message, 'it redirects in a loop');
});

test('fetchGameFile retries once after a transient failure, and reports a response that is not HTTP as a fault of the game', async () => {
  const passing = await fetchWith({ url: 'http://a.test/' }, [
    fails('unreachable', true),
    () => new Response('x'),
  ]);
  assert.ok(passing.outcome instanceof Response);
  assert.equal(passing.asked.length, 2);
  const twice = await fetchWith({ url: 'http://a.test/' }, [fails('unreachable', true)]);
  assert.ok(twice.outcome instanceof NetworkError);
  assert.equal(twice.asked.length, 2);
  const lasting = await fetchWith({ url: 'http://a.test/' }, [fails('tls_failed', false)]);
  assert.ok(lasting.outcome instanceof NetworkError);
  assert.equal(lasting.asked.length, 1);
  const broken = await fetchWith({ url: 'http://a.test/' }, [fails('answer_unreadable', false)]);
  assert.ok(broken.outcome instanceof GameFaultError);
  assert.equal(broken.outcome.message, 'Cannot reach it');
});

test('fetchGameFile reads a whole file of up to a gigabyte, and 64 KiB of a range', async () => {
  const good = () => new Response('x');
  assert.deepEqual((await fetchWith({ url: 'http://a.test/' }, [good])).limits, [1_073_741_824]);
  const part = await fetchWith({ url: 'http://a.test/', range: 'bytes=0-1' }, [good]);
  assert.deepEqual(part.limits, [65_536]);
});

test('decodeBody removes the content encodings, the last one first', async () => {
  const text = Buffer.from('text');
  const rows: [encoding: string | null, body: Buffer][] = [
    [null, text],
    ['', text],
    ['identity', text],
    ['br', brotliCompressSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ];
  for (const [encoding, body] of rows) {
    const headers: Record<string, string> =
      encoding === null ? {} : { 'content-encoding': encoding };
    const decoded = await decodeBody(new Response(new Uint8Array(body), { headers }));
    assert.equal(Buffer.from(decoded).toString(), 'text', String(encoding));
  }
  const wrong = new Response('plain', { headers: { 'content-encoding': 'br' } });
  await assert.rejects(decodeBody(wrong), (error) => {
    assert.ok(error instanceof GameFaultError);
    return /^its Content-Encoding is br, but it cannot be decoded/.test(error.message);
  });
});
