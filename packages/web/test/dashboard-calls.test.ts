// The API calls of the dashboard, and how it shows their responses.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Game, Token } from '@svc/contracts/platform';
import {
  ADA,
  apiError,
  gameOf,
  mediaOf,
  openStandIn,
  pageOf,
  releaseOf,
  type StandInSite,
} from './stand-in-api.ts';

const AT = '/dashboard/games/moon-id';

type Desk = StandInSite & {
  /** Opens a page and sends a form as the user Ada. */
  open(path: string, headers?: Record<string, string>): Promise<string>;
  post(
    path: string,
    form: Record<string, string> | URLSearchParams | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>;
};

/** The dashboard of a developer with one game. */
async function openDesk(t: TestContext, game: Partial<Game> = {}, session = {}): Promise<Desk> {
  const site = await openStandIn(t);
  const { answers } = site.api;
  const moon = gameOf(game);
  answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  answers['GET /projects'] = { json: { games: [moon], next_cursor: null } };
  answers['GET /projects/moon-id'] = {
    json: { game: moon, page: pageOf(), isolation: null, live_release: releaseOf() },
  };
  answers['GET /projects/moon-id/releases'] = {
    json: { releases: [releaseOf()], next_cursor: null },
  };
  answers['GET /tokens'] = { json: { tokens: [] } };
  const cookie = await site.cookie(session);
  return {
    ...site,
    open: (path, headers) => site.read(path, { headers: { cookie, ...headers } }),
    post: (path, form, headers) => site.send(path, form, { cookie, ...headers }),
  };
}

/** The calls that change data: route and body. */
const changes = ({ api }: StandInSite): [string, string][] =>
  api.asked
    .filter(({ route }) => !route.startsWith('GET '))
    .map(({ route, body }) => [route, body]);

const JSON_WANTED = { accept: 'application/json' };

test('dashboard calls send the user’s ID token, and store calls do not', async (t) => {
  const desk = await openDesk(t);
  await desk.open('/dashboard');
  await desk.open('/dashboard/tokens');
  await desk.open('/search?q=x');
  const sent = new Set(
    desk.api.asked.map(({ route, headers }) => `${route} ${headers.authorization ?? '-'}`),
  );
  assert.deepEqual([...sent].toSorted(), [
    'GET /limits -',
    'GET /me Bearer ada-token',
    'GET /me/deleted-games Bearer ada-token',
    'GET /projects Bearer ada-token',
    'GET /search -',
    'GET /tokens Bearer ada-token',
  ]);
});

test('a session that can’t be renewed ends a minute before its ID token expires, and two minutes before for an avatar', async (t) => {
  const lasting = await openDesk(t, {}, { expiresAt: Date.now() + 110_000 });
  assert.match(await lasting.open('/dashboard/profile'), /<h1>Profile<\/h1>/);
  assert.equal((await lasting.post('/dashboard/profile/avatar', new FormData())).status, 401);
  const ending = await openDesk(t, {}, { expiresAt: Date.now() + 59_000 });
  assert.equal((await ending.post('/dashboard/new', { title: 'x' })).status, 401);
  assert.deepEqual(changes(ending), []);
});

test('a player sees how to become a developer, and no other action is possible before', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['GET /me'] = {
    json: { user: { ...ADA, role: 'player' }, auth: { kind: 'session' } },
  };
  for (const path of ['/dashboard', AT, '/dashboard/tokens']) {
    assert.match(await desk.open(path), /Publish games here, Ada/, path);
  }
  for (const path of [`${AT}/delete`, '/dashboard/tokens', `${AT}/rollback`]) {
    const answer = await desk.post(path, { title: 'Moon', name: 'x', version: '1.0.0' });
    assert.match(await answer.text(), /Become a developer/, path);
  }
  assert.deepEqual(changes(desk), []);
  desk.api.answers['POST /auth/session'] = apiError(403, 'developer_signup_closed', 'It is closed');
  const closed = await desk.post('/dashboard/become-developer', {});
  assert.equal(closed.status, 403);
  assert.match(
    await closed.text(),
    /Publish games here, Ada<\/h1><div [^>]*role="alert"><p>It is closed\.</,
  );
  desk.api.answers['POST /auth/session'] = { json: { user: ADA } };
  const done = await desk.post('/dashboard/become-developer', {});
  assert.equal(done.headers.get('location'), '/dashboard');
  assert.deepEqual(changes(desk).at(-1), [
    'POST /auth/session',
    JSON.stringify({ id_token: 'ada-token', role: 'developer' }),
  ]);
});

