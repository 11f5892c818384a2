// Trusted publishers in the dashboard, and where a release was built: what pages show, and what forms ask of the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, AT, changes, openDesk } from './open-desk.ts';
import {
  ADA,
  apiError,
  gameOf,
  pageOf,
  provenanceOf,
  publisherOf,
  releaseOf,
  type StandInAnswer,
} from './stand-in-api.ts';

const ADD = `POST ${API}/publishers`;
const REMOVE = `DELETE ${API}/publishers/publisher-id`;
const EVIL = '"><img src=x onerror=alert(1)>';

/** The panel of trusted publishers; empty if there is none. */
function panelOf(text: string): string {
  const [, panel = ''] = text.split('<section class="panel" aria-labelledby="trust">');
  return panel.split('</section>')[0] ?? '';
}

const wordsOf = (part: string): string =>
  part
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const itemsOf = (panel: string): string[] =>
  [...panel.matchAll(/<li>.*?<\/li>/gs)].map(([item]) => wordsOf(item));

/** A rejection with a fault of a field. */
function fault(path: string, message: string): StandInAnswer {
  const error = { code: 'invalid_input', message, details: [{ path, message }] };
  return {
    status: 400,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ error }),
  };
}

test('the panel lists whom a publisher names, its limits, its identities and its last use', async (t) => {
  const publishers = [
    publisherOf({
      ...{ repository_id: '812', environment: 'production', workflow: 'release.yml' },
      last_used_at: '2026-03-03T08:00:00.000Z',
    }),
    publisherOf({ provider: 'gitlab', issuer: 'https://gitlab.example', branch: null }),
    publisherOf({
      ...{ provider: 'other', issuer: 'https://ci.example', audience: 'svc', branch: null },
      ...{ repository: null, subject: 'job:moonhop:**' },
    }),
  ];
  const desk = await openDesk(t, { publishers });
  const panel = panelOf(await desk.open(AT));
  const removed =
    'Its runs can’t publish any more, also those that are in progress. Releases that it published stay. Remove';
  assert.deepEqual(itemsOf(panel), [
    `acme/moonhop GitHub Actions branch main · environment production · workflow release.yml Repository id 812 · Issuer https://token.actions.githubusercontent.com · Audience https://api.example · last used Mar 3, 2026 Remove … acme/moonhop, branch main, environment production, workflow release.yml ${removed}`,
    `acme/moonhop GitLab CI any run Issuer https://gitlab.example · Audience https://api.example · never used Remove … acme/moonhop ${removed}`,
    `job:moonhop:** OpenID Connect Issuer https://ci.example · Audience svc · never used Remove … job:moonhop:** ${removed}`,
  ]);
  assert.match(panel, /action="\/dashboard\/games\/moon-id\/untrust"/);
  assert.match(panel, /aria-label="Remove acme\/moonhop">Remove</);
  assert.match(panel, /<details class="add-publisher"><summary>/, 'the form is closed');
  assert.doesNotMatch(panel, /None yet/);
});

