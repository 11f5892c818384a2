// Staged releases and preview links in the dashboard: what the page shows, what its forms ask of the API, and rejections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, AT, changes, openDesk, type Shown, STAGED } from './open-desk.ts';
import { apiError, gameOf, previewOf, releaseOf } from './stand-in-api.ts';

const JSON_WANTED = { accept: 'application/json' };
const FINDINGS = [{ code: 'c', rule: 'r', entry: 'a.js', message: 'Look', hint: null }];

type Seen = { words: string; actions: string };

/** The words of a part of a page, and the last parts of the addresses of its forms. */
function seen(part: string): Seen {
  return {
    words: part
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    actions: [...part.matchAll(/action="[^"]*\/([\w-]+)"/g)].map(([, action]) => action).join(),
  };
}

function releasesOf(text: string): Seen[] {
  const [, table = ''] = text.split('aria-label="Table of releases"');
  const [body = ''] = table.split('</table>');
  return [...body.matchAll(/<tr role="row"><th scope="row".*?<\/tr>/gs)].map(([row]) => seen(row));
}

function linksOf(text: string): Seen[] {
  const [, list = ''] = text.split('<ul class="links">');
  const [body = ''] = list.split('</ul>');
  return [...body.matchAll(/<li>.*?<\/li>/gs)].map(([item]) => seen(item));
}

function buildForm(): FormData {
  const form = new FormData();
  form.set('version', '2.0.0');
  form.set('build', new Blob(['zip']), 'build.zip');
  return form;
}

test('releases have a state, and each state has the actions that are possible', async (t) => {
  const releases = [
    STAGED,
    releaseOf({ version: '1.1.0', live: false }),
    releaseOf({ version: '1.0.0' }),
  ];
  const desk = await openDesk(t, { releases });
  const rows = releasesOf(await desk.open(AT));
  assert.deepEqual(
    rows.map(({ actions }) => actions),
    ['promote,create-link,delete-release', 'rollback,create-link,delete-release', ''],
  );
  assert.match(rows[0]?.words ?? '', /^2\.0\.0 staged .* Make live Create link Delete …/);
  assert.doesNotMatch(rows[1]?.words ?? '', /staged|live \d/);
  assert.match(rows[2]?.words ?? '', /^1\.0\.0 live/);
  const draft = await openDesk(t, { releases, game: { status: 'draft', version: null } });
  const draftRows = releasesOf(await draft.open(AT));
  assert.deepEqual(
    draftRows.map(({ actions }) => actions),
    [
      'promote,create-link,delete-release',
      'rollback,create-link,delete-release',
      'rollback,create-link',
    ],
  );
  assert.match(draftRows[0]?.words ?? '', /Make live/);
  assert.match(draftRows[1]?.words ?? '', /Put online/);
});

test('the panel lists links with name, version, address, expiry and last use', async (t) => {
  const used = previewOf({ id: 'b', name: 'pr/7', last_used_at: '2026-03-03T08:00:00.000Z' });
  const desk = await openDesk(t, { previews: [previewOf(), { ...used, url: 'https://p.ex/?"&' }] });
  const text = await desk.open(AT);
  const [first, second] = linksOf(text);
  assert.equal(
    first?.words,
    'Version 2.0.0 https://play.example/play/moon/.preview/link-id.key/ Created Mar 1, 2026, 10:20 UTC · Expires Mar 15, 2026 · never used Copy the link of 2.0.0, created Mar 1, 2026, 10:20 UTC Revoke',
  );
  assert.match(
    second?.words ?? '',
    /^pr\/7 version 2\.0\.0 .* · last used Mar 3, 2026 Copy the link of pr\/7 Revoke … the link of pr\/7 The link stops working\. Version 2\.0\.0 is deleted too if it was uploaded with --preview , was never made live, and has no other link\. Revoke$/,
  );
  assert.deepEqual([first?.actions, second?.actions], ['revoke-link', 'revoke-link']);
  assert.match(
    text,
    /<a [^>]*id="link-b" href="https:\/\/p\.ex\/\?&quot;&amp;" target="_blank" rel=/,
  );
  assert.match(text, /data-copy="#link-b" hidden>/);
});

test('ten links are shown, and the others are folded', async (t) => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, at) => previewOf({ id: `link-${at}` }));
  const ten = await (await openDesk(t, { previews: list(10) })).open(AT);
  assert.equal(linksOf(ten).length, 10);
  assert.doesNotMatch(ten, /Show all/);
  const many = await (await openDesk(t, { previews: list(100) })).open(AT);
  const [shown = '', folded = ''] = many.split('<summary>Show all 100 links</summary>');
  assert.equal(linksOf(shown).length, 10);
  const rest = linksOf(folded);
  assert.deepEqual([rest.length, rest[0]?.actions], [90, 'revoke-link']);
});