test('a token is created with the values of its form', async (t) => {
  const desk = await openDesk(t);
  const token: Token = {
    id: 'token-id',
    name: 'laptop',
    scopes: ['publish'],
    projects: null,
    created_at: '2026-03-01T00:00:00.000Z',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    hint: 'abcd1234',
  };
  desk.api.answers['POST /tokens'] = { json: { token, secret: 'svc_secret<' } };
  const created = await desk.post('/dashboard/tokens', { name: ' laptop ', scopes: 'publish' });
  assert.match(await created.text(), /<code data-secret>svc_secret&lt;<\/code>/);
  await desk.post(
    '/dashboard/tokens',
    new URLSearchParams([
      ['name', 'ci'],
      ['scopes', 'read'],
      ['scopes', 'publish'],
      ['scopes', 'everything'],
      ['project', 'moon-id'],
      ['days', 'never'],
    ]),
  );
  await desk.post('/dashboard/tokens', { name: 'x', days: '30' });
  assert.deepEqual(
    changes(desk).map(([, body]) => JSON.parse(body)),
    [
      { name: 'laptop', scopes: ['publish'], expires_in_days: 365 },
      {
        name: 'ci',
        scopes: ['publish', 'read'],
        projects: ['moon-id'],
        expires_in_days: null,
      },
      { name: 'x', scopes: [], expires_in_days: 30 },
    ],
  );
});

test('the token form preselects `publish`, and keeps its input after a rejection', async (t) => {
  const desk = await openDesk(t);
  const ticked = (text: string): string[] =>
    [...text.matchAll(/name="scopes" value="(\w+)" checked/g)].map(([, scope = '']) => scope);
  const first = await desk.open('/dashboard/tokens');
  assert.deepEqual(ticked(first), ['publish']);
  assert.match(first, /<option value="365" selected>1 year<[\s\S]*No tokens yet/);
  desk.api.answers['POST /tokens'] = apiError(400, 'invalid_input', 'The name is taken');
  const typed = { name: 'ci "x"', scopes: 'read', days: '90', project: 'moon-id' };
  const refused = await desk.post('/dashboard/tokens', typed);
  assert.equal(refused.status, 400);
  const text = await refused.text();
  assert.deepEqual(ticked(text), ['read']);
  assert.match(
    text,
    /value="ci &quot;x&quot;"[\s\S]*value="moon-id" selected>Only Moon<[\s\S]*value="90" selected/,
  );
  assert.match(text, /The name is taken\./);
  assert.deepEqual(ticked(await (await desk.post('/dashboard/tokens', { name: 'x' })).text()), []);
});

