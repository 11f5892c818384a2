// A change with files is committed after the file store has stored them durably.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readErrorCode } from './expect-error.ts';
import { makeMp4 } from './make-trailer.ts';
import { makeZip } from './make-zip.ts';
import { openPlatform } from './open-platform.ts';
import { publishForm } from './publish-build.ts';

/** A platform whose file store waits before it has stored the files of a change, and a developer with a game. */
async function openWaiting() {
  const settling = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const platform = await openPlatform({
    changeFiles: (files) => ({
      ...files,
      startBatch() {
        const batch = files.startBatch();
        return {
          put: (key, file) => batch.put(key, file),
          async settle() {
            settling.resolve();
            await stored.promise;
            await batch.settle();
          },
          stop: () => batch.stop(),
        };
      },
    }),
  });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Waiting' } });
  const trailer = new FormData();
  trailer.set('metadata', '{}');
  trailer.set('trailer', new Blob([new Uint8Array(makeMp4())]), 'trailer.mp4');
  const send = (method: string, path: string, body: FormData) =>
    fetch(`${platform.baseUrl}/projects/${game.id}${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${idToken}` },
    });
  return {
    ...{ platform, stored },
    /** Waits until the server waits for the store. Fails if it answers before. */
    async begun(answer: Promise<Response>): Promise<void> {
      assert.equal(await Promise.race([settling.promise, answer]), undefined);
    },
    update: () => send('PUT', '/store', trailer),
    publish: () => send('POST', '/publish', publishForm('1', makeZip({ 'index.html': 'x' }))),
    read: () => client.call('project', { params: { id: game.id } }),
    remove: () => client.call('deleteProject', { params: { id: game.id } }),
  };
}

for (const change of ['update', 'publish'] as const) {
  test(`the files of a change are durable before it is committed: ${change}`, async () => {
    const waiting = await openWaiting();
    await using _ = waiting.platform;
    const before = await waiting.read();
    const answer = waiting[change]();
    await waiting.begun(answer);
    assert.deepEqual(await waiting.read(), before);
    waiting.stored.resolve();
    assert.equal((await answer).status, change === 'update' ? 200 : 201);
    const after = await waiting.read();
    assert.ok(after.page.trailer !== null || after.live_release !== null);
  });
}

test('an update that fails because its project was deleted meanwhile is not_found', async () => {
  const waiting = await openWaiting();
  await using _ = waiting.platform;
  const answer = waiting.update();
  await waiting.begun(answer);
  await waiting.remove();
  waiting.stored.reject(new Error('ENOENT: the folder is gone'));
  assert.equal(await readErrorCode(await answer), 'not_found');
});
