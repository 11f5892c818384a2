// `svc-platform admin` as a program beside a running server: what it prints and rejects. admin-acts.test.ts has what each act changes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuditRecord, createPlatformClient } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { type PlatformProcess, startProcess } from './platform-process.ts';
import { publishBuild } from './publish-build.ts';
import { type Developer, signInDeveloper } from './sign-in-developer.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
/** No process shows an old state for longer than this after the change. */
const STALE_MS = 1_000;

let folder = '';
let server: PlatformProcess;
let ada: Developer;
let uid = '';
let slug = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-admin-'));
  server = await startProcess(folder);
  ada = await signInDeveloper(server, 'Ada');
  ({ uid } = (await ada.client.call('me', {})).user);
  const { game } = await ada.client.call('createProject', { body: { title: 'Moon Hop' } });
  ({ slug } = game);
  for (const version of ['1', '2']) {
    await publishBuild(ada.client, game.id, version, { 'index.html': version });
  }
});
after(async () => {
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command with the data folder of the server. */
async function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'admin', ...args, '--data-dir', folder], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Runs the command. Returns what it printed, without times. */
async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  return stdout
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replaceAll(uid, 'UID')
    .replaceAll(/ +$/gm, '');
}

async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  return stderr;
}

/** Expects the server to play this within a second: the text of the page, or the status of an error. */
async function plays(expected: string | number): Promise<void> {
  await until(
    async () => {
      const answer = await fetch(`${server.baseUrl}/play/${slug}/`);
      const text = await answer.text();
      return answer.ok ? text : answer.status;
    },
    (found) => found === expected,
    `the server plays ${expected}`,
    STALE_MS,
  );
}

test('games and releases are found, taken down and restored while the server runs', async () => {
  await plays('2');
  assert.equal(
    await printed('game', 'list', '--search', 'moon'),
    'SLUG      TITLE     DEVELOPER  VERSION  STATE\nmoon-hop  Moon Hop  Ada        2        published\n',
  );
  assert.equal(
    await printed('game', 'take-down', slug, '--reason', 'Malware'),
    'Took moon-hop down. Players cannot see the game\n',
  );
  await plays(404);
  const { games } = await ada.client.call('projects', {});
  assert.equal(games[0]?.taken_down?.reason, 'Malware');
  assert.match(
    await printed('game', 'show', slug),
    /^id +\S+\ntitle +Moon Hop\npage +http:\S+\/games\/moon-hop\ndeveloper +Ada \(UID\)\nstate +taken down\nsince +TIME\nstored +\d+ bytes\ntaken down +TIME: Malware\n\nVERSION +PUBLISHED +STATE\n2 +TIME +live\n1 +TIME\n$/,
  );
  assert.equal(
    await printed('game', 'restore', slug),
    'Restored moon-hop. The state of the game: published\n',
  );
  await plays('2');
  assert.equal(
    await printed('game', 'take-down', slug, '--version', '1'),
    'Took version 1 of moon-hop down. The game is played in another version\n',
  );
  await plays('2');
  const json = JSON.parse(
    await printed('game', 'take-down', slug, '--version', '2', '--reason', 'Worse', '--json'),
  );
  assert.equal(json.release_taken_down.reason, 'Worse');
  await plays(404);
  assert.match(await printed('game', 'list', '--taken-down'), / {2}live release taken down\n$/);
  assert.equal(
    await printed('game', 'restore', slug, '--version', '2'),
    'Restored version 2 of moon-hop. The state of the game: published\n',
  );
  await plays('2');
  assert.equal(await printed('game', 'list', '--search', 'sun'), 'No game was found\n');
});

test('a deleted game is shown as deleted, and a take-down does not depend on the deletion', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Tide' } });
  const params = { id: game.id };
  await ada.client.call('deleteProject', { params });
  assert.match(await printed('game', 'list', '--search', 'tide'), / {2}deleted\n$/);
  assert.match(await printed('game', 'show', 'tide'), /\nstate +deleted\n[\s\S]*\ndeleted +TIME\n/);
  await printed('game', 'take-down', 'tide');
  assert.match(await printed('game', 'list', '--search', 'tide'), / {2}deleted, taken down\n$/);
  assert.equal(
    await printed('game', 'restore', 'tide'),
    'Restored tide. The state of the game: deleted\n',
  );
  await ada.client.call('removeDeletedGame', { params });
  assert.equal(await printed('game', 'list', '--search', 'tide'), 'No game was found\n');
});