test('the page states that links work after unpublishing', async (t) => {
  const desk = await openDesk(t);
  const draft = await openDesk(t, { game: { status: 'draft' } });
  assert.match(
    await desk.open(AT),
    /Players can no longer open its page or play it\. Preview links still work until you revoke them\. All files are kept\./,
  );
  assert.match(
    await draft.open(`${AT}?done=unpublished`),
    /open the page or the game\. Preview links still work\. All files are kept\./,
  );
});

test('without links the panel says how to get one, and with an older API nothing offers links', async (t) => {
  const desk = await openDesk(t, { releases: [releaseOf({ live: false })], previews: [] });
  assert.match(
    await desk.open(AT),
    /Preview links<\/h2>\s*<p class="quiet-text">No links yet\. Stage a build, choose “Create link” next to a release, or run <code>svc publish --preview NAME<\/code>\.</,
  );
  desk.api.answers[`GET ${API}/previews`] = apiError(404, 'not_found');
  const old = await desk.open(AT);
  assert.match(old, /Upload a build/);
  assert.doesNotMatch(old, /Preview links|Stage|stage=true/);
  assert.deepEqual(
    releasesOf(old).map(({ actions }) => actions),
    ['rollback,delete-release'],
  );
  desk.api.answers[`GET ${API}/previews`] = apiError(500, 'internal');
  assert.doesNotMatch(await desk.open(AT), /Upload a build/);
});

