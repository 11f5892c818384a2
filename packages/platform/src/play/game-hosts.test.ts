import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESERVED_SLUGS } from '@svc/contracts/platform';
import { findHeldSlugs, isSameHost, readGameHosts, sharesCookies } from './game-hosts.ts';

test('readGameHosts finds the slug in the host of a game', () => {
  const hosts = readGameHosts('https://play-{slug}.games.example:8443');
  assert.ok(hosts.kind === 'own');
  assert.equal(hosts.slugOf('play-goats.games.example:8443'), 'goats');
  for (const host of [
    ...['play-goats.games.example', 'goats.games.example:8443', ''],
    ...['play-a.b.games.example:8443', 'play-.games.example:8443', 'play-Goats.games.example:8443'],
    ...['x.play-goats.games.example:8443', 'play-goats.games.example:84433'],
    'play-goats-games.example:8443',
  ]) {
    assert.equal(hosts.slugOf(host), null, host);
  }
});

test('findHeldSlugs returns the slugs of the other services’ hosts, ignoring port, case and trailing dot', () => {
  const held = (...addresses: string[]): string[] =>
    [...findHeldSlugs('http://{slug}.games.example:8787', addresses)].filter(
      (slug) => !RESERVED_SLUGS.includes(slug),
    );
  assert.deepEqual(held('https://BACK.games.example:9000/v1', 'https://shop.games.example.'), [
    'back',
    'shop',
  ]);
  assert.deepEqual(held('https://games.example', 'https://a.b.games.example'), []);
  assert.ok(findHeldSlugs('http://{slug}.games.example', []).has('api'));
  assert.deepEqual([...findHeldSlugs('https://play.example', ['https://play.example'])], []);
  assert.deepEqual([...findHeldSlugs(null, ['https://play.example'])], []);
});

test('isSameHost compares hosts as browsers do, and treats all loopback names as one', () => {
  const same = [
    ['https://x.example', 'https://X.Example:443/api'],
    ['https://x.example', 'http://x.example'],
    ['https://x.example.', 'https://x.example'],
    ['http://localhost:8787', 'http://127.0.0.1:8787'],
    ['http://[::1]:8787', 'http://127.0.0.2:8787'],
  ] as const;
  for (const [one, other] of same) assert.ok(isSameHost(one, other), `${one} ${other}`);
  const different = [
    ['https://x.example', 'https://x.example:8443'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8788'],
    ['https://play.x.example', 'https://x.example'],
  ] as const;
  for (const [one, other] of different) assert.ok(!isSameHost(one, other), `${one} ${other}`);
});

test('sharesCookies ignores ports and schemes, and is false for loopback', () => {
  assert.ok(sharesCookies('https://x.example', 'http://X.example.:8443'));
  assert.ok(!sharesCookies('https://x.example', 'https://play.x.example'));
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
    assert.ok(!sharesCookies(`http://${host}:1`, `http://${host}:2`), host);
  }
  for (const host of ['127.0.0.1.example', 'localhost.example', '128.0.0.1', 'my-localhost']) {
    assert.ok(sharesCookies(`http://${host}:1`, `http://${host}:2`), host);
  }
});

test('readGameHosts returns one shared host for an origin without {slug}', () => {
  assert.deepEqual(readGameHosts('https://play.example:8443'), {
    kind: 'shared',
    host: 'play.example:8443',
  });
});
