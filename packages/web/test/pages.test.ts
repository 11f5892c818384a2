// The document and the headers of pages: policy, metadata, framing, navigation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LAYOUT } from '@svc/contracts/platform';
import { accentColours } from '../src/page/accent-colours.ts';
import { ADA, gameOf, openStandIn, pageOf, releaseOf, type StandInSite } from './stand-in-api.ts';

const OWN_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'permissions-policy',
  'cache-control',
  'vary',
  'strict-transport-security',
];

/** The security headers of a page, with NONCE for its nonce. */
async function rulesOf(answer: Response): Promise<Record<string, string | null>> {
  const text = await answer.text();
  const policy = answer.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] = /'nonce-([A-Za-z0-9+/]{22}==)'/.exec(policy) ?? [];
  assert.notEqual(nonce, '');
  for (const [script = ''] of text.matchAll(/<(?:script|style)\b[^>]*>/g)) {
    const isData = /type="application\/(?:ld\+)?json"/.test(script);
    assert.equal(script.includes(` nonce="${nonce}"`), !isData, script);
  }
  return Object.fromEntries(
    OWN_HEADERS.map((name) => [name, answer.headers.get(name)?.replaceAll(nonce, 'NONCE') ?? null]),
  );
}

const RULES: Readonly<Record<string, string | null>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'nonce-NONCE' 'strict-dynamic'",
    "style-src 'self' 'nonce-NONCE'",
    "img-src 'self' https://media.example blob:",
    "media-src 'self' https://media.example",
    "connect-src 'self'",
    "frame-src 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': null,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cache-control': 'private, no-cache',
  vary: 'Cookie, Accept-Encoding',
  'strict-transport-security': null,
};

const policyWith = (from: string, to: string) => ({
  'content-security-policy': RULES['content-security-policy']?.replace(from, to) ?? null,
});

function answerGame(site: StandInSite, isolation: 'none' | 'credentialless' | 'require-corp') {
  const layout = { ...DEFAULT_LAYOUT, theme: 'dark' as const, accent: '#ffb000' };
  const game = gameOf({ title: 'Moon "x"' });
  site.api.answers['GET /games/moon/page'] = {
    json: {
      game,
      developer: ADA,
      page: pageOf({ layout }),
      category: null,
      releases: [releaseOf({ isolation })],
      embed: { url: 'https://play.example/play/moon/', allow: 'fullscreen' },
    },
  };
  const project = { game, page: pageOf({ layout }), isolation: null };
  site.api.answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  site.api.answers['GET /projects/moon-id'] = { json: project };
  site.api.answers['GET /projects/moon-id/releases'] = {
    json: { releases: [releaseOf()], next_cursor: null },
  };
}

test('a page has a strict policy and the other security headers', async (t) => {
  const site = await openStandIn(t);
  assert.deepEqual(await rulesOf(await site.ask('/search')), RULES);
  const safe = await openStandIn(t, { origin: 'https://games.example' });
  assert.deepEqual(await rulesOf(await safe.ask('/search')), {
    ...RULES,
    'strict-transport-security': 'max-age=31536000',
  });
});

test('a game’s page may frame the game, and is isolated if the live release needs it', async (t) => {
  const site = await openStandIn(t);
  const framing = policyWith("frame-src 'none'", 'frame-src https://play.example');
  answerGame(site, 'credentialless');
  const isolated = { 'cross-origin-embedder-policy': 'credentialless' };
  assert.deepEqual(await rulesOf(await site.ask('/games/moon')), {
    ...RULES,
    ...framing,
    ...isolated,
  });
  assert.match(await site.read('/games/moon'), /data-isolated="yes"/);
  answerGame(site, 'none');
  assert.deepEqual(await rulesOf(await site.ask('/games/moon')), { ...RULES, ...framing });
  assert.match(await site.read('/games/moon'), /data-isolated="no"/);
});

test('only a preview may be framed, by this site only, and only the editor frames it', async (t) => {
  const site = await openStandIn(t);
  answerGame(site, 'credentialless');
  const headers = { cookie: await site.cookie() };
  assert.deepEqual(await rulesOf(await site.ask('/dashboard/games/moon-id/preview', { headers })), {
    ...RULES,
    ...policyWith("frame-ancestors 'none'", "frame-ancestors 'self'"),
    'x-frame-options': 'SAMEORIGIN',
    'cache-control': 'private, no-store',
  });
  assert.deepEqual(await rulesOf(await site.ask('/dashboard/games/moon-id/page', { headers })), {
    ...RULES,
    ...policyWith("frame-src 'none'", "frame-src 'self'"),
    'cache-control': 'private, no-store',
  });
});

test('feeds and other raw responses are sandboxed', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /home'] = { json: { games: [], developers: [], next_cursor: null } };
  for (const path of ['/feed.xml', '/feed.atom', '/sitemap.xml', '/sitemap-games.xml']) {
    const { headers } = await site.ask(path);
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox", path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cache-control'), 'public, max-age=300', path);
  }
  const robots = await site.ask('/robots.txt');
  assert.equal(robots.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(
    await robots.text(),
    `User-agent: *\nDisallow: /dashboard\nDisallow: /sign-in\nDisallow: /search\nDisallow: /games/*/report\n\nSitemap: ${site.web.origin}/sitemap.xml\n`,
  );
});

