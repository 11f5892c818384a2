import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isSignedMedia, type MediaSigner, mediaAddress } from './media-address.ts';

const SPAN_MS = 15 * 60 * 1000;
const ADDRESSES = {
  publicUrl: 'https://api.example/base',
  webOrigin: 'https://www.example',
  playOrigin: null,
  heldSlugs: new Set<string>(),
};
const signingKey = randomBytes(32);
const DRAFT = { id: 'game', status: 'draft' } as const;

function addressAt(now: number): string {
  const platform = { signingKey, now: () => now, addresses: ADDRESSES };
  return mediaAddress(platform, DRAFT, 'owner')('a.png');
}

function isValidAt(now: number, query: string, key = signingKey, game = 'game', file = 'a.png') {
  const signer: MediaSigner = { signingKey: key, now: () => now };
  return isSignedMedia(signer, game, file, query);
}

test('only the owner of a draft gets signed addresses', () => {
  const platform = { signingKey, now: () => 0, addresses: ADDRESSES };
  const open = 'https://api.example/base/media/game/a.png';
  assert.match(addressAt(0), /^https:\/\/api\.example\/base\/media\/game\/a\.png\?until=\d+&key=/);
  assert.equal(mediaAddress(platform, DRAFT, 'public')('a.png'), open);
  for (const viewer of ['owner', 'public'] as const) {
    const game = { id: 'game', status: 'published' } as const;
    assert.equal(mediaAddress(platform, game, viewer)('a.png'), open);
  }
});

test('a signed address changes every 15 minutes and is valid for 15 to 30 minutes, to the millisecond', () => {
  const start = SPAN_MS * 1_900_000;
  const address = addressAt(start);
  assert.equal(addressAt(start + SPAN_MS - 1), address);
  assert.notEqual(addressAt(start + SPAN_MS), address);
  const [, query = ''] = address.split('?');
  assert.equal(isValidAt(start, query), true);
  assert.equal(isValidAt(start + 2 * SPAN_MS - 1, query), true);
  assert.equal(isValidAt(start + 2 * SPAN_MS, query), false);
});

test('a signature is valid only for its key, game, file and time', () => {
  const now = SPAN_MS * 1_900_000;
  const [, query = ''] = addressAt(now).split('?');
  assert.equal(isValidAt(now, query), true);
  assert.equal(isValidAt(now, query, randomBytes(32)), false);
  assert.equal(isValidAt(now, query, signingKey, 'other'), false);
  assert.equal(isValidAt(now, query, signingKey, 'game', 'b.png'), false);
  const later = query.replace(/until=(\d+)/, (_, until) => `until=${Number(until) + 900}`);
  assert.equal(isValidAt(now, later), false);
  for (const wrong of ['', `${query}&x=1`, `x=1&${query}`, query.slice(0, -1), `${query}A`]) {
    assert.equal(isValidAt(now, wrong), false, wrong);
  }
});
