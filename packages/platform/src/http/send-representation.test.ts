// A stored file that is decoded while sending is closed even if only a part of it is sent.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { until } from '../../../../scripts/until.ts';
import type { OpenFile } from '../files/file-store.ts';
import { createSender, MEMORY_ENTRY_BYTES, type Sendable } from './send-representation.ts';

/** Larger than the memory cache allows, and several chunks long. */
const PLAIN = randomBytes(3 * MEMORY_ENTRY_BYTES);

test('an encoded file is closed after a part of it was sent, and after its client disconnected', async (t) => {
  const packed = zlib.gzipSync(PLAIN, { level: 1 });
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<OpenFile> => {
    opened++;
    return {
      bytes: packed.length,
      read: async (buffer, position) => packed.copy(buffer, 0, position),
      close: async () => {
        closed++;
      },
    };
  };
  const headers = ['X-Request-Id', '', 'Content-Length', String(PLAIN.length)];
  const form: Sendable = {
    ...{ etag: '"a"', bytes: PLAIN.length, key: 'a', decode: 'gzip' },
    ...{ headers, bareHeaders: ['X-Request-Id', ''] },
  };
  const send = createSender(MEMORY_ENTRY_BYTES, () => true);
  const server = createServer((request, response) => {
    void send({ request, response, requestId: 'id' }, { open }, { chosen: form, plain: form });
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const part = await fetch(address, { headers: { range: 'bytes=5-14' } });
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), PLAIN.subarray(5, 15));
  await until(
    () => [opened, closed],
    ([, count]) => count === 1,
    'the file is closed',
    10_000,
  );
  const leaving = new AbortController();
  await fetch(address, { signal: leaving.signal });
  leaving.abort();
  await until(
    () => [opened, closed],
    ([, count]) => count === 2,
    'the second is closed too',
    10_000,
  );
});
