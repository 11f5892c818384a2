// What the dashboard offers after a change: to undo a rollback or a promotion, to put a game online again, and to move the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, AT, changes, openDesk, type Shown, STAGED } from './open-desk.ts';
import { apiError, gameOf, openStandIn, pageOf, releaseOf } from './stand-in-api.ts';

const NEW = releaseOf({ version: '2.0.0' });
const OLD = releaseOf({ version: '1.0.0', live: false, id: 'old-id' });
const DRAFT = { game: { status: 'draft', version: null } } as const;

/** The notice of a page: its words, and the action and the version of its form. */
function noticeOf(text: string): string | null {
  const [, notice] = text.split('<div class="notice good" role="status">');
  if (notice === undefined) return null;
  const [body = ''] = notice.split('</div>\n');
  const action = /action="[^"]*\/([\w-]+)"/.exec(body)?.[1];
  const version = /name="version" value="([^"]*)"/.exec(body)?.[1];
  const words = body.split('<div class="project-columns">')[0] ?? '';
  const said = words
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return action === undefined ? said : `${said} [${action} ${version}]`;
}

test('a rollback and a promotion name the version that is live, and offer the one before', async (t) => {
  const desk = await openDesk(t);
  for (const [action, done] of [
    ['rollback', 'rolled_back'],
    ['promote', 'promoted'],
  ] as const) {
    const call = `POST ${API}/${action}`;
    const live = { game: gameOf(), release: NEW };
    for (const [answer, query] of [
      [{ ...live, replaced: '1.0.0' }, 'version=2.0.0&replaced=1.0.0'],
      [{ ...live, replaced: null }, 'version=2.0.0'],
      [live, 'version=2.0.0'],
    ] as const) {
      desk.api.answers[call] = { json: answer };
      const sent = await desk.post(`${AT}/${action}`, { version: '2.0.0' });
      assert.equal(sent.headers.get('location'), `${AT}?done=${done}&${query}`);
      assert.deepEqual(changes(desk).at(-1), [call, {}, '{"version":"2.0.0"}']);
    }
    desk.api.answers[call] = apiError(409, 'not_staged', 'The release is not staged');
    const refused = await desk.post(`${AT}/${action}`, { version: '2.0.0' });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /role="alert"><p>The release is not staged\./);
    desk.api.answers[call] = 'drop';
    assert.equal((await desk.post(`${AT}/${action}`, { version: '2.0.0' })).status, 503);
  }
});

test('the notice offers to undo the change, unless the game has changed since', async (t) => {
  const said = 'Version 2.0.0 is live. Players now get it.';
  const both: Shown = { releases: [STAGED, NEW, OLD] };
  const cases: [query: string, shown: Shown, notice: string | null][] = [
    [
      'done=rolled_back&version=2.0.0&replaced=1.0.0',
      both,
      `${said} Undo: make 1.0.0 live again [rollback 1.0.0]`,
    ],
    [
      'done=promoted&version=2.0.0&replaced=1.0.0',
      both,
      `${said} Undo: make 1.0.0 live again [rollback 1.0.0]`,
    ],
    ['done=rolled_back&version=2.0.0', both, said],
    // It was deleted, or it is live itself.
    ['done=rolled_back&version=2.0.0&replaced=0.9.0', both, said],
    ['done=rolled_back&version=2.0.0&replaced=2.0.0', both, said],
    ['done=rolled_back&version=1.0.0&replaced=2.0.0', both, null],
    ['done=rolled_back', both, null],
    ['done=rolled_back&version=2.0.0&replaced=1.0.0', { ...both, ...DRAFT }, null],
    [
      'done=unpublished',
      { ...both, ...DRAFT },
      'Unpublished. Players can no longer open the page or the game. Preview links still work. All files are kept. To undo this, choose “Put online again”.',
    ],
  ];
  for (const [query, shown, notice] of cases) {
    const desk = await openDesk(t, shown);
    assert.equal(noticeOf(await desk.open(`${AT}?${query}`)), notice, query);
  }
});

