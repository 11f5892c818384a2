// Each act of an administrator, by the command line and by the API: its records, and its effect at a second process.
import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { after, before, test } from 'node:test';
import {
  type AuditRecord,
  PlatformError,
  ROUTES,
  type RouteName,
  type RouteRow,
} from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { ADMIN_COMMANDS, runAdminCommand } from '../src/commands/admin/run-admin-command.ts';
import { type Act, ROWS, type Target, UNTOUCHED, type View } from './admin-act-rows.ts';
import { makeAdmin } from './make-admin.ts';
import { chooseDatabase, freshName, type OpenPlatform, openPlatform } from './open-platform.ts';
import { type OutsideProvider, startOutsideProvider } from './outside-provider.ts';
import { publishBuild, publishForm } from './publish-build.ts';

/** The commands that change nothing. */
const READING: readonly string[] = [
  ...['user list', 'user show', 'game list', 'game show', 'report list', 'report show', 'audit'],
];

/** A target for reading the commands and routes of a row. */
const NOTHING: Target = { uid: '', gameId: '', slug: '', tokens: ['', ''], reports: ['', ''] };

let provider: OutsideProvider;
/** Where the acts are done. */
let one: OpenPlatform;
/** Where the effects are seen. It shares the database and the folder with the other one, as another process would. */
let two: OpenPlatform;
let root: Awaited<ReturnType<typeof signIn>>;
before(async () => {
  provider = await startOutsideProvider();
  const chosen = provider.settings({ SVC_RATE_LIMIT: 'off', SVC_DEVELOPER_SIGNUP: 'open' });
  const settings = { ...chosen, databaseUrl: await chooseDatabase() };
  one = await openPlatform({ dev: false, settings });
  two = await openPlatform({ dev: false, settings, dataDir: one.dataDir });
  root = await signIn('Root');
  await makeAdmin(one, root);
});
after(async () => {
  await two[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Signs a developer in. `signAgain` makes an ID token of a sign-in after all acts: processes may differ in time by a minute. */
async function signIn(name: string) {
  const tokenOf = (seconds: number) => {
    const now = Math.floor(Date.now() / 1000);
    return provider.sign({ sub: name, name, iat: now + seconds, exp: now + 300 });
  };
  const idToken = await tokenOf(-30);
  const client = one.clientWith(idToken);
  const { user } = await client.call('openSession', {
    body: { id_token: idToken, role: 'developer' },
  });
  return { uid: user.uid, idToken, client, signAgain: () => tokenOf(30) };
}

type Scene = Target & {
  readonly idToken: string;
  readonly signAgain: () => Promise<string>;
  readonly secrets: readonly [string, string];
  readonly firstRelease: string;
};

async function makeScene(): Promise<Scene> {
  const { uid, idToken, client, signAgain } = await signIn(freshName('Ada'));
  const { game } = await client.call('createProject', { body: { title: freshName('Game') } });
  const params = { id: game.id };
  for (const version of ['1', '2']) {
    await publishBuild(client, game.id, version, { 'index.html': version });
  }
  const { releases } = await client.call('releases', { params });
  const tokens = [
    await client.call('createToken', { body: { name: 'laptop' } }),
    await client.call('createToken', { body: { name: 'ci' } }),
  ] as const;
  for (const reason of ['broken', 'explicit'] as const) {
    const params = { slug: game.slug };
    await one.clientWith(null).call('reportGame', { params, body: { reason } });
  }
  const { reports } = await root.client.call('adminReports', { query: { game: game.id } });
  const [first, second] = reports;
  assert.ok(first !== undefined && second !== undefined);
  return {
    ...{ uid, idToken, signAgain, gameId: game.id, slug: game.slug },
    tokens: [tokens[0].token.id, tokens[1].token.id],
    secrets: [tokens[0].secret, tokens[1].secret],
    reports: [first.id, second.id],
    firstRelease: releases.find(({ version }) => version === '1')?.id ?? '',
  };
}

/** Returns `ok`, or the code of the error. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return String(error.code);
  }
}

async function textAt(path: string): Promise<string> {
  const answer = await fetch(`${two.baseUrl}/play/${path}`);
  const text = await answer.text();
  return answer.ok ? text : String(answer.status);
}

async function reportState(report: string): Promise<string> {
  const found = await two.clientWith(root.idToken).call('adminReport', { params: { report } });
  return found.report.resolved?.outcome ?? 'open';
}

/** What is seen at the second process. */
async function viewOf(scene: Scene): Promise<View> {
  const { gameId, slug, secrets, reports } = scene;
  const session = two.clientWith(scene.idToken);
  const form = publishForm('3', { 'index.html': '3' });
  const dry = { params: { id: gameId }, query: { dry_run: 'true' }, form } as const;
  const tokenState = (secret: string) => outcomeOf(two.clientWith(secret).call('me', {}));
  return {
    // First, because it makes a new account after a deletion.
    signIn: await outcomeOf(
      two.clientWith(null).call('openSession', { body: { id_token: await scene.signAgain() } }),
    ),
    publish: await outcomeOf(session.call('publish', dry)),
    create: await outcomeOf(session.call('createProject', { body: { title: 'Other', slug } })),
    administer: await outcomeOf(session.call('adminUsers', {})),
    tokens: [await tokenState(secrets[0]), await tokenState(secrets[1])],
    play: await textAt(`${slug}/`),
    firstRelease: await textAt(`${slug}/.release/${scene.firstRelease}/`),
    reports: [await reportState(reports[0]), await reportState(reports[1])],
  };
}

/** Waits for the view, because another process may learn of a change a second later. */
async function expectView(scene: Scene, expected: View, what: string): Promise<void> {
  const wanted = JSON.stringify(expected);
  await until(
    async () => JSON.stringify(await viewOf(scene)),
    (seen) => seen === wanted,
    `${what} is seen as ${wanted}`,
  );
}

async function trail(): Promise<AuditRecord[]> {
  return (await root.client.call('audit', { query: { limit: '20' } })).records;
}

type Way = {
  readonly name: string;
  readonly actor: () => AuditRecord['actor'];
  /** Null if the act cannot be done in this way. */
  readonly doingOf: (act: Act) => (() => Promise<unknown>) | null;
};

const WAYS: readonly Way[] = [
  {
    name: 'the command line',
    actor: () => ({ uid: null, name: userInfo().username, token_id: null }),
    doingOf:
      ({ command }) =>
      () =>
        runCommand(command),
  },
  {
    name: 'the API',
    actor: () => ({ uid: root.uid, name: 'Root', token_id: null }),
    doingOf: ({ request }) => request && (() => request.send(root.client)),
  },
];

async function runCommand(words: readonly string[]): Promise<void> {
  const lines: string[] = [];
  const { databaseUrl } = one.settings;
  await runAdminCommand(
    [...words, '--data-dir', one.dataDir],
    databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl },
    { print: (line) => lines.push(line), printed: async () => {} },
  );
  assert.equal(lines.length, 1, lines.join('\n'));
}

/** Records in an order that does not depend on the order of tokens. */
function sorted(records: readonly unknown[]): string[] {
  return records.map((record) => JSON.stringify(record)).toSorted();
}

for (const [name, actsOn] of ROWS) {
  for (const { name: way, actor, doingOf } of WAYS) {
    if (actsOn(NOTHING).every((act) => doingOf(act) === null)) continue;
    test(`${name} by ${way}: each act is recorded, and a second process follows`, async () => {
      const scene = await makeScene();
      await expectView(scene, UNTOUCHED, 'the beginning');
      for (const act of actsOn(scene)) {
        const what = act.command.join(' ');
        const earlier = new Set((await trail()).map(({ id }) => id));
        await doingOf(act)?.();
        const written = (await trail()).filter(({ id }) => !earlier.has(id));
        assert.deepEqual(
          sorted(
            written.map(({ actor, action, subject, detail }) => [actor, action, subject, detail]),
          ),
          sorted(act.records.map((record) => [actor(), ...record])),
          what,
        );
        await expectView(scene, { ...UNTOUCHED, ...act.changes }, what);
      }
    });
  }
}

test('each command, each option and each route that changes something has a row', () => {
  const acts = ROWS.flatMap(([, actsOn]) => actsOn(NOTHING));
  const commandOf = ({ command }: Act) => command.slice(0, 2).join(' ');
  const changing = ADMIN_COMMANDS.filter(({ name }) => !READING.includes(name));
  assert.deepEqual(
    [...new Set(acts.map(commandOf))].toSorted(),
    changing.map(({ name }) => name).toSorted(),
  );
  for (const { name, options } of changing) {
    const words = acts.filter((act) => commandOf(act) === name).flatMap(({ command }) => command);
    const used = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(options).toSorted(), name);
  }
  const routes = Object.entries(ROUTES as Readonly<Record<RouteName, RouteRow>>)
    .filter(([, { admin, method }]) => admin && method !== 'GET')
    .map(([route]) => route);
  const requested = acts.flatMap(({ request }) => request?.route ?? []);
  assert.deepEqual([...new Set(requested)].toSorted(), routes.toSorted());
});
