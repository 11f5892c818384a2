// The plays of a game in the dashboard.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { API, AT, openDesk } from './open-desk.ts';
import { apiError, gameOf, openStandIn, pageOf } from './stand-in-api.ts';

const NOTHING = { views: 0, plays: 0, store_plays: 0, bytes: 0, missing: 0, releases: [] };
const DAYS = [
  { ...NOTHING, day: '2026-03-01' },
  {
    ...{ day: '2026-03-02', views: 2000, plays: 1234, store_plays: 500, bytes: 3 * 1024 ** 2 },
    ...{ missing: 4, releases: [{ version: '1.0.0', plays: 1234 }] },
  },
  { ...NOTHING, day: '2026-03-03', plays: 617 },
];
const FILES = [{ path: 'img/<b>.png', count: 3 }];

/** The panel as words; empty if there is none. */
const panelOf = (text: string): string =>
  (text.split('<section class="panel" aria-labelledby="stats">')[1] ?? '').split('</section>')[0] ??
  '';
const wordsOf = (part: string): string =>
  part
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('the panel shows the sums, a bar for each day, the missing files and the days', async (t) => {
  const desk = await openDesk(t);
  desk.api.answers[`GET ${API}/stats`] = {
    json: { counted: true, days: DAYS, missing_files: FILES },
  };
  const panel = panelOf(await desk.open(AT));
  const words = wordsOf(panel);
  for (const text of [
    'Plays 1,851',
    'Page views 2,000',
    'Conversion 25 %',
    'Plays a day. Most on one day: 1,234',
    'Data sent 3.0 MiB',
    'Missing files 4',
    'img/&lt;b&gt;.png 3',
    'Mar 2, 2026 2,000 1,234 3.0 MiB 4 1.0.0: 1,234',
    'without cookies, addresses or identifiers',
  ]) {
    assert.ok(words.includes(text), `${text}\n${words}`);
  }
  const heights = [...panel.matchAll(/<rect [^>]*height="(\d+)"/g)].map(([, height]) => height);
  assert.deepEqual(heights, ['0', '48', '24']);
  assert.ok(!words.includes('Mar 1, 2026'), 'a day without anything is left out of the table');
  assert.deepEqual(desk.api.asked.find(({ route }) => route.endsWith('/stats'))?.query, {});
});

test('without plays, without counting and with an older API the panel says so or is left out', async (t) => {
  const desk = await openDesk(t);
  const panelWith = async (counted: boolean): Promise<string> => {
    desk.api.answers[`GET ${API}/stats`] = {
      json: { counted, days: [{ ...NOTHING, day: '2026-03-01' }], missing_files: [] },
    };
    return wordsOf(panelOf(await desk.open(AT)));
  };
  assert.match(
    await panelWith(true),
    /Nobody has opened the page or the game since Mar 1, 2026 ?\./,
  );
  assert.match(await panelWith(false), /This server does not count plays\./);
  desk.api.answers[`GET ${API}/stats`] = apiError(404, 'not_found');
  assert.equal(panelOf(await desk.open(AT)), '');
  const draft = await openDesk(t, { game: { status: 'draft', version: null } });
  draft.api.answers[`GET ${API}/stats`] = {
    json: { counted: true, days: DAYS, missing_files: [] },
  };
  assert.equal(panelOf(await draft.open(AT)), '', 'a game that nobody could play');
});

test('a server that fails to count does not hide the page', async (t) => {
  const desk = await openDesk(t);
  for (const failed of [
    apiError(503, 'unavailable'),
    { status: 200, text: 'a proxy' },
    'hang',
  ] as const) {
    desk.api.answers[`GET ${API}/stats`] = failed;
    const text = await desk.open(AT);
    assert.equal(panelOf(text), '');
    assert.match(text, /Upload a build/);
  }
});

test('the store reports to the API that a person opens the page of a game', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /games/moon/page'] = {
    json: {
      ...{ game: gameOf(), developer: { uid: 'ada', name: 'Ada' }, page: pageOf(), category: null },
      ...{ releases: [], embed: { url: 'https://play.example/play/moon/', allow: '' } },
    },
  };
  const visit = { 'sec-fetch-mode': 'navigate' };
  for (const [path, headers, header] of [
    ['/games/moon', visit, 'page'],
    ['/games/moon?from=feed', visit, 'page'],
    ['/games/moon?play=1', visit, undefined],
    ['/games/moon', { ...visit, 'sec-purpose': 'prefetch' }, undefined],
    ['/games/moon', {}, undefined],
    ['/games/moon', { 'svc-visit': 'page' }, undefined],
  ] as const) {
    // `fetch` sets `Sec-Fetch-Mode` itself.
    const [answer] = await once(get(site.web.origin + path, { headers, agent: false }), 'response');
    answer.resume();
    await once(answer, 'end');
    assert.equal(site.api.asked.at(-1)?.headers['svc-visit'], header, `${path} ${header}`);
  }
});