test('tokens are listed with their permissions, and only valid tokens can be revoked', async (t) => {
  const desk = await openDesk(t);
  const token = (name: string, more: Partial<Token>): Token => ({
    ...{ id: `${name}-id`, name, scopes: ['read'], projects: null, hint: 'abcd1234' },
    ...{ created_at: '2026-03-01T00:00:00.000Z', expires_at: null },
    ...{ last_used_at: null, revoked_at: null },
    ...more,
  });
  const past = '2026-03-02T00:00:00.000Z';
  const tokens = [
    token('good', { scopes: ['publish', 'read'], expires_at: '2999-01-01T00:00:00.000Z' }),
    token('over', { expires_at: past, projects: ['a'] }),
    token('revoked', { revoked_at: past, projects: ['a', 'b'], last_used_at: past }),
  ];
  desk.api.answers['GET /tokens'] = { json: { tokens } };
  const text = await desk.open('/dashboard/tokens?done=revoked');
  const rows = [...text.matchAll(/<tr role="row"><th scope="row".*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/data-column="(\w[\w ]*)">(.*?)<\/td>/gs)].map(([, column, cell = '']) => [
      column,
      cell.replace(/<[^>]+>/g, ''),
    ]),
  );
  const created = ['Created', 'Mar 1, 2026'];
  assert.deepEqual(rows, [
    [
      ['Permissions', 'publish, read'],
      created,
      ['Last used', 'never'],
      ['Expires', 'Jan 1, 2999'],
      ['Status', 'Revoke'],
    ],
    [
      ['Permissions', 'read, 1 game only'],
      created,
      ['Last used', 'never'],
      ['Expires', 'Mar 2, 2026'],
      ['Status', 'expired'],
    ],
    [
      ['Permissions', 'read, 2 games only'],
      created,
      ['Last used', 'Mar 2, 2026'],
      ['Expires', 'never'],
      ['Status', 'revoked Mar 2, 2026'],
    ],
  ]);
  assert.match(text, /role="status"><p>The token has been revoked\. It can no longer be used\./);
  desk.api.answers['DELETE /tokens/good-id'] = { status: 204, text: '' };
  const done = await desk.post('/dashboard/tokens/revoke', { id: 'good-id' });
  assert.equal(done.headers.get('location'), '/dashboard/tokens?done=revoked');
  assert.equal((await desk.post('/dashboard/tokens/revoke', {})).status, 303);
  assert.deepEqual(changes(desk), [['DELETE /tokens/good-id', '']]);
});

test('a game’s page lists its releases with their possible actions', async (t) => {
  const releases = [
    releaseOf({ version: '2', live: false }),
    releaseOf({ version: '1', live: true, file_count: 12, zip_bytes: 1536 }),
  ];
  const forms = async (game: Partial<Game>): Promise<[string[], string[], string]> => {
    const desk = await openDesk(t, game);
    desk.api.answers['GET /projects/moon-id/releases'] = { json: { releases, next_cursor: null } };
    desk.api.answers['GET /projects/moon-id/previews'] = { json: { previews: [] } };
    const text = await desk.open(AT);
    assert.deepEqual(desk.api.asked.find(({ route }) => route.endsWith('/releases'))?.query, {
      limit: '100',
    });
    const rows = [...text.matchAll(/<tr role="row"><th scope="row".*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/action="[^"]*\/([\w-]+)"/g)].map(([, action = '']) => action).join(),
    );
    const others = [
      ...text
        .slice(text.indexOf('Unpublish or delete'))
        .matchAll(/action="[^"]*moon-id\/([\w-]+)"/g),
    ];
    return [rows, others.map(([, action = '']) => action), text];
  };
  const [rows, ends, text] = await forms({});
  assert.deepEqual(rows, ['rollback,create-link,delete-release', '']);
  assert.deepEqual(ends, ['unpublish', 'delete']);
  assert.match(text, /<span class="mark">live<\/span>[\s\S]*>12<\/td>[\s\S]*1\.5 KiB/);
  assert.match(text, /href="\/games\/moon">View page/);
  const [draftRows, draftEnds, draft] = await forms({ status: 'draft', version: null });
  assert.deepEqual(draftRows, ['rollback,create-link,delete-release', 'rollback,create-link']);
  assert.deepEqual(draftEnds, ['delete']);
  assert.match(draft, /<span class="mark draft">last live<\/span>[\s\S]*Put online/);
  assert.match(draft, /no release yet/);
  assert.doesNotMatch(draft, /View page/);
});