test('without publishers the panel says what to do, and an older API has no panel', async (t) => {
  const desk = await openDesk(t);
  const text = await desk.open(AT);
  assert.match(
    wordsOf(panelOf(text)),
    /^Trusted publishers Runs of a CI that may publish this game without a stored token\. .* None yet\. Add the repository that builds the game, or run svc trust add \. Add a publisher/,
  );
  assert.match(text, /add it to the <a href="#trust">trusted publishers<\/a>/);
  desk.api.answers[`GET ${API}/publishers`] = apiError(404, 'not_found');
  const old = await desk.open(AT);
  assert.match(old, /Preview links/);
  assert.doesNotMatch(old, /[Tt]rusted publishers|#trust/);
  desk.api.answers[`GET ${API}/publishers`] = apiError(500, 'internal');
  assert.doesNotMatch(await desk.open(AT), /Preview links/);
});

const EMPTY = {
  ...{ repository: null, branch: null, environment: null, workflow: null },
  ...{ issuer: null, subject: null, audience: null },
};

test('a publisher of each provider is added, and the page says what its job needs', async (t) => {
  const api = 'https://api.example';
  const github = { provider: 'github', repository: 'acme/moonhop' } as const;
  const gitlab = { provider: 'gitlab', repository: 'acme/games/moonhop' } as const;
  const other = { provider: 'other', issuer: 'https://ci.example', subject: 'job:*' } as const;
  const rows: [
    form: Record<string, string>,
    body: object,
    stored: Parameters<typeof publisherOf>[0],
    words: RegExp,
  ][] = [
    [
      { ...github, repository: ' acme/moonhop ', workflow: 'release.yml', subject: ' ' },
      { ...github, workflow: 'release.yml' },
      github,
      /Runs of acme\/moonhop \(GitHub Actions\) may now publish this game\. Add this to the job: permissions: contents: read id-token: write env: SVC_API: &quot;https:\/\/api\.example&quot; steps: - run: svc publish Do not set SVC_TOKEN/,
    ],
    [
      { ...gitlab, branch: 'main', environment: 'production' },
      { ...gitlab, branch: 'main', environment: 'production' },
      gitlab,
      /\(GitLab CI\) .* id_tokens: SVC_ID_TOKEN: aud: &quot;https:\/\/api\.example&quot; variables: SVC_API: &quot;https:\/\/api\.example&quot; script: - svc publish/,
    ],
    [
      { ...gitlab, audience: 'svc-at-acme' },
      { ...gitlab, audience: 'svc-at-acme' },
      { ...gitlab, audience: 'svc-at-acme' },
      /aud: &quot;svc-at-acme&quot; variables: SVC_API: … .* Set SVC_API to the address of the platform\./,
    ],
    [
      other,
      other,
      { ...other, repository: null },
      /Runs of job:\* \(OpenID Connect\) .* Set these variables in the job: SVC_ID_TOKEN=&lt;ID token with the audience https:\/\/api\.example&gt; SVC_API=https:\/\/api\.example/,
    ],
  ];
  for (const [form, body, stored, words] of rows) {
    const publisher = publisherOf({ audience: api, ...stored });
    const desk = await openDesk(t, { publishers: [publisher] });
    desk.api.answers[ADD] = { json: { publisher } };
    const added = await desk.post(`${AT}/trust`, form);
    const to = added.headers.get('location') ?? '';
    const done = 'audience' in form ? 'trusted_audience' : 'trusted';
    assert.equal(to, `${AT}?done=${done}&publisher=publisher-id`);
    const [[route, , sent] = []] = changes(desk);
    assert.equal(route, ADD);
    assert.deepEqual(JSON.parse(String(sent)), { ...EMPTY, ...body });
    const page = await desk.open(to);
    assert.match(wordsOf(page), words);
    assert.match(page, /data-copy="\[data-job\]" hidden>Copy</);
    desk.api.answers[`GET ${API}/publishers`] = { json: { publishers: [] } };
    assert.doesNotMatch(await desk.open(to), /class="notice/, 'it was removed since');
  }
});

test('a rejected form keeps its input, is open, and shows the fault at the field', async (t) => {
  const desk = await openDesk(t);
  const message = 'The provider "gitlab" has no workflows';
  desk.api.answers[ADD] = fault('/workflow', message);
  const form = { provider: 'gitlab', repository: `a/${EVIL}`, workflow: 'release.yml' };
  const answer = await desk.post(`${AT}/trust`, { ...form, branch: 'main' });
  assert.equal(answer.status, 400);
  const text = await answer.text();
  assert.match(text, /role="alert"><p>The provider &quot;gitlab&quot; has no workflows\.</);
  const panel = panelOf(text);
  assert.match(panel, /<details class="add-publisher" open>/);
  assert.match(panel, /<option value="gitlab" selected>/);
  assert.match(panel, /id="branch"[^>]* value="main"/);
  assert.match(panel, /value="a\/&quot;&gt;&lt;img src=x onerror=alert\(1\)&gt;"/);
  assert.match(
    panel,
    /id="workflow"[^>]* value="release\.yml"[^>]* aria-invalid="true" aria-describedby="workflow-fault workflow-hint"[\s\S]*id="workflow-fault">The provider &quot;gitlab&quot; has no workflows\.</,
  );
  assert.equal(panel.match(/aria-invalid/g)?.length, 1);
  desk.api.answers[ADD] = apiError(409, 'quota_exceeded', 'The project has 20');
  const full = await desk.post(`${AT}/trust`, form);
  assert.equal(full.status, 409);
  assert.match(await full.text(), /role="alert"><p>The project has 20\./);
  desk.api.answers[ADD] = 'drop';
  assert.equal((await desk.post(`${AT}/trust`, form)).status, 503);
  desk.api.answers[ADD] = apiError(404, 'not_found');
  assert.equal((await desk.post(`${AT}/trust`, form)).status, 404);
});

test('an unknown provider is sent as one that the API checks most strictly', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers[ADD] = fault('/issuer', 'The provider "other" needs an issuer');
  assert.equal((await desk.post(`${AT}/trust`, { provider: 'gopher' })).status, 400);
  const [[, , sent] = []] = changes(desk);
  assert.deepEqual(JSON.parse(String(sent)), { ...EMPTY, provider: 'other' });
});

test('a publisher is removed, and one that was removed already counts as removed', async (t) => {
  const desk = await openDesk(t, { publishers: [publisherOf()] });
  const to = `${AT}?done=untrusted`;
  for (const answer of [{ status: 204, text: '' }, apiError(404, 'not_found')]) {
    desk.api.answers[REMOVE] = answer;
    const removed = await desk.post(`${AT}/untrust`, { publisher: 'publisher-id' });
    assert.equal(removed.headers.get('location'), to);
  }
  assert.deepEqual(
    changes(desk).map(([route]) => route),
    [REMOVE, REMOVE],
  );
  assert.match(
    await desk.open(to),
    /role="status"><p>The publisher has been removed\. Its runs can no longer publish this game\.</,
  );
  desk.api.answers[REMOVE] = apiError(403, 'not_owner', 'It is not yours');
  const refused = await desk.post(`${AT}/untrust`, { publisher: 'publisher-id' });
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /role="alert"><p>It is not yours\./);
});