test('a ZIP file is staged with a button of the form, and the page shows its link', async (t) => {
  const desk = await openDesk(t);
  assert.match(
    await desk.open(AT),
    /<button [^>]*formaction="\/dashboard\/games\/moon-id\/upload\?stage=true"[^>]*>Stage</,
  );
  const publish = `POST ${API}/publish`;
  const answer = { game: gameOf(), release: STAGED, preview: previewOf() };
  desk.api.answers[publish] = { json: { ...answer, findings: [] } };
  const done = await desk.post(`${AT}/upload?stage=true`, buildForm());
  const to = `${AT}?done=staged&link=link-id`;
  assert.equal(done.headers.get('location'), to);
  const [[route, query, body] = []] = changes(desk);
  assert.deepEqual([route, query], [publish, { stage: 'true' }]);
  assert.match(String(body), /name="version"\r\n\r\n2\.0\.0\r\n/);
  const staged =
    /role="status"><p>Version <strong>2\.0\.0<\/strong> is staged\. Players can’t see it yet\. Play it at <a [^>]*href="https:\/\/play\.example\/play\/moon\/\.preview\/link-id\.key\/"[^>]*data-new-link>https:[^<]*<\/a>\.<\/p>/;
  const page = await desk.open(to);
  assert.match(page, staged);
  assert.match(page, /data-copy="\[data-new-link\]" hidden>Copy link<[\s\S]*moon-id\/promote"/);
  const json = await desk.post(`${AT}/upload?stage=true`, buildForm(), JSON_WANTED);
  const text = 'Version 2.0.0 is staged. Players can’t see it yet.';
  assert.deepEqual(await json.json(), { text, next: to, next_name: 'Show the link', findings: [] });

  desk.api.answers[publish] = { json: { ...answer, findings: FINDINGS } };
  const warned = await (await desk.post(`${AT}/upload?stage=true`, buildForm())).text();
  assert.match(warned, staged);
  assert.match(warned, /Warnings:[\s\S]*<code>a\.js<\/code><span>Look/);
  assert.doesNotMatch(warned, /Published\./);
  const warnedJson = await desk.post(`${AT}/upload?stage=true`, buildForm(), JSON_WANTED);
  assert.deepEqual(await warnedJson.json(), {
    text: `${text} The build has these warnings:`,
    next: to,
    next_name: 'Show the link',
    findings: FINDINGS,
  });
});

test('a folder is staged with the same answer, and a check of a staged build stores nothing', async (t) => {
  const desk = await openDesk(t);
  const at = `${AT}/uploads/up-id/publish`;
  const call = `POST ${API}/uploads/up-id/publish`;
  const answer = { game: gameOf(), release: STAGED, preview: previewOf(), findings: [] };
  const send = async (query: string) => {
    const headers = {
      ...{ ...JSON_WANTED, 'content-type': 'application/json', cookie: await desk.cookie() },
      'sec-fetch-site': 'same-origin',
    };
    return desk.ask(at + query, { method: 'POST', body: '{"version":"2.0.0"}', headers });
  };
  desk.api.answers[call] = { json: answer };
  assert.deepEqual(await (await send('?stage=true')).json(), {
    text: 'Version 2.0.0 is staged. Players can’t see it yet.',
    next: `${AT}?done=staged&link=link-id`,
    next_name: 'Show the link',
    findings: [],
  });
  desk.api.answers[call] = { json: { ...answer, preview: null } };
  assert.deepEqual(await (await send('')).json(), { next: `${AT}?done=published`, findings: [] });
  const diff = { new: [], changed: [], same: [], gone: [] };
  desk.api.answers[call] = { json: { release: STAGED, diff, findings: [] } };
  assert.match(await (await send('?stage=true&dry_run=true')).text(), /Nothing was published/);
  assert.deepEqual(
    changes(desk).map(([, query]) => query),
    [{ stage: 'true' }, {}, { stage: 'true', dry_run: 'true' }],
  );
});

test('the notice of a link ends with the link, and that of a staged release with its promotion', async (t) => {
  const cases: [query: string, shown: Shown, text: RegExp | null][] = [
    ['done=linked&link=link-id', {}, /The link has been created\. It plays version/],
    ['done=linked&link=link-id', { releases: [releaseOf()] }, /The link has been created/],
    ['done=staged&link=link-id', { releases: [releaseOf({ version: '2.0.0' })] }, null],
    ['done=staged&link=link-id', { previews: [] }, null],
    ['done=linked&link=other', {}, null],
    ['done=published&link=link-id', {}, /Published\. Players now get this release/],
    ['done=staged', {}, null],
    ['link=link-id', {}, null],
  ];
  for (const [query, shown, expected] of cases) {
    const text = await (await openDesk(t, shown)).open(`${AT}?${query}`);
    assert.equal(text.includes('class="notice'), expected !== null, query);
    if (expected !== null) assert.match(text, expected);
    assert.ok(!text.includes('data-new-link>') || query.startsWith('done=linked'), query);
  }
});

const ACTIONS: [
  action: string,
  form: Record<string, string>,
  call: string,
  body: string,
  done: string,
][] = [
  [
    'create-link',
    { version: '2.0.0' },
    `POST ${API}/previews`,
    '{"version":"2.0.0"}',
    'linked&link=link-id',
  ],
  ['revoke-link', { link: 'link-id' }, `DELETE ${API}/previews/link-id`, '', 'link_revoked'],
];

test('an action calls the API, and a rejection is shown on the page of the game', async (t) => {
  const desk = await openDesk(t);
  for (const [action, form, call, body, done] of ACTIONS) {
    desk.api.answers[call] = { json: { preview: previewOf() } };
    const answer = await desk.post(`${AT}/${action}`, form);
    assert.equal(answer.headers.get('location'), `${AT}?done=${done}`);
    assert.deepEqual(changes(desk).at(-1), [call, {}, body]);
    assert.match(await desk.open(`${AT}?done=${done}`), /class="notice good"/, done);
    desk.api.answers[call] = apiError(409, 'not_staged', 'The release is not staged');
    const refused = await desk.post(`${AT}/${action}`, form);
    assert.equal(refused.status, 409);
    assert.match(
      await refused.text(),
      /role="alert"><p>The release is not staged\.[\s\S]*Upload a build/,
    );
    desk.api.answers[call] = 'drop';
    assert.equal((await desk.post(`${AT}/${action}`, form)).status, 503);
  }
});

test('an action on an ended release or link says so on the page of the game, if there is a game', async (t) => {
  const desk = await openDesk(t);
  const [create, revoke] = ACTIONS;
  const edit = [{ version: '2.0.0' }, `PATCH ${API}/releases/2.0.0`] as const;
  const gone: (readonly [action: string, form: Record<string, string>, call: string])[] = [
    ...(create === undefined ? [] : [[create[0], create[1], create[2]] as const]),
    ['promote', { version: '2.0.0' }, `POST ${API}/promote`],
    ['rollback', { version: '2.0.0' }, `POST ${API}/rollback`],
    ['offer-release', ...edit],
    ['withdraw-release', ...edit],
    ['delete-release', { version: '2.0.0' }, `DELETE ${API}/releases/2.0.0`],
  ];
  const text =
    /role="alert"><p>This release or link no longer exists\. The lists below are current\.</;
  for (const [action, form, call] of gone) {
    desk.api.answers[call] = apiError(404, 'not_found');
    const answer = await desk.post(`${AT}/${action}`, form);
    assert.equal(answer.status, 404, action);
    const page = await answer.text();
    assert.match(page, text, action);
    assert.match(page, /Upload a build/, action);
  }
  const [action = '', form = {}, call = '', , done] = revoke ?? [];
  desk.api.answers[call] = apiError(404, 'not_found');
  const revoked = await desk.post(`${AT}/${action}`, form);
  assert.equal(revoked.headers.get('location'), `${AT}?done=${done}`);

  desk.api.answers[`GET ${API}`] = apiError(404, 'not_found');
  for (const [action, form] of gone) {
    const answer = await desk.post(`${AT}/${action}`, form);
    assert.equal(answer.status, 404, action);
    assert.doesNotMatch(await answer.text(), text, action);
  }
  assert.equal(
    (await desk.ask(`${AT}?done=${done}`, { headers: { cookie: await desk.cookie() } })).status,
    404,
  );
});

test('forms of other sites change nothing, and an expired session keeps the form', async (t) => {
  const desk = await openDesk(t);
  const ended = await openDesk(t, { session: { expiresAt: Date.now() + 1000 } });
  for (const [action, form] of ACTIONS) {
    for (const from of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://play.example' },
      { 'sec-fetch-site': 'none', origin: 'https://evil.example' },
    ]) {
      assert.equal((await desk.post(`${AT}/${action}`, form, from)).status, 403, action);
    }
    const late = await ended.post(`${AT}/${action}`, form);
    assert.equal(late.status, 401, action);
    const [[name, value] = []] = Object.entries(form);
    assert.match(await late.text(), new RegExp(`<textarea name="${name}" hidden>\n${value}<`));
    assert.equal((await desk.ask(`${AT}/${action}`)).status, 405, action);
  }
  const foreign = await desk.post(`${AT}/upload?stage=true`, buildForm(), {
    'sec-fetch-site': 'cross-site',
  });
  assert.equal(foreign.status, 403);
  assert.equal((await ended.post(`${AT}/upload?stage=true`, buildForm())).status, 401);
  assert.deepEqual([...changes(desk), ...changes(ended)], []);
});

