// Time limits for images.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import sharp, { type Sharp } from 'sharp';
import { openSpool } from '../files/spool.ts';
import { type ImageWork, prepareAvatar, prepareImage } from './prepare-image.ts';

/** Converts an image of 600 × 400 pixels. The files with the given numbers time out. `asked` collects the limits in seconds. */
async function workOn(t: TestContext, slow: readonly number[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-image-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const spool = openSpool(join(dataDir, 'spool'));
  t.after(() => spool[Symbol.asyncDispose]());
  const source = join(dataDir, 'source.png');
  const create = { width: 600, height: 400, channels: 3, background: '#369' } as const;
  await sharp({ create }).png().toFile(source);
  const asked: number[] = [];
  t.mock.method(sharp.prototype, 'timeout', function (this: Sharp, options: { seconds: number }) {
    asked.push(options.seconds);
    if (!slow.includes(asked.length - 1)) return this;
    return { toFile: () => Promise.reject(new Error('timeout: 64% complete')) };
  });
  const stop = new AbortController();
  const folder = await spool.openFolder();
  const work: ImageWork = { source, folder, limits: PLATFORM_LIMITS, signal: stop.signal };
  return { work, asked, stop };
}

function isTooSlow(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code === 'image_too_large' &&
    /takes too long/.test(error.message)
  );
}

test('an image may take 30 seconds and each variant 10; a slower variant is omitted', async (t) => {
  const { work, asked } = await workOn(t, [2]);
  const { main, variants } = await prepareImage(work);
  assert.deepEqual(asked, [30, 10, 10, 10, 10]);
  assert.deepEqual(
    [main, ...variants].map(({ suffix }) => suffix),
    ['.png', '-480.webp', '-600.webp', '-600.avif'],
  );
});

test('an image or avatar that takes longer than 30 seconds is rejected as too large', async (t) => {
  const image = await workOn(t, [0]);
  await assert.rejects(prepareImage(image.work), isTooSlow);
  assert.deepEqual(image.asked, [30]);
  t.mock.restoreAll();
  const avatar = await workOn(t, [0]);
  await assert.rejects(prepareAvatar(avatar.work), isTooSlow);
  assert.deepEqual(avatar.asked, [30]);
});

test('an aborted work writes no more variants', async (t) => {
  const { work, asked, stop } = await workOn(t, []);
  t.mock.method(work.folder, 'newFile', () => {
    // During the first variant.
    if (asked.length === 1) stop.abort();
    return join(work.folder.path, String(asked.length));
  });
  await assert.rejects(prepareImage(work), { name: 'AbortError' });
  assert.deepEqual(asked, [30, 10]);
});