test('the head of a page contains its escaped title, address and image', async (t) => {
  const site = await openStandIn(t, { name: 'My <games>' });
  answerGame(site, 'none');
  const { origin } = site.web;
  const text = await site.read('/games/moon?play=1');
  for (const line of [
    '<html lang="en" data-theme="dark">',
    '<meta name="color-scheme" content="dark">',
    '<title>Moon &quot;x&quot; · My &lt;games&gt;</title>',
    '<meta name="description" content="Moon &quot;x&quot; by Ada: play it in your browser.">',
    `<link rel="canonical" href="${origin}/games/moon">`,
    '<meta property="og:site_name" content="My &lt;games&gt;">',
    '<meta property="og:type" content="website">',
    `<meta property="og:url" content="${origin}/games/moon">`,
    '<meta name="twitter:card" content="summary">',
    '<link rel="alternate" type="application/rss+xml" href="/games/moon/releases.xml" title="Releases of Moon &quot;x&quot;">',
    '<link rel="alternate" type="application/atom+xml" href="/games/moon/releases.atom" title="Releases of Moon &quot;x&quot; (Atom)">',
    ':root{--game-accent:#ffb000;--game-accent-ink:#000000}</style>',
  ]) {
    assert.ok(text.includes(line), `${line}\n${text.slice(0, 3_000)}`);
  }
  assert.doesNotMatch(text, /noindex|og:image/);
  assert.match(await (await openStandIn(t)).read('/search'), /<title>Search · svc games<\/title>/);
  const search = await site.read('/search');
  assert.match(
    search,
    /<html lang="en">[\s\S]*content="light dark"[\s\S]*name="robots" content="noindex"/,
  );
  site.api.answers['GET /home'] = {
    json: {
      games: [gameOf({ cover_url: 'https://media.example/cover.png' })],
      developers: [],
      next_cursor: null,
    },
  };
  const front = await site.read('/');
  assert.match(front, /<title>My &lt;games&gt;<\/title>/);
  assert.match(front, /og:image" content="https:\/\/media\.example\/cover\.png">/);
  assert.match(front, /<meta name="twitter:card" content="summary_large_image">/);
});

test('a page loads only the script of its island, and the script exists', async (t) => {
  const site = await openStandIn(t);
  answerGame(site, 'none');
  const scripts = async (path: string): Promise<string[]> => {
    const text = await site.read(path);
    return [...text.matchAll(/<script type="module" src="([^"]*)" nonce="[^"]+"><\/script>/g)].map(
      ([, src = '']) => src,
    );
  };
  const [island = '', ...more] = await scripts('/games/moon');
  assert.match(island, /^\/assets\/game-[\w-]+\.js$/);
  assert.deepEqual(more, []);
  const sent = await site.ask(island);
  assert.equal(sent.status, 200);
  assert.match(sent.headers.get('content-type') ?? '', /^text\/javascript/);
  assert.deepEqual(await scripts('/search'), []);
});

test('the header shows the current place and the signed-in user, and the sign-in returns to the page', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /home'] = { json: { games: [], developers: [], next_cursor: null } };
  site.api.answers['GET /search'] = { json: { games: [], developers: [] } };
  const visitor = await site.read('/search?q=a%26%22b%22');
  assert.match(
    visitor,
    /href="\/sign-in\?return_to=%2Fsearch%3Fq%3Da%2526%2522b%2522" rel="nofollow"/,
  );
  assert.match(visitor, /name="q" value="a&amp;&quot;b&quot;"/);
  assert.match(await site.read('/'), /name="q" value="" placeholder="Search games"/);
  assert.doesNotMatch(visitor, /action="\/sign-out"/);
  assert.match(await site.read('/'), /class="brand" href="\/" aria-current="page"/);
  assert.doesNotMatch(visitor, /class="brand" href="\/" aria-current/);
  const member = await site.read('/search', {
    headers: { cookie: await site.cookie({ name: 'A<b>', uid: 'u-1' }) },
  });
  assert.match(member, /<span class="who">A&lt;b&gt;<\/span>/);
  assert.match(
    member,
    /href="\/devs\/u-1">Public page[\s\S]*<form method="post" action="\/sign-out">/,
  );
  assert.doesNotMatch(member, /\/sign-in\?/);
});

test('accentColours returns the text colour with more contrast, and null if the accent is not #rrggbb', () => {
  const rows: [accent: string, ink: 'black' | 'white'][] = [
    ['#000000', 'white'],
    ['#ffffff', 'black'],
    ['#ff0000', 'black'],
    ['#00ff00', 'black'],
    ['#0000ff', 'white'],
    // Just above and below the luminance at which both contrasts are equal.
    ['#757575', 'white'],
    ['#767676', 'black'],
    ['#e80000', 'white'],
    ['#f00000', 'black'],
    ['#008000', 'white'],
    ['#008b00', 'black'],
    ['#8080ff', 'black'],
    ['#5050ff', 'white'],
    // Dark channels are converted linearly.
    ['#488409', 'white'],
    ['#747b0a', 'black'],
    ['#747b09', 'white'],
    ['#008660', 'white'],
    ['#006ef8', 'black'],
    ['#0070f0', 'white'],
  ];
  for (const [accent, ink] of rows) {
    const expected = { accent, ink: { black: '#000000', white: '#ffffff' }[ink] };
    assert.deepEqual(accentColours(accent), expected, accent);
  }
  for (const other of [null, '', 'red', '#fff', '#FFB000', '#ffb0000', '#ffb000;', ' #ffb000']) {
    assert.equal(accentColours(other), null, String(other));
  }
});