test('an old release is offered to players and withdrawn, which a staged or live one cannot be', async (t) => {
  const releases = [
    STAGED,
    releaseOf({ version: '1.2.0' }),
    releaseOf({ version: '1.1.0', live: false, playable: true }),
    releaseOf({ version: '1.0.0', live: false, playable: false }),
  ];
  const desk = await openDesk(t, { releases });
  const rows = releasesOf(await desk.open(AT));
  assert.deepEqual(
    rows.map(({ actions }) => /offer-release|withdraw-release/.exec(actions)?.[0] ?? null),
    [null, null, 'withdraw-release', 'offer-release'],
  );
  assert.match(rows[2]?.words ?? '', /^1\.1\.0 offered/);
  const edited = { release: releaseOf({ version: '1.0.0', live: false, playable: true }) };
  desk.api.answers[`PATCH ${API}/releases/1.0.0`] = { json: edited };
  const offered = await desk.post(`${AT}/offer-release`, { version: '1.0.0' });
  assert.equal(offered.headers.get('location'), `${AT}?done=offered&version=1.0.0`);
  const withdrawn = await desk.post(`${AT}/withdraw-release`, { version: '1.0.0' });
  assert.equal(withdrawn.headers.get('location'), `${AT}?done=withdrawn&version=1.0.0`);
  const notices: [query: string, text: string][] = [
    ['done=offered&version=1.0.0', 'Players can now choose version 1.0.0 on the game’s page.'],
    ['done=withdrawn&version=1.0.0', 'Players can no longer choose version 1.0.0.'],
    ['done=withdrawn&version=a%20b', 'Players can no longer choose the release.'],
    ['done=offered', 'Players can now choose the release on the game’s page.'],
  ];
  for (const [query, text] of notices) {
    assert.ok((await desk.open(`${AT}?${query}`)).includes(`role="status"><p>${text}</p>`), query);
  }
  assert.deepEqual(
    changes(desk).map(([route, , body]) => [route, body]),
    [
      [`PATCH ${API}/releases/1.0.0`, '{"playable":true}'],
      [`PATCH ${API}/releases/1.0.0`, '{"playable":false}'],
    ],
  );
});