test('users are found, get roles and quotas, are suspended and restored while the server runs', async () => {
  assert.equal(
    await printed('user', 'list', '--role', 'developer'),
    `ID                                    NAME  E-MAIL  ROLE       PROJECTS  STATE\n${'UID'}  Ada           developer  1\n`,
  );
  assert.equal(await printed('user', 'role', uid, 'admin'), 'Ada (UID) is now an administrator\n');
  assert.equal((await ada.client.call('adminUsers', {})).users.length, 1);
  assert.equal(
    await printed('user', 'quota', uid, '--projects', '1', '--project-bytes', '5000'),
    'Ada (UID) may have 1 project with 5,000 bytes each\n',
  );
  await assert.rejects(ada.client.call('createProject', { body: { title: 'Second' } }), {
    code: 'quota_exceeded',
  });
  assert.equal(
    await printed('user', 'suspend', uid, '--reason', 'Sends spam'),
    'Suspended Ada (UID). Their sessions have ended, their tokens are rejected, and 1 published game is hidden\n',
  );
  await assert.rejects(ada.client.call('me', {}), { code: 'account_suspended' });
  await plays(404);
  assert.match(
    await printed('user', 'show', uid),
    /^id +UID\nname +Ada\nrole +admin\nsigns in at +dev\nas +\S+\nsince +TIME\nprojects +1\nmay have +1 project\neach with +5,000 bytes\nsuspended +TIME: Sends spam\nsessions ended +TIME\n$/,
  );
  assert.match(
    await printed('user', 'restore', uid),
    /^Lifted the suspension of Ada \(UID\)\. .* 1 game is public\n$/,
  );
  await plays('2');
  assert.equal(await printed('user', 'restore', uid), 'Ada (UID) is not suspended\n');
  await assert.rejects(ada.client.call('me', {}), { code: 'session_ended' });
  assert.match(await printed('user', 'end-sessions', uid), /^Ended all sessions of Ada \(UID\)/);
  assert.equal(await printed('user', 'tokens', uid), 'Ada (UID) has no tokens\n');
  assert.equal(
    await printed('user', 'tokens', uid, '--revoke-all'),
    'Revoked 0 tokens of Ada (UID)\n',
  );
  const shown = JSON.parse(await printed('user', 'show', uid, '--json'));
  assert.equal(shown.quota.project_bytes, 5000);
});

test('the audit trail names the account that ran the command, and is exported as JSON lines', async () => {
  const { stdout } = await run('audit', '--json');
  const records = stdout
    .trim()
    .split('\n')
    .map((line): AuditRecord => JSON.parse(line));
  const name = userInfo().username;
  const byOperator = records.filter(({ actor }) => actor?.uid === null);
  assert.deepEqual(new Set(byOperator.map(({ actor }) => actor?.name)), new Set([name]));
  const rows = await printed('audit', '--game', slug, '--limit', '2');
  assert.equal(
    rows.replaceAll(name, 'NAME').replaceAll(/ {2,}/g, '  '),
    'TIME  BY  ACTION  SUBJECT  DETAIL\nTIME  NAME (on the server)  release.restored  moon-hop  2\nTIME  NAME (on the server)  release.taken_down  moon-hop  2: Worse\nThere are more. Use a larger --limit\n',
  );
  const acts = (await printed('audit', '--about', uid, '--action', 'user.')).trim().split('\n');
  assert.equal(acts.length, 6);
  assert.match(await printed('audit', '--by', uid), /Ada +project\.created +moon-hop +moon-hop\n/);
});

test('reports are read and decided while the server runs', async () => {
  assert.equal(await printed('report', 'list'), 'No report is open\n');
  const player = createPlatformClient({ baseUrl: server.baseUrl, send: fetch });
  const send = (reason: 'broken' | 'explicit', text?: string) =>
    player.call('reportGame', {
      params: { slug },
      body: { reason, ...(text === undefined ? {} : { text }) },
    });
  await send('broken');
  await send('explicit', 'Blood\n\u200beverywhere');
  const listed = await printed('report', 'list', '--game', slug);
  const [, id = ''] = /^(\S+) .* explicit /m.exec(listed) ?? [];
  assert.match(
    listed,
    /^REPORT +SINCE +GAME +VERSION +REASON +STATE\n\S+ +TIME +moon-hop +2 +explicit +open\n\S+ +TIME +moon-hop +2 +broken +open\n$/,
  );
  assert.match(
    await printed('report', 'show', id),
    /^id +\S+\nsince +TIME\ngame +Moon Hop \(moon-hop\)\npage +http:\S+\ndeveloper +Ada \(UID\)\nversion +2\nreason +It contains sexual or violent content \(explicit\)\ntext +Blood everywhere\nopen reports of the game +2\n\nOther reports of the game:\nREPORT .*\n\S+ +TIME +moon-hop +2 +broken +open\n$/,
  );
  assert.equal(
    await printed('report', 'resolve', id, 'dismissed', '--note', 'No blood', '--whole-game'),
    'Resolved 2 reports\n',
  );
  const shown = JSON.parse(await printed('report', 'reopen', id, '--json'));
  assert.deepEqual([shown.resolved, shown.others[0].resolved.note], [null, 'No blood']);
  assert.match(await printed('report', 'list', '--state', 'resolved'), / broken +dismissed\n$/);
  assert.equal((await printed('report', 'list', '--state', 'all')).trim().split('\n').length, 3);
});

