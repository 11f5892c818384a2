// A sender closes the stored files that it opens, and keeps small contents in memory up to a limit.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import zlib from 'node:zlib';
import { until } from '../../../../scripts/until.ts';
import {
  createSender,
  type FileSource,
  MEMORY_ENTRY_BYTES,
  type Sendable,
} from './send-representation.ts';

/** Larger than the memory cache allows, and several chunks long. */
const PLAIN = randomBytes(3 * MEMORY_ENTRY_BYTES);

/** A source of files in memory that counts how often each was opened and closed. */
function countedSource(files: Readonly<Record<string, Buffer>>) {
  const opened: string[] = [];
  const closed: string[] = [];
  const source: FileSource = {
    async open(key) {
      const bytes = files[key] ?? assert.fail(`no file ${key}`);
      opened.push(key);
      return {
        bytes: bytes.length,
        read: async (buffer, position) => bytes.copy(buffer, 0, position),
        close: async () => {
          closed.push(key);
        },
      };
    },
  };
  return { source, opened, closed };
}

function sendable(key: string, bytes: number, decode: 'gzip' | null): Sendable {
  return {
    ...{ etag: `"${key}"`, bytes, key, decode },
    headers: ['X-Request-Id', '', 'Content-Length', String(bytes)],
    bareHeaders: ['X-Request-Id', ''],
  };
}

/** Serves the forms by their keys as paths, with a cache of `cacheBytes`. Returns the origin with a slash. */
async function serve(
  t: TestContext,
  cacheBytes: number,
  source: FileSource,
  forms: readonly Sendable[],
): Promise<string> {
  const send = createSender(cacheBytes, () => true);
  const server = createServer((request, response) => {
    const form = forms.find(({ key }) => request.url === `/${key}`) ?? assert.fail(request.url);
    void send({ request, response, requestId: 'id' }, source, { chosen: form, plain: form });
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('an encoded file is closed after a part of it was sent, and after its client disconnected', async (t) => {
  const { source, opened, closed } = countedSource({ a: zlib.gzipSync(PLAIN, { level: 1 }) });
  const form = sendable('a', PLAIN.length, 'gzip');
  const address = `${await serve(t, MEMORY_ENTRY_BYTES, source, [form])}a`;
  const part = await fetch(address, { headers: { range: 'bytes=5-14' } });
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), PLAIN.subarray(5, 15));
  const closedTimes = (times: number) =>
    until(
      () => [opened.length, closed.length],
      ([, count]) => count === times,
      `closed ${times} times`,
      10_000,
    );
  await closedTimes(1);
  const leaving = new AbortController();
  await fetch(address, { signal: leaving.signal });
  leaving.abort();
  await closedTimes(2);
});

test('small files are sent from memory until more recent ones fill the cache', async (t) => {
  const files = {
    four: Buffer.from('4444'),
    five: Buffer.from('55555'),
    six: Buffer.from('666666'),
  };
  const { source, opened } = countedSource(files);
  const forms = Object.entries(files).map(([key, { length }]) => sendable(key, length, null));
  const origin = await serve(t, 10, source, forms);
  const get = async (key: string) => (await fetch(`${origin}${key}`)).text();
  await get('four');
  await get('five');
  assert.equal(await get('four'), '4444');
  assert.deepEqual(opened, ['four', 'five'], 'the two fit');
  await get('six');
  assert.equal(await get('four'), '4444', 'used after five');
  assert.equal(await get('five'), '55555');
  assert.deepEqual(opened, ['four', 'five', 'six', 'five']);
});

test('an empty file is sent', async (t) => {
  const { source } = countedSource({ empty: Buffer.alloc(0) });
  const origin = await serve(t, 10, source, [sendable('empty', 0, null)]);
  const answer = await fetch(`${origin}empty`);
  assert.deepEqual([answer.status, await answer.text()], [200, '']);
});
