// How the site caches the API's limits and media origin, and their defaults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { createLimits } from '../src/visit/limits.ts';
import { startStandInApi } from './stand-in-api.ts';

const TIMEOUT_MS = 30_000;

test('limits are requested once a minute', async (t) => {
  const api = await startStandInApi(t);
  let now = 0;
  const { limits, mediaOrigin } = createLimits(api.url, TIMEOUT_MS, () => now);
  await Promise.all([limits(), mediaOrigin(), limits()]);
  assert.equal(api.asked.length, 1);
  now = 59_999;
  await limits();
  assert.equal(api.asked.length, 1);
  now = 60_000;
  api.answers['GET /limits'] = { json: { limits: { tags: 3 } } };
  assert.equal((await limits()).tags, 3);
  assert.equal(api.asked.length, 2);
});

test('a limit that the API does not report has its default', async (t) => {
  const api = await startStandInApi(t);
  api.answers['GET /limits'] = { json: { limits: { tags: 3 } } };
  const { limits } = createLimits(api.url, TIMEOUT_MS, () => 0);
  // An older API deletes games at once.
  assert.deepEqual(await limits(), { ...PLATFORM_LIMITS, deleted_game_days: 0, tags: 3 });
});

test('media come from the origin that the API reports, or from its own origin', async (t) => {
  const api = await startStandInApi(t);
  const origin = (): Promise<string> => createLimits(`${api.url}/`, 100, () => 0).mediaOrigin();
  api.answers['GET /limits'] = { json: { limits: {}, media_origin: 'https://m.example/path' } };
  const reported = createLimits(api.url, TIMEOUT_MS, () => 0);
  assert.equal(await reported.mediaOrigin(), 'https://m.example');
  api.answers['GET /limits'] = { json: { limits: {} } };
  assert.equal(await createLimits(api.url, TIMEOUT_MS, () => 0).mediaOrigin(), api.url);
  api.answers['GET /limits'] = 'hang';
  assert.equal(await origin(), api.url);
});

test('after a failure of the API, limits are requested again, and the last media origin stays', async (t) => {
  const api = await startStandInApi(t);
  let now = 0;
  const { limits, mediaOrigin } = createLimits(api.url, TIMEOUT_MS, () => now);
  assert.equal(await mediaOrigin(), 'https://media.example');
  const good = api.answers['GET /limits'];
  assert.ok(good);
  api.answers['GET /limits'] = { status: 503, text: '' };
  now = 60_000;
  await assert.rejects(limits(), { status: 503 });
  assert.equal(await mediaOrigin(), 'https://media.example');
  assert.equal(api.asked.length, 3);
  api.answers['GET /limits'] = good;
  assert.equal((await limits()).tags, PLATFORM_LIMITS.tags);
  assert.equal(api.asked.length, 4);
});

test('a request for limits times out', async (t) => {
  const api = await startStandInApi(t);
  api.answers['GET /limits'] = 'hang';
  const { limits } = createLimits(api.url, 50, () => 0);
  await assert.rejects(limits(), { name: 'TimeoutError' });
});