test('with sudo the record names the account that called it', async () => {
  const name = userInfo().username;
  const child = spawn(
    process.execPath,
    [MAIN, 'admin', 'user', 'end-sessions', uid, '--data-dir', folder],
    { env: { PATH: process.env['PATH'] ?? '', SUDO_USER: 'ada' }, stdio: 'ignore' },
  );
  assert.deepEqual(await once(child, 'close'), [0, null]);
  const { stdout } = await run('audit', '--json', '--limit', '1');
  const { actor }: AuditRecord = JSON.parse(stdout);
  assert.equal(actor?.name, `ada as ${name}`);
});

test('errors say what is wrong and what to do, and change nothing', async () => {
  const errors: [args: string[], expected: RegExp][] = [
    [[], /^There is no command "admin"\. Commands:\n {2}svc-platform admin user list /],
    [
      ['user', 'make'],
      /^There is no command "admin user make"\. Commands:\n {2}svc-platform admin user/,
    ],
    [['game', 'show', 'sun'], /^There is no game with the slug "sun"\n$/],
    [['user', 'show', 'eve@x.example'], /id or e-mail address "eve@x\.example"\. To find users: /],
    [['user', 'role', uid], /^Cannot run "admin user role": ROLE is missing\n$/],
    [
      ['user', 'role', uid, 'king'],
      /^There is no role "king"\. Roles: player, developer, admin\n$/,
    ],
    [['user', 'show', uid, 'x'], /"x" is one argument too many/],
    [['user', 'quota', uid], /^Name the quota: --projects N, --project-bytes N/],
    [['user', 'quota', uid, '--projects', 'many'], /^Cannot use --projects "many"\. Allowed: /],
    [['user', 'quota', uid, '--projects', '100001'], /projects/],
    [['user', 'suspend', uid, '--reason', 'a\tb'], /^The reason contains a control character/],
    [['game', 'take-down', slug, '--version', '9'], /^Cannot find this release\n$/],
    [['user', 'tokens', uid, '--revoke', 'x', '--revoke-all'], /^Use either /],
    [['user', 'tokens', uid, '--revoke', 'x'], /^Cannot find this token\n$/],
    [['audit', '--about', uid, '--game', slug], /^Use either /],
    [['report', 'show', 'x'], /^Cannot find this report\n$/],
    [
      ['report', 'resolve', 'x'],
      /^Cannot run "admin report resolve": acted\|dismissed is missing\n$/,
    ],
    [
      ['report', 'resolve', 'x', 'done'],
      /^There is no outcome "done"\. Outcomes: acted, dismissed\n$/,
    ],
    [
      ['report', 'list', '--state', 'new'],
      /^Cannot use --state "new"\. Allowed: open, resolved, all\n$/,
    ],
    [['game', 'list', '--nonsense'], /nonsense/],
  ];
  await Promise.all(
    errors.map(async ([args, expected]) => assert.match(await refused(...args), expected)),
  );
  await plays('2');
  const elsewhere = spawn(process.execPath, [MAIN, 'admin', 'audit', '--data-dir', '/nowhere']);
  let text = '';
  elsewhere.stderr.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(elsewhere, 'close');
  assert.match(text, /^Cannot open "\/nowhere": it contains no database\. Name the folder/);
});

test('a list whose reader ends is no error', async () => {
  const child = spawn(process.execPath, [MAIN, 'admin', 'audit', '--json', '--data-dir', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const [code] = await once(child, 'close');
  assert.deepEqual([code, errors], [0, '']);
});

test('an account is deleted with --yes while the server runs, and its files too', async () => {
  const eve = await signInDeveloper(server, 'Eve');
  const id = (await eve.client.call('me', {})).user.uid;
  const { game } = await eve.client.call('createProject', { body: { title: 'Short Lived' } });
  await publishBuild(eve.client, game.id, '1', { 'index.html': 'eve' });
  assert.equal(
    await refused('user', 'delete', id),
    `Deleting Eve (${id}) also deletes 1 project with all files, and cannot be undone. To delete the account, add --yes\n`,
  );
  assert.equal((await fetch(`${server.baseUrl}/play/short-lived/`)).status, 200);
  await printed('user', 'suspend', id);
  assert.equal(
    await printed('user', 'delete', id, '--yes'),
    `Deleted the account of Eve (${id}). Their tokens have stopped working. A running server removes the files of 1 project within a minute, or the next one that starts\n`,
  );
  await until(
    async () => (await fetch(`${server.baseUrl}/play/short-lived/`)).status,
    (status) => status === 404,
    'the server does not play it any more',
    30_000,
  );
  await assert.rejects(eve.client.call('me', {}), { code: 'session_required' });
  assert.match(await refused('user', 'show', id), /^There is no user with the id/);
  const records = await printed('audit', '--action', 'account.deleted', '--json');
  const { actor, subject } = JSON.parse(records) as AuditRecord;
  assert.deepEqual([actor?.uid, actor?.name, subject], [null, userInfo().username, id]);
  const bob = await signInDeveloper(server, 'Bob');
  const other = (await bob.client.call('me', {})).user.uid;
  const json = await printed('user', 'delete', other, '--yes', '--json');
  assert.deepEqual(JSON.parse(json), { uid: other, projects: 0 });
});
