// The download of a build: what GET and HEAD read of the stored file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import type { FileStore, OpenFile } from '../src/files/file-store.ts';
import { makeZip } from './make-zip.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

/** A file store that counts the bytes that are read of opened files, and the files that are closed. */
function createCounter() {
  const seen = { bytes: 0, closed: 0 };
  const countIn = (file: OpenFile): OpenFile => ({
    bytes: file.bytes,
    async read(buffer, position) {
      const bytes = await file.read(buffer, position);
      seen.bytes += bytes;
      return bytes;
    },
    async close() {
      await file.close();
      seen.closed++;
    },
  });
  const wrap = (files: FileStore): FileStore => ({
    ...files,
    open: async (key) => countIn(await files.open(key)),
  });
  return { seen, wrap };
}

test('GET reads the stored build once, HEAD reads nothing of it, and both close it', async () => {
  const { seen, wrap } = createCounter();
  await using platform = await openPlatform({ changeFiles: wrap });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Download' } });
  const zip = makeZip({ 'index.html': 'x' });
  await publishBuild(client, game.id, '1', zip);
  for (const [method, read, sent] of [
    ['GET', zip.length, zip],
    ['HEAD', 0, Buffer.alloc(0)],
  ] as const) {
    Object.assign(seen, { bytes: 0, closed: 0 });
    const answer = await fetch(`${platform.baseUrl}/projects/${game.id}/releases/1/build`, {
      method,
      headers: { authorization: `Bearer ${idToken}` },
    });
    assert.equal(answer.status, 200, method);
    assert.equal(answer.headers.get('content-length'), String(zip.length), method);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), sent, method);
    // Nothing is read after the file is closed, which may be after the answer.
    await until(
      () => seen.closed,
      (closed) => closed > 0,
      `${method} closes the file`,
      30_000,
    );
    assert.deepEqual(seen, { bytes: read, closed: 1 }, method);
  }
});