test('an action on a game calls the API, and a rejection is shown on the page of the game', async (t) => {
  const desk = await openDesk(t);
  const rows: [
    action: string,
    form: Record<string, string>,
    call: string,
    body: string,
    done: string,
  ][] = [
    ['unpublish', {}, 'POST /projects/moon-id/unpublish', '', 'unpublished'],
    [
      'delete-release',
      { version: '1.0' },
      'DELETE /projects/moon-id/releases/1.0',
      '',
      'release_deleted',
    ],
  ];
  for (const [action, form, call, body, done] of rows) {
    desk.api.answers[call] = { json: {} };
    const answer = await desk.post(`${AT}/${action}`, form);
    assert.equal(answer.headers.get('location'), `${AT}?done=${done}`);
    assert.deepEqual(changes(desk).at(-1), [call, body]);
    if (action !== 'unpublish') {
      assert.match(await desk.open(`${AT}?done=${done}`), /class="notice good"/);
    }
    desk.api.answers[call] = apiError(409, 'publish_in_progress', 'Another one is running');
    const refused = await desk.post(`${AT}/${action}`, form);
    assert.equal(refused.status, 409);
    assert.match(
      await refused.text(),
      /role="alert"><p>Another one is running\.[\s\S]*Upload a build/,
    );
  }
});

test('a game is deleted only after its title was entered', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['DELETE /projects/moon-id'] = { status: 204, text: '' };
  for (const title of ['', 'moon', 'Moo', 'Moon 2']) {
    const refused = await desk.post(`${AT}/delete`, { title });
    assert.equal(refused.status, 400, title);
    assert.match(
      await refused.text(),
      /Nothing was deleted\. To delete the game, type its title exactly: “Moon”/,
    );
  }
  assert.deepEqual(changes(desk), []);
  const gone = await desk.post(`${AT}/delete`, { title: ' Moon ' });
  assert.equal(gone.headers.get('location'), '/dashboard?done=deleted&game=moon-id');
  assert.deepEqual(changes(desk), [['DELETE /projects/moon-id', '']]);
});

test('an unknown `?done=` in the address shows no notice', async (t) => {
  const desk = await openDesk(t);
  for (const path of ['/dashboard', AT, '/dashboard/tokens', '/dashboard/profile', `${AT}/page`]) {
    const text = await desk.open(`${path}?done=constructor`);
    assert.doesNotMatch(text, /class="notice|Something failed/, path);
  }
});

test('a developer’s games are listed in pages, including drafts', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['GET /projects'] = {
    json: {
      games: [gameOf({ id: 'a', title: '<A>', version: null, status: 'draft' }), gameOf()],
      next_cursor: 'n',
    },
  };
  const text = await desk.open('/dashboard?cursor=c');
  assert.match(
    text,
    /href="\/dashboard\/games\/a">&lt;A&gt;<[\s\S]*no release yet[\s\S]*class="mark draft">draft</,
  );
  assert.match(text, /version 1\.0\.0 · \/games\/moon<\/p><\/div>\n<span class="mark">published</);
  assert.match(
    text,
    /href="\/dashboard">Newest games<[\s\S]*href="\/dashboard\?cursor=n">Older games</,
  );
  desk.api.answers['GET /projects'] = { json: { games: [], next_cursor: null } };
  assert.match(await desk.open('/dashboard?cursor='), /No games yet/);
  assert.deepEqual(
    desk.api.asked.filter(({ route }) => route === 'GET /projects').map(({ query }) => query),
    [{ limit: '24', cursor: 'c' }, { limit: '24' }],
  );
});

