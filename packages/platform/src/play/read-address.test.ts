import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressReader, type PlayAddress } from './read-address.ts';

const reader = (playOrigin: string | null, held: readonly string[] = []) =>
  createAddressReader({
    publicUrl: 'https://api.example',
    webOrigin: 'https://www.example',
    playOrigin,
    heldSlugs: new Set(held),
  });
const file = (slug: string, path: string, bare = false): PlayAddress => ({
  ...{ kind: 'file', slug, path, bare },
  from: { kind: 'live' },
});

test('an address contains the slug and the exact name of a file', () => {
  const read = reader(null);
  const cases: [string, PlayAddress][] = [
    ['/play/goats', file('goats', 'index.html', true)],
    ['/play/goats?a=/b', file('goats', 'index.html', true)],
    ['/play/goats/', file('goats', 'index.html')],
    ['/play/goats/?a#b', file('goats', 'index.html')],
    ['/play/goats/a/b%20c.js', file('goats', 'a/b c.js')],
    ['/play/goats/%C3%BC', file('goats', 'ü')],
    ['/play/goats/a%3Fb', file('goats', 'a?b')],
    ['/play/goats/a/', file('goats', 'a/')],
    ['/', { kind: 'elsewhere' }],
    ['/playing', { kind: 'elsewhere' }],
    ['/games/play/goats', { kind: 'elsewhere' }],
  ];
  for (const [url, expected] of cases) assert.deepEqual(read(url, 'any'), expected, url);
  const nothing = ['/play/', '/play//a', '/play/Goats', '/play/%67oats', '/play/goats/%'];
  const never = ['%ff', '.a', 'a/.b', '%2ea', 'a/%2Eb', '../a', 'a%2fb', 'a%2Fb', 'a%00'];
  for (const url of [...nothing, ...never.map((path) => `/play/goats/${path}`)]) {
    assert.deepEqual(read(url, 'any'), { kind: 'nothing' }, url);
  }
});

test('if each game has its own origin, its host contains the slug and /play redirects there', () => {
  const read = reader('https://{slug}.play.example');
  assert.deepEqual(read('/a.js?b', 'goats.play.example'), file('goats', 'a.js'));
  assert.deepEqual(read('/', 'Goats.PLAY.example'), file('goats', 'index.html'));
  assert.deepEqual(read('/play/x', 'goats.play.example'), file('goats', 'play/x'));
  assert.deepEqual(read('/a.js', 'a.b.play.example'), { kind: 'elsewhere' });
  assert.deepEqual(read('/a.js', 'goats.play.example.evil'), { kind: 'elsewhere' });
  assert.deepEqual(read('/a.js', undefined), { kind: 'elsewhere' });
  assert.deepEqual(read('/play/goats/a.js?b', 'api.example'), {
    kind: 'away',
    target: 'https://goats.play.example/a.js?b',
  });
});

test('if all games share an origin, they are served there and the API redirects there', () => {
  const read = reader('https://play.example');
  assert.deepEqual(read('/play/goats/a.js', 'play.example'), file('goats', 'a.js'));
  assert.deepEqual(read('/play/goats/a.js', 'PLAY.example'), file('goats', 'a.js'));
  assert.deepEqual(read('/play/goats/a.js', 'api.example'), {
    kind: 'away',
    target: 'https://play.example/play/goats/a.js',
  });
});

test('the address of a preview contains its token, on every kind of host', () => {
  const played = (path: string, bare = false): PlayAddress => ({
    ...{ kind: 'file', slug: 'goats', path, bare },
    from: { kind: 'preview', token: 't.0-_' },
  });
  const own = reader('https://{slug}.play.example');
  const shared = reader('https://play.example');
  assert.deepEqual(reader(null)('/play/goats/.preview/t.0-_/', 'any'), played('index.html'));
  assert.deepEqual(reader(null)('/play/goats/.preview/t.0-_?a', 'any'), played('index.html', true));
  assert.deepEqual(own('/.preview/t.0-_/a%20b.js', 'goats.play.example'), played('a b.js'));
  assert.deepEqual(shared('/play/goats/.preview/t.0-_/a.js', 'play.example'), played('a.js'));
  assert.deepEqual(own('/play/goats/.preview/t.0-_/a.js?b', 'api.example'), {
    kind: 'away',
    target: 'https://goats.play.example/.preview/t.0-_/a.js?b',
  });
  for (const path of [
    '.preview',
    '.previews/t/',
    '.preview/t/.env',
    '.preview/t/../a',
    'a/.preview/t/',
  ]) {
    assert.deepEqual(own(`/${path}`, 'goats.play.example'), { kind: 'nothing' }, path);
  }
});

test('a reserved host is never a game’s host, and its slug is 404', () => {
  const read = reader('https://{slug}.games.example', ['api', 'shop']);
  for (const host of ['api.games.example', 'API.games.example', 'shop.games.example']) {
    assert.deepEqual(read('/healthz', host), { kind: 'elsewhere' }, host);
  }
  assert.deepEqual(read('/play/shop/', 'api.games.example'), { kind: 'nothing' });
  assert.deepEqual(read('/', 'goats.games.example'), file('goats', 'index.html'));
});
