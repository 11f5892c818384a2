// Reports of games: what players send, whom it notifies, and what administrators decide.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Game, Notice, Report, ReportGame } from '@svc/contracts/platform';
import { resolveReport } from '../src/reports/resolve-report.ts';
import { expectError } from './expect-error.ts';
import { asOperator, makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { removeProject } from './remove-project.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;

let platform: OpenPlatform;
let root: Person;
let ada: Person;
before(async () => {
  platform = await openPlatform({
    limits: {
      ...{
        rate_reports_per_minute: 1000,
        daily_reports_per_address: 1000,
        daily_reports_per_network: 1000,
      },
      ...{ reports_open_per_game: 3, reports_open: 40 },
    },
  });
  root = await makeAdmin(platform, 'Root');
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

async function newGame(owner = ada): Promise<Game> {
  const body = { title: freshName('Game') };
  const { game } = await owner.client.call('createProject', { body });
  return (await publishBuild(owner.client, game.id, '1.0', { 'index.html': 'x' })).game;
}

function report({ slug }: Pick<Game, 'slug'>, body: ReportGame): Promise<null> {
  return platform.clientWith(null).call('reportGame', { params: { slug }, body });
}

async function reportsOf({ id: game }: Pick<Game, 'id'>): Promise<Report[]> {
  return (await root.client.call('adminReports', { query: { game } })).reports;
}

async function onlyReport(game: Game): Promise<Report> {
  const [only = assert.fail('there is no report'), ...others] = await reportsOf(game);
  assert.equal(others.length, 0);
  return only;
}

/** The notices of a user about a game, oldest first: their kinds and details. */
async function noticesOf({ client }: Person, { id }: Pick<Game, 'id'>) {
  const { notices } = await client.call('notices', { query: { limit: '100' } });
  return notices
    .filter(({ game }) => game?.id === id)
    .map(({ kind, detail }: Notice) => `${kind} ${detail}`)
    .reverse();
}

async function auditOf(subject: string): Promise<(string | null)[]> {
  const { records } = await root.client.call('audit', { query: { subject, action: 'report.' } });
  return records.map(({ action, detail }) => `${action} ${detail}`).reverse();
}

test('anybody can report a published game, and administrators see the report with the version of that time', async () => {
  const game = await newGame();
  await report(game, { reason: 'malicious', text: '  It mines coins.\n\nAll the time. ' });
  await publishBuild(ada.client, game.id, '2.0', { 'index.html': 'y' });
  const seen = await onlyReport(game);
  const { uid, client } = root;
  const me = await client.call('me', {});
  assert.deepEqual(seen, {
    ...{ id: seen.id, created_at: seen.created_at, reason: 'malicious' },
    text: 'It mines coins.\n\nAll the time.',
    game: { id: game.id, title: game.title, slug: game.slug, url: seen.game.url },
    developer: { uid: ada.uid, name: 'Ada' },
    ...{ version: '1.0', resolved: null },
  });
  assert.ok(seen.game.url?.endsWith(`/games/${game.slug}`));
  assert.equal(me.user.uid, uid);
  const { open } = await client.call('adminReports', { query: { state: 'open' } });
  assert.equal(me.user.open_reports, open);
  assert.equal('open_reports' in (await ada.client.call('me', {})).user, false);
});

test('a report needs a known reason, text for other ones, and a published game', async () => {
  const game = await newGame();
  const send = (body: unknown, slug = game.slug) => report({ slug }, body as ReportGame);
  for (const body of [
    ...[{}, { reason: 'boring' }, { text: 'x' }, { reason: 'broken', text: 'x'.repeat(4001) }],
    ...[{ reason: 'other' }, { reason: 'other', text: ' \n ' }, { reason: 'other', text: null }],
    ...[
      { reason: 'broken', text: 'a\0b' },
      { reason: 'broken', text: '\u200b' },
    ],
    ...[
      { reason: 'broken', text: 'a\u202eb' },
      { reason: 'broken', from: 'ada' },
    ],
  ]) {
    await expectError(send(body), 'invalid_input');
  }
  for (const slug of ['no-such-game', '%00', game.id]) {
    await expectError(send({ reason: 'broken' }, slug), 'not_found');
  }
  const draft = (await ada.client.call('createProject', { body: { title: freshName('Draft') } }))
    .game;
  await expectError(send({ reason: 'broken' }, draft.slug), 'not_found');
  assert.deepEqual(await reportsOf(game), []);
  await send({ reason: 'other', text: 'x'.repeat(4000) });
  await send({ reason: 'broken', text: ' ' });
  assert.deepEqual(
    (await reportsOf(game)).map(({ reason, text }) => [reason, text?.length ?? null]),
    [
      ['broken', null],
      ['other', 4000],
    ],
  );
});

test('the developer and the administrators are notified once for each reason, until it is decided', async () => {
  const game = await newGame();
  const published = 'release_published null';
  await report(game, { reason: 'broken', text: 'a secret of the reporter' });
  await report(game, { reason: 'broken' });
  await report(game, { reason: 'copyright' });
  const reported = ['game_reported broken', 'game_reported copyright'];
  assert.deepEqual(await noticesOf(ada, game), [published, ...reported]);
  assert.deepEqual(await noticesOf(root, game), [
    'report_received broken',
    'report_received copyright',
  ]);
  const everything = JSON.stringify(await ada.client.call('notices', {}));
  assert.doesNotMatch(everything, /secret/);
  const [{ id: report3 } = assert.fail()] = await reportsOf(game);
  const params = { report: report3 };
  const body = { outcome: 'dismissed' as const, whole_game: true };
  await root.client.call('resolveReport', { params, body });
  await report(game, { reason: 'broken' });
  assert.deepEqual(await noticesOf(ada, game), [published, ...reported, 'game_reported broken']);
});

test('of reports at the same time, one is the first', async () => {
  const game = await newGame();
  const send = () =>
    report(game, { reason: 'broken' }).then(
      () => true,
      () => false,
    );
  const taken = await Promise.all(Array.from({ length: 8 }, send));
  assert.equal(taken.filter(Boolean).length, 3, 'the limit of the game');
  assert.deepEqual(await noticesOf(root, game), ['report_received broken']);
});

test('an administrator decides a report, changes the decision and opens it again; each act is in the audit trail', async () => {
  const game = await newGame();
  await report(game, { reason: 'broken' });
  const { id } = await onlyReport(game);
  const params = { report: id };
  const resolve = async (body: Parameters<typeof resolveReport>[2]) =>
    (await root.client.call('resolveReport', { params, body })).report.resolved;
  const first = await resolve({ outcome: 'dismissed', note: 'It works here' });
  assert.deepEqual(first, {
    ...{ at: first?.at, by: { uid: root.uid, name: 'Root' } },
    ...{ outcome: 'dismissed', note: 'It works here' },
  });
  assert.equal((await resolve({ outcome: 'acted' }))?.note, null);
  const shown = async (state: 'open' | 'resolved') =>
    (await root.client.call('adminReports', { query: { state, game: game.id } })).reports.length;
  assert.deepEqual([await shown('open'), await shown('resolved')], [0, 1]);
  const reopen = () => root.client.call('reopenReport', { params });
  assert.equal((await reopen()).report.resolved, null);
  assert.equal((await reopen()).report.resolved, null);
  assert.deepEqual([await shown('open'), await shown('resolved')], [1, 0]);
  await asOperator(platform, (admin) => resolveReport(admin, id, { outcome: 'acted' }));
  const { report: last } = await root.client.call('adminReport', { params });
  assert.deepEqual(last.resolved?.by, { uid: null, name: 'root' });
  assert.deepEqual(await auditOf(game.id), [
    ...['report.resolved dismissed: It works here', 'report.resolved acted'],
    ...['report.reopened null', 'report.resolved acted'],
  ]);
  for (const report of ['x', '%00', root.uid]) {
    const unknown = { report };
    const body = { outcome: 'acted' as const };
    await expectError(root.client.call('adminReport', { params: unknown }), 'not_found');
    await expectError(root.client.call('resolveReport', { params: unknown, body }), 'not_found');
    await expectError(root.client.call('reopenReport', { params: unknown }), 'not_found');
  }
});

test('a decision for the whole game changes its open reports only, and others of the game are shown with each', async () => {
  const [game, other] = [await newGame(), await newGame()];
  for (const reason of ['broken', 'explicit', 'abusive'] as const) await report(game, { reason });
  await report(other, { reason: 'broken' });
  const [abusive, explicit, broken] = await reportsOf(game);
  assert.ok(abusive !== undefined && explicit !== undefined && broken !== undefined);
  const resolve = (report: string, body: Parameters<typeof resolveReport>[2]) =>
    root.client.call('resolveReport', { params: { report }, body });
  await resolve(explicit.id, { outcome: 'dismissed', note: 'No' });
  await resolve(broken.id, { outcome: 'acted', note: 'Down', whole_game: true });
  const {
    report: shown,
    others,
    open,
  } = await root.client.call('adminReport', {
    params: { report: broken.id },
  });
  assert.deepEqual(
    [shown, ...others].map(({ reason, resolved }) => `${reason} ${resolved?.note}`),
    ['broken Down', 'abusive Down', 'explicit No'],
  );
  assert.equal(open, 0);
  assert.equal((await onlyReport(other)).resolved, null);
  assert.deepEqual((await auditOf(game.id)).at(-1), 'report.resolved acted 2 reports: Down');
});

test('reports are found by state, reason, game and developer, newest first, in pages', async () => {
  const bob = await platform.person(freshName('Bob'));
  const games = [await newGame(bob), await newGame(bob)];
  for (const game of games) {
    await report(game, { reason: 'misleading' });
    await report(game, { reason: 'explicit' });
  }
  const find = async (query: Parameters<typeof root.client.call<'adminReports'>>[1]['query']) =>
    (await root.client.call('adminReports', { query: { developer: bob.uid, ...query } })).reports;
  const ids = (reports: readonly Report[]) => reports.map(({ id }) => id);
  const all = await find({});
  assert.equal(all.length, 4);
  assert.deepEqual(ids(all), [...ids(all)].sort().reverse());
  assert.deepEqual(
    ids(await find({ reason: 'explicit' })),
    ids(all.filter(({ reason }) => reason === 'explicit')),
  );
  assert.equal((await find({ game: games[0]?.id ?? '' })).length, 2);
  assert.equal((await find({ developer: 'nobody' })).length, 0);
  const first = await root.client.call('adminReports', {
    query: { developer: bob.uid, limit: '3' },
  });
  const cursor = first.next_cursor ?? assert.fail();
  const second = await root.client.call('adminReports', {
    query: { developer: bob.uid, limit: '3', cursor },
  });
  assert.deepEqual(ids([...first.reports, ...second.reports]), ids(all));
  assert.equal(second.next_cursor, null);
});

test('a report outlasts its game, and shows the title and the slug of that time', async () => {
  const game = await newGame();
  await report(game, { reason: 'malicious' });
  await removeProject(ada.client, game.id);
  const { game: shown, resolved } = await onlyReport(game);
  assert.deepEqual(shown, { id: game.id, title: game.title, slug: game.slug, url: null });
  assert.equal(resolved, null);
});

test('open reports are limited for each game and in all, and each address is limited', async () => {
  const game = await newGame();
  for (let count = 0; count < 3; count++) await report(game, { reason: 'broken' });
  await expectError(report(game, { reason: 'abusive' }), 'quota_exceeded');
  assert.equal((await reportsOf(game)).length, 3);
  const [{ id } = assert.fail()] = await reportsOf(game);
  const params = { report: id };
  await root.client.call('resolveReport', { params, body: { outcome: 'acted' } });
  await report(game, { reason: 'abusive' });
  await using small = await openPlatform({ limits: { reports_open: 2 } });
  const eve = await small.person('Eve');
  const games: Game[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    const made = (await eve.client.call('createProject', { body: { title } })).game;
    games.push((await publishBuild(eve.client, made.id, '1', { 'index.html': 'x' })).game);
  }
  const send = ({ slug }: Game) =>
    small.clientWith(null).call('reportGame', { params: { slug }, body: { reason: 'broken' } });
  const [one, two, three] = games;
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  await send(one);
  await send(two);
  await expectError(send(three), 'quota_exceeded');
  // The third request was counted too. The default is six.
  for (let count = 0; count < 3; count++) await expectError(send(three), 'quota_exceeded');
  await expectError(send(three), 'rate_limited');
});

test('decided reports and notices are deleted when they are old, open reports are not', async () => {
  const cleo = await platform.person(freshName('Cleo'));
  const game = await newGame(cleo);
  await report(game, { reason: 'broken' });
  await report(game, { reason: 'copyright' });
  const [newer = assert.fail()] = await reportsOf(game);
  const params = { report: newer.id };
  await root.client.call('resolveReport', { params, body: { outcome: 'acted' } });
  const left = async () => [(await reportsOf(game)).length, (await noticesOf(cleo, game)).length];
  const after = (days: number) => runUpkeep(platform, Date.now() + days * DAY_MS);
  await after(179);
  assert.deepEqual(await left(), [2, 3]);
  await after(181);
  assert.deepEqual(await left(), [2, 0]);
  await after(399);
  assert.deepEqual(await left(), [2, 0]);
  await after(401);
  assert.deepEqual(await left(), [1, 0]);
  assert.equal((await onlyReport(game)).reason, 'broken');
});