test('a project is created with the values of its form, and with a slug only if one was entered', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['POST /projects'] = { json: { game: gameOf() } };
  const created = await desk.post('/dashboard/new', {
    title: ' Moon ',
    slug: ' ',
    engine: 'nothing',
  });
  assert.equal(created.headers.get('location'), `${AT}?done=created`);
  await desk.post('/dashboard/new', { title: 'Moon', slug: ' moon ', engine: 'godot' });
  const hidden = await desk.post('/dashboard/new', { title: 'gpj\u202eexe' });
  assert.equal(hidden.status, 400);
  assert.match(await hidden.text(), /id="title-fault">The title [^<]*U\+202E/);
  assert.deepEqual(
    changes(desk).map(([, body]) => JSON.parse(body)),
    [
      { title: 'Moon', engine: 'other' },
      { title: 'Moon', slug: 'moon', engine: 'godot' },
    ],
  );
});

test('the forms of the media panel change the page, and a script receives the changed page', async (t) => {
  const desk = await openDesk(t);
  const page = pageOf({ screenshots: [mediaOf({ id: 'a' }), mediaOf({ id: 'b' })] });
  desk.api.answers['GET /projects/moon-id'] = { json: { game: gameOf(), page, isolation: null } };
  desk.api.answers['PUT /projects/moon-id/store'] = { json: { page: pageOf({ tagline: 'now' }) } };
  const done = await desk.post(`${AT}/arrange`, { what: 'b', do: 'earlier' });
  assert.equal(done.headers.get('location'), `${AT}/page?done=media#media`);
  assert.match(
    changes(desk)[0]?.[1] ?? '',
    /name="metadata"\r\n\r\n\{"screenshots":\["b","a"\]\}\r\n/,
  );
  const response = await desk.post(`${AT}/arrange`, { what: 'a', do: 'remove' }, JSON_WANTED);
  assert.deepEqual(await response.json(), { page: pageOf({ tagline: 'now' }) });
  assert.equal(response.headers.get('cache-control'), 'no-store');
  desk.api.answers['PUT /projects/moon-id/store'] = apiError(409, 'publish_in_progress', 'Wait');
  const refused = await desk.post(`${AT}/arrange`, { what: 'a', do: 'remove' });
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /<h1>Edit page[\s\S]*role="alert"><p>Wait\.</);
  const script = await desk.post(`${AT}/arrange`, { what: 'a', do: 'remove' }, JSON_WANTED);
  assert.equal(script.status, 409);
  assert.equal((await script.json()).error.code, 'publish_in_progress');
});

