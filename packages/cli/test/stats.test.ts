// `svc stats`: the request, what is shown, and a platform that does not count or is too old.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, error, json, noted, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { ID, limitsAre } from './records.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const AT = `/projects/${ID}/stats`;
const NOTHING = { views: 0, plays: 0, store_plays: 0, bytes: 0, missing: 0, releases: [] };

async function start(
  t: TestContext,
  stats: Answer,
  limits: Answer = limitsAre({ stats_days: 400 }),
) {
  const asked: string[] = [];
  const answers = Object.fromEntries([30, 1, 7].map((days) => [`GET ${AT}?days=${days}`, stats]));
  const platform = await startFaultyPlatform(
    t,
    noted({ ...answers, [`GET ${AT}`]: stats, 'GET /limits': limits }, (route) =>
      asked.push(route),
    ),
  );
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ id: ID, title: 'Cats' }));
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  return { asked, run: (...args: string[]) => runHere(t, ['stats', ...args], { cwd, env }) };
}

const STATS = {
  counted: true,
  days: [
    { ...NOTHING, day: '2026-03-01' },
    {
      ...{ day: '2026-03-02', views: 1000, plays: 600, store_plays: 500, bytes: 5 * 1024 ** 3 },
      ...{ missing: 0, releases: [{ version: '1.0', plays: 600 }] },
    },
    {
      ...{ day: '2026-03-03', views: 0, plays: 634, store_plays: 0, bytes: 1024, missing: 7 },
      releases: [
        { version: '1.1', plays: 633 },
        { version: '1.0', plays: 1 },
      ],
    },
  ],
  missing_files: [{ path: 'img/\u001b[31mred.png', count: 6 }],
};

test('svc stats shows the sums, the days with anything, the releases and the missing files', async (t) => {
  const { run, asked } = await start(t, json(200, STATS));
  const { code, stdout, stderr } = await run();
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.split('\n'), [
    'The last 3 days (UTC):',
    '',
    'Page views     1,000',
    'Plays          1,234 (500 on the page, 50 % of its views)',
    'Data sent      5.0 GiB',
    'Missing files  7',
    '',
    'DAY         VIEWS  PLAYS  ON THE PAGE     DATA  MISSING',
    '2026-03-02  1,000    600          500  5.0 GiB        0',
    '2026-03-03      0    634            0  1.0 KiB        7',
    '',
    'PLAYS  VERSION',
    '  633  1.1',
    '  601  1.0',
    '',
    'COUNT  MISSING FILE',
    '    6  img/\\x1b[31mred.png',
    '',
  ]);
  assert.equal(stderr, '');
  assert.equal(asked.at(-1), `GET ${AT}`);
  const document = await run('--days', '7', '--json');
  assert.deepEqual(JSON.parse(document.stdout), STATS);
  assert.equal(asked.at(-1), `GET ${AT}?days=7`);
});

test('svc stats says that nothing was counted, and why', async (t) => {
  const days = [{ ...NOTHING, day: '2026-03-01' }];
  const quiet = await start(t, json(200, { counted: true, days, missing_files: [] }));
  const none = await quiet.run('--days', '1');
  assert.equal(none.stdout, 'Today (UTC): nobody opened the page or the game.\n');
  assert.equal(none.stderr, '');
  const off = await start(t, json(200, { counted: false, days, missing_files: [] }));
  assert.match((await off.run()).stderr, /This platform does not count: SVC_STATS is off there\./);
});

test('svc stats rejects days out of range before a request, and a platform that is too old', async (t) => {
  const { run, asked } = await start(t, json(200, STATS));
  for (const days of ['0', '10000', 'x', '1.5']) {
    const refused = await run('--days', days);
    assert.equal(refused.code, 2, days);
  }
  assert.deepEqual(asked, []);
  const tooMany = await run('--days', '401');
  assert.equal(tooMany.code, 2);
  assert.match(tooMany.stderr, /"401" of --days .*\nThis platform keeps counts for 400 days\./);
  assert.deepEqual(asked, ['GET /limits']);
  const old = await start(t, error(404, 'not_found', 'No'), limitsAre({}));
  const { code, stderr } = await old.run();
  assert.equal(code, 11);
  assert.match(stderr, /is too old for svc stats\./);
});