test('forms of other sites add and remove nothing, and an expired session keeps the form', async (t) => {
  const desk = await openDesk(t);
  const ended = await openDesk(t, { session: { expiresAt: Date.now() + 1000 } });
  const rows: [action: string, form: Record<string, string>][] = [
    ['trust', { repository: 'acme/moonhop' }],
    ['untrust', { publisher: 'publisher-id' }],
  ];
  for (const [action, form] of rows) {
    for (const from of ['cross-site', 'same-site']) {
      const foreign = await desk.post(`${AT}/${action}`, form, { 'sec-fetch-site': from });
      assert.equal(foreign.status, 403, action);
    }
    const late = await ended.post(`${AT}/${action}`, form);
    assert.equal(late.status, 401, action);
    const [[name, value] = []] = Object.entries(form);
    assert.match(await late.text(), new RegExp(`<textarea name="${name}" hidden>\n${value}<`));
    assert.equal((await desk.ask(`${AT}/${action}`)).status, 405, action);
  }
  assert.deepEqual([...changes(desk), ...changes(ended)], []);
});

test('texts of a publisher are escaped', async (t) => {
  const publisher = publisherOf({
    ...{ repository: EVIL, repository_id: EVIL, issuer: EVIL, audience: EVIL, id: EVIL },
    ...{ branch: EVIL, environment: EVIL, workflow: EVIL },
  });
  const desk = await openDesk(t, { publishers: [publisher] });
  const query = new URLSearchParams({ done: 'trusted', publisher: EVIL });
  const text = await desk.open(`${AT}?${query}`);
  assert.match(text, /may now publish this game/);
  assert.doesNotMatch(text, /<img src=x/);
});

const COMMIT = provenanceOf().commit_url;
const BUILT = `Built from <a href="${COMMIT}" rel="noopener nofollow"><bdi>acme/moonhop@abc1234</bdi></a> (<bdi>main</bdi>) · <a href="https://github.com/acme/moonhop/actions/runs/77" rel="noopener nofollow">run<span class="visually-hidden"> that published 1.0.0</span></a>`;

test('a release shows where it was built, in the dashboard and on public pages', async (t) => {
  const desk = await openDesk(t);
  const { answers } = desk.api;
  const { provenance: _, ...old } = releaseOf({ version: '0.8.0', live: false });
  const show = (provenance: ReturnType<typeof provenanceOf>): void => {
    const releases = [
      releaseOf({ provenance }),
      releaseOf({ version: '0.9.0', live: false, provenance: null }),
      old,
    ];
    answers[`GET ${API}/releases`] = { json: { releases, next_cursor: null } };
    answers['GET /games/moon'] = { json: { game: gameOf(), developer: ADA } };
    answers['GET /games/moon/releases'] = { json: { releases, next_cursor: null } };
    const page = pageOf();
    answers['GET /games/moon/page'] = {
      json: {
        ...{ game: gameOf(), releases, developer: ADA, category: null },
        page: { ...page, layout: { ...page.layout, sections: ['releases'] } },
        embed: { url: 'https://play.example/play/moon/', allow: '', isolation: 'none' },
      },
    };
  };
  const lines = async (path: string): Promise<string[]> =>
    [...(await desk.open(path)).matchAll(/<p class="provenance">(.*?)<\/p>/gs)].map(
      ([, line = '']) => line,
    );
  const rows: [provenance: Parameters<typeof provenanceOf>[0], line: string][] = [
    [{}, BUILT],
    [
      { commit_url: 'javascript:alert(1)', run_url: 'data:text/html,x' },
      'Built from <bdi>acme/moonhop@abc1234</bdi> (<bdi>main</bdi>)',
    ],
    [
      { commit: null, commit_url: null, run_url: 'no address', ref: null },
      'Built from <bdi>acme/moonhop</bdi>',
    ],
    [
      { repository: `a/${EVIL}`, ref: EVIL, commit_url: `https://x/${EVIL}`, run_url: null },
      `Built from <a href="https://x/&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" rel="noopener nofollow"><bdi>a/&quot;&gt;&lt;img src=x onerror=alert(1)&gt;@abc1234</bdi></a> (<bdi>&quot;&gt;&lt;img src=x onerror=alert(1)&gt;</bdi>)`,
    ],
    [
      {
        ...{ repository: null, ref: null, commit: null, commit_url: null, run_url: null },
        ...{ issuer: 'https://ci.example/x', subject: '<b>job' },
      },
      'Built by <bdi>&lt;b&gt;job</bdi> at <bdi>ci.example</bdi>',
    ],
  ];
  for (const [more, line] of rows) {
    show(provenanceOf(more));
    for (const path of [AT, '/games/moon', '/games/moon/releases']) {
      assert.deepEqual(await lines(path), [line], path);
    }
  }
});