test('a preview shows the form’s content without the session, and saves nothing', async (t) => {
  const desk = await openDesk(t, { status: 'draft', play_url: null });
  const stored = await desk.open(`${AT}/preview`);
  assert.match(stored, /<h1>Moon<\/h1>/);
  const form = {
    title: ' <New> ',
    engine: 'phaser',
    tagline: 'T',
    description: '**bold**',
    category: 'puzzle',
    tags: 'a1',
    accent: '#FFB000',
    'place-description': '1',
  };
  const shown = await desk.post(`${AT}/preview`, form);
  assert.equal(shown.headers.get('cache-control'), 'private, no-store');
  const text = await shown.text();
  assert.match(
    text,
    /<h1>&lt;New&gt;<\/h1>[\s\S]*<p class="lead">T<\/p>[\s\S]*<strong>bold<\/strong>/,
  );
  assert.match(text, /Puzzle[\s\S]*Phaser[\s\S]*href="\/tags\/a1"/);
  assert.match(text, /href="\/sign-in\?/);
  assert.doesNotMatch(text, /Yours|class="who"|<iframe/);
  const parts = await (await desk.post(`${AT}/preview`, form, JSON_WANTED)).json();
  assert.deepEqual([parts.theme, parts.colours], ['auto', { accent: '#ffb000', ink: '#000000' }]);
  assert.match(parts.body, /^<article class="game classic">/);
  assert.match(await (await desk.post(`${AT}/preview`, {})).text(), /<h1>Untitled<\/h1>/);
  assert.deepEqual(changes(desk), []);
  assert.deepEqual(desk.api.asked.find(({ route }) => route.endsWith('/releases'))?.query, {
    limit: '20',
  });
});

test('a build is streamed to the API unchanged, and a script receives the next address', async (t) => {
  const desk = await openDesk(t);
  const findings = [{ code: 'c', rule: 'r', entry: 'a.js', message: 'Look', hint: null }];
  const publish = 'POST /projects/moon-id/publish';
  const form = (): FormData => {
    const data = new FormData();
    data.set('version', '2');
    data.set('build', new Blob(['zip']), 'build.zip');
    return data;
  };
  desk.api.answers[publish] = { json: { game: gameOf(), findings: [] } };
  const done = await desk.post(`${AT}/upload`, form());
  assert.equal(done.headers.get('location'), `${AT}?done=published`);
  const [asked] = desk.api.asked.filter(({ route }) => route === publish);
  assert.match(asked?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.match(
    asked?.body ?? '',
    /name="version"\r\n\r\n2\r\n[\s\S]*filename="build\.zip"[\s\S]*\r\nzip\r\n/,
  );
  assert.deepEqual(asked?.query, {});
  desk.api.answers[publish] = { json: { game: gameOf(), findings } };
  const worth = await (await desk.post(`${AT}/upload`, form())).text();
  assert.match(
    worth,
    /Published. Players now get this release[\s\S]*Warnings:[\s\S]*<code>a\.js<\/code><span>Look/,
  );
  const response = await desk.post(`${AT}/upload`, form(), JSON_WANTED);
  assert.deepEqual(await response.json(), { next: `${AT}?done=published`, findings });
});

test('a dry run compares the build with the live release', async (t) => {
  const desk = await openDesk(t);
  const many = Array.from({ length: 14 }, (_, index) => `new/${index}<`);
  const diff = { new: many, changed: ['c1', 'c2'], same: ['s'], gone: [] };
  desk.api.answers['POST /projects/moon-id/publish'] = {
    json: { release: releaseOf({ file_count: 17, expanded_bytes: 2048 }), diff, findings: [] },
  };
  const form = (): FormData => new FormData();
  const page = await desk.post(`${AT}/upload?dry_run=true`, form());
  const text = await page.text();
  assert.match(
    text,
    /The build passed all checks: 17 files, 2\.0 KiB unpacked\. Nothing was published\./,
  );
  assert.match(text, /<h3>New \(14\)<\/h3>[\s\S]*new\/11&lt;[\s\S]*and 2 more[\s\S]*Changed \(2\)/);
  assert.doesNotMatch(text, /new\/12|Gone|Worth a look/);
  assert.match(text, /1 file unchanged\./);
  const response = await desk.post(`${AT}/upload?dry_run=true`, form(), JSON_WANTED);
  assert.deepEqual(await response.json(), {
    text: 'The build passed all checks: 17 files, 2.0 KiB unpacked. Nothing was published. Compared with the live release: 14 new, 2 changed, 1 unchanged, 0 removed.',
    findings: [],
  });
  const queries = desk.api.asked
    .filter(({ route }) => route.startsWith('POST '))
    .map(({ query }) => query);
  assert.deepEqual(queries, [{ dry_run: 'true' }, { dry_run: 'true' }]);
});

test('an upload that the API rejects early is discarded, so that the browser receives the reason', async (t) => {
  const desk = await openDesk(t);
  const refusal = apiError(413, 'quota_exceeded', 'It is more than may be');
  desk.api.answers['POST /projects/moon-id/publish'] = refusal;
  const data = new FormData();
  data.set('build', new Blob([Buffer.alloc(8_000_000)]), 'build.zip');
  const answer = await desk.post(`${AT}/upload`, data);
  assert.equal(answer.status, 413);
  assert.match(await answer.text(), /role="alert"><p>It is more than may be\./);
});

test('a saved name is in the session at once, and an avatar can be removed', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['PATCH /me'] = { json: { user: { ...ADA, name: 'Ada L' } } };
  const saved = await desk.post('/dashboard/profile', { name: ' Ada L ' });
  assert.equal(saved.headers.get('location'), '/dashboard/profile?done=saved');
  const [cookie = ''] = saved.headers.getSetCookie();
  assert.match(cookie, /; Max-Age=2592000; /);
  const front = await desk.read('/search', { headers: { cookie: cookie.split(';')[0] ?? '' } });
  assert.match(front, /class="who">Ada L</);
  desk.api.answers['DELETE /me/avatar'] = { json: { user: ADA } };
  const removed = await desk.post('/dashboard/profile/avatar/remove', {});
  assert.equal(removed.headers.get('location'), '/dashboard/profile?done=removed');
  assert.deepEqual(changes(desk), [
    ['PATCH /me', '{"name":"Ada L"}'],
    ['DELETE /me/avatar', ''],
  ]);
  assert.doesNotMatch(await desk.open('/dashboard/profile'), /remove-picture/);
  const user = { ...ADA, avatar: 'https://media.example/a.webp', email: 'ada@x.example' };
  desk.api.answers['GET /me'] = { json: { user, auth: { kind: 'session' } } };
  const own = await desk.open('/dashboard/profile');
  assert.match(
    own,
    /ada@x\.example \(visible only to you\)[\s\S]*Choose another picture[\s\S]*form="remove-picture"/,
  );
});

test('dashboard pages are not cached', async (t) => {
  const desk = await openDesk(t);
  const headers = { cookie: await desk.cookie() };
  for (const path of [
    '/dashboard',
    '/dashboard/new',
    AT,
    `${AT}/page`,
    '/dashboard/tokens',
    '/dashboard/profile',
  ]) {
    const answer = await desk.ask(path, { headers });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store', path);
    await answer.arrayBuffer();
  }
});

test('the editor saves with two calls: title and engine, then the page', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers['PATCH /projects/moon-id'] = { json: { game: gameOf() } };
  desk.api.answers['PUT /projects/moon-id/store'] = { json: { page: pageOf() } };
  const saved = await desk.post(`${AT}/page`, {
    title: ' Moon 2 ',
    engine: 'pixi',
    tagline: 'Hop',
  });
  assert.equal(saved.headers.get('location'), `${AT}/page?done=saved`);
  const [edit, store] = changes(desk);
  assert.deepEqual(edit, ['PATCH /projects/moon-id', '{"title":"Moon 2","engine":"pixi"}']);
  assert.equal(store?.[0], 'PUT /projects/moon-id/store');
  assert.match(store?.[1] ?? '', /\{"tagline":"Hop","description":null,/);
});

test('images are streamed to the API unchanged, and a rejection is shown with the form', async (t) => {
  const desk = await openDesk(t);
  const form = (name: string): FormData => {
    const data = new FormData();
    data.set(name, new Blob(['bytes']), 'p.png');
    return data;
  };
  const rows = [
    [`${AT}/media`, 'cover', 'PUT /projects/moon-id/store', `${AT}/page?done=media#media`],
    ['/dashboard/profile/avatar', 'avatar', 'PUT /me/avatar', '/dashboard/profile?done=picture'],
  ] as const;
  for (const [path, name, call, next] of rows) {
    desk.api.answers[call] = { json: { page: pageOf(), user: ADA } };
    const done = await desk.post(path, form(name));
    assert.equal(done.headers.get('location'), next);
    const [route, body] = changes(desk).at(-1) ?? [];
    assert.equal(route, call);
    assert.match(body ?? '', new RegExp(`name="${name}"; filename="p.png"[\\s\\S]*\r\nbytes\r\n`));
    desk.api.answers[call] = apiError(413, 'image_too_large', 'It has too many pixels');
    const refused = await desk.post(path, form(name));
    assert.equal(refused.status, 413);
    assert.match(await refused.text(), /role="alert"><p>It has too many pixels\./);
  }
});
