import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, type Delivery, type GameFile, makeRepresentations } from './representations.ts';

const HASH = '0123456789abcdef'.repeat(4);
const file: GameFile = {
  hash: HASH,
  type: 'text/javascript',
  encoding: null,
  bytes: 100,
  inner_bytes: 100,
  hashed_name: 0,
  gzip_bytes: 50,
  br_bytes: 40,
};
const DELIVERY: Delivery = {
  isolation: 'none',
  profiling: false,
  embedder: 'https://games.example',
  keyOf: (coding) => (coding === undefined ? `game/place/${HASH}` : `game/place/${HASH}.${coding}`),
};
const make = (change: Partial<GameFile> = {}) =>
  makeRepresentations({ ...file, ...change }, DELIVERY);

test('a file has a form with its own ETag for each stored encoding', () => {
  const { identity, gzip, br } = make();
  const start = HASH.slice(0, 32);
  assert.deepEqual(
    [identity, gzip, br].map((form) => [form?.etag, form?.bytes, form?.key, form?.decode]),
    [
      [`"${start}"`, 100, `game/place/${HASH}`, null],
      [`"${start}-gz"`, 50, `game/place/${HASH}.gzip`, null],
      [`"${start}-br"`, 40, `game/place/${HASH}.br`, null],
    ],
  );
  assert.deepEqual([make({ gzip_bytes: null }).gzip, make({ br_bytes: null }).br], [null, null]);
});

test('a precompressed file is sent unchanged, and decoded for clients that do not accept its encoding', () => {
  for (const encoding of ['gzip', 'br'] as const) {
    const forms = make({ encoding, inner_bytes: 300, gzip_bytes: null, br_bytes: null });
    const other = encoding === 'gzip' ? 'br' : 'gzip';
    assert.equal(forms[other], null);
    assert.deepEqual([forms[encoding]?.bytes, forms[encoding]?.decode], [100, null]);
    assert.deepEqual([forms.identity.bytes, forms.identity.decode], [300, encoding]);
    assert.equal(forms.identity.key, forms[encoding]?.key);
    assert.notEqual(forms.identity.etag, forms[encoding]?.etag);
  }
});

test('only hashed names that are not pages are immutable', () => {
  const cacheOf = (change: Partial<GameFile>): string | undefined => {
    const { headers } = make(change).identity;
    return headers[headers.indexOf('Cache-Control') + 1];
  };
  assert.equal(cacheOf({}), 'public, max-age=0, must-revalidate');
  assert.equal(cacheOf({ hashed_name: 1 }), 'public, max-age=31536000, immutable');
  assert.equal(cacheOf({ hashed_name: 1, type: 'text/html; charset=utf-8' }), 'no-cache');
  assert.equal(cacheOf({ type: 'text/html' }), 'no-cache');
});

test('only pages have the headers for profiling, and an ETag of their own with them', () => {
  const both = [false, true].map((profiling) =>
    ['text/html; charset=utf-8', 'text/javascript'].map((type) =>
      makeRepresentations({ ...file, type }, { ...DELIVERY, profiling }),
    ),
  );
  const [[page, script] = [], [profiled, sameScript] = []] = both;
  assert.deepEqual(script, sameScript);
  for (const name of ['identity', 'gzip', 'br'] as const) {
    const [plain, form] = [page?.[name], profiled?.[name]];
    assert.notEqual(plain?.etag, form?.etag, 'a cached page is replaced when the setting changes');
    for (const headers of [form?.headers ?? [], form?.bareHeaders ?? []]) {
      for (const header of ['Document-Policy', 'Server-Timing']) {
        assert.equal(headers[headers.indexOf(header) + 1], 'js-profiling');
      }
    }
    assert.ok(!plain?.headers.includes('js-profiling'));
  }
});

test('the client’s preferred form is chosen, and the smaller one for equal weights', () => {
  const all = make();
  const noBr = make({ br_bytes: null });
  const rows: [
    forms: typeof all,
    br: number,
    gzip: number,
    identity: number,
    chosen: object | null,
  ][] = [
    [all, 1, 1, 0, all.br],
    [all, 0.5, 1, 0, all.gzip],
    [all, 1, 0.5, 0, all.br],
    [all, 0, 0.1, 0, all.gzip],
    [all, 0, 0, 0, all.identity],
    [all, 1, 1, 1, all.br],
    [all, 0.5, 0.5, 0.6, all.identity],
    [all, 0.5, 0.7, 0.6, all.gzip],
    [noBr, 1, 0, 0, noBr.identity],
    [noBr, 1, 0.5, 0, noBr.gzip],
    [noBr, 1, 0.5, 0.6, noBr.identity],
  ];
  for (const [forms, br, gzip, identity, chosen] of rows) {
    assert.equal(choose(forms, { br, gzip, identity }), chosen, `${br} ${gzip} ${identity}`);
  }
});