test('an unpublished game is put online again with its last release', async (t) => {
  const head = async (shown: Shown): Promise<string> => {
    const [, text = ''] = (await (await openDesk(t, shown)).open(AT)).split('project-head');
    return text.split('</header>')[0] ?? '';
  };
  assert.match(
    await head({ ...DRAFT, releases: [NEW, OLD] }),
    /<div class="actions"><form method="post" action="[^"]*moon-id\/rollback"><input type="hidden" name="version" value="2\.0\.0"><button [^>]*>Put online again</,
  );
  assert.doesNotMatch(await head({ ...DRAFT, releases: [STAGED] }), /Put online again/);
  assert.doesNotMatch(await head({ releases: [NEW, OLD] }), /Put online again/);
});

test('the address of a page is changed, and a rejected one is shown again', async (t) => {
  const desk = await openDesk(t, { formerSlugs: ['luna', 'selene'] });
  const page = await desk.open(AT);
  assert.match(page, /<code class="wrapping">\/games\/moon<\/code>/);
  assert.match(page, /These lead there too:[^/]*\/games\/luna<\/code>, [^/]*\/games\/selene</);
  assert.match(page, /<details class="move-page"><summary>Change the address</);
  const call = `PUT ${API}/slug`;
  desk.api.answers[call] = { json: { game: gameOf({ slug: 'moon-hop' }) } };
  const moved = await desk.post(`${AT}/slug`, { slug: ' moon-hop ' });
  assert.equal(moved.headers.get('location'), `${AT}?done=moved`);
  assert.deepEqual(changes(desk), [[call, {}, '{"slug":"moon-hop"}']]);
  assert.equal(
    noticeOf(await desk.open(`${AT}?done=moved`)),
    'The page has a new address. The old one leads there.',
  );
  const message = 'The slug "star" is taken. Choose another';
  const details = [{ path: '/slug', message }];
  desk.api.answers[call] = {
    status: 409,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ error: { code: 'slug_taken', message, details } }),
  };
  const refused = await desk.post(`${AT}/slug`, { slug: 'star' });
  assert.equal(refused.status, 409);
  const text = await refused.text();
  assert.match(text, /role="alert"><p>The slug &quot;star&quot; is taken\. Choose another\.</);
  assert.match(text, /<details class="move-page" open><summary>Change the address</);
  assert.match(text, /name="slug"[^>]*value="star"[^>]*aria-invalid="true"/);
  const evil = await desk.post(`${AT}/slug`, { slug: '"><img src=x>' });
  assert.doesNotMatch(await evil.text(), /<img src=x>/);
  const plain = await (await openDesk(t)).open(AT);
  assert.doesNotMatch(plain, /These lead there too/);
  const old = await (await openDesk(t, { formerSlugs: null })).open(AT);
  assert.doesNotMatch(old, /Change the address/);
});

test('pages at an earlier address of a game lead to the present one', async (t) => {
  const site = await openStandIn(t);
  const game = gameOf({ slug: 'moon' });
  const releases = { releases: [releaseOf()], next_cursor: null };
  site.api.answers['GET /games/luna'] = { json: { game, developer: {} } };
  site.api.answers['GET /games/luna/releases'] = { json: releases };
  site.api.answers['GET /games/luna/page'] = {
    json: {
      ...{ game, developer: { uid: 'ada', name: 'Ada' }, page: pageOf(), category: null },
      ...{ releases: [], embed: { url: 'https://play.example/play/luna/', allow: '' } },
    },
  };
  for (const [from, to] of [
    ['/games/luna', '/games/moon'],
    ['/games/luna?play=1', '/games/moon?play=1'],
    ['/games/luna/releases?cursor=a%2Fb', '/games/moon/releases?cursor=a%2Fb'],
    ['/games/luna/releases.xml', '/games/moon/releases.xml'],
    ['/games/luna/releases.atom', '/games/moon/releases.atom'],
  ] as const) {
    const answer = await site.ask(from, { redirect: 'manual' });
    assert.equal(answer.status, 301, from);
    assert.equal(answer.headers.get('location'), to);
    assert.equal(answer.headers.get('cache-control'), 'no-store', 'the page can move back');
  }
});
