// Notices by e-mail: to whom they are sent, when, how often, and what happens if the mail server fails.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { NoticeKind } from '@svc/contracts/platform';
import { keepLines } from '@svc/observe/testing';
import { until } from '../../../scripts/until.ts';
import { newId } from '../src/database/new-id.ts';
import { readSettings } from '../src/index.ts';
import { startMailer } from '../src/mail/mailer.ts';
import {
  MailError,
  type MailSettings,
  openTransport,
  type SendMail,
} from '../src/mail/open-transport.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { writeNotice } from '../src/notices/write-notice.ts';
import { openStores } from '../src/start/open-stores.ts';
import { chooseDatabase, openPlatform } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';
import { startMailServer } from './start-mail-server.ts';

const MINUTE_MS = 60_000;
const GAME = { id: newId(), title: 'Moon Hop', slug: 'moon-hop', page_slug: null };

/** A database with users and notices, and mailers with the clock of the test. */
async function openDesk(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mail-'));
  const { log, lines } = keepLines();
  const settings = { ...readSettings({}), databaseUrl: await chooseDatabase() };
  const stores = await openStores({ dataDir: folder, settings, log });
  const { db, database } = stores;
  t.after(async () => {
    await stores[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  let now = Date.now();
  const metrics = createMetrics();
  const addresses = {
    ...{ webOrigin: 'https://games.example', publicUrl: '', playOrigin: null },
    heldSlugs: new Set<string>(),
  };
  const open = (send: SendMail) =>
    startMailer({ db, database, log, metrics, addresses, now: () => now }, send);
  return {
    ...{ db, lines },
    wait(minutes: number) {
      now += minutes * MINUTE_MS;
    },
    async user(email: string | null, mail_off: string | null = null): Promise<string> {
      const uid = newId();
      const row = { uid, issuer: 'x', sub: uid, email, name: 'Ada', avatar: null, name_edited: 0 };
      const rest = { avatar_edited: 0, role: 'player', created_at: now, avatar_id: null } as const;
      await db
        .insertInto('users')
        .values({ ...row, ...rest, mail_off })
        .execute();
      return uid;
    },
    notify: (uid: string, kind: NoticeKind = 'game_taken_down', detail: string | null = null) =>
      writeNotice(db, { uid, at: now, kind, game: GAME, version: '1.2', detail }),
    open,
    /** Sends what is due, as a process does. */
    async run(send: SendMail) {
      await using mailer = open(send);
      await mailer.run();
    },
    async counted() {
      const { values } = await metrics.mails.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
    },
  };
}

test('a notice is sent once to the address of its user, as text with a link to the store', async (t) => {
  const desk = await openDesk(t);
  await using server = await startMailServer();
  const login = { user: 'mailer', pass: 'secret' };
  const send = openTransport({ ...server.settings, login });
  await desk.notify(await desk.user('ada@x.example'), 'game_taken_down', 'Malware 🦠');
  await Promise.all([desk.run(send), desk.run(send), desk.run(send)]);
  await desk.run(send);
  const [mail = assert.fail('nothing was sent'), ...others] = server.received;
  assert.equal(others.length, 0);
  assert.deepEqual(mail.to, ['ada@x.example']);
  assert.equal(
    mail.text.trimEnd().replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME'),
    `Hello Ada,

The operator of the store took "Moon Hop" down. Reason: Malware 🦠.
Time: TIME UTC

https://games.example/dashboard/games/${GAME.id}

--${' '}
The store at https://games.example sends this to the address of your account.`,
  );
  const header = (name: string) => mail.headers.get(name);
  assert.equal(header('subject'), 'The operator of the store took "Moon Hop" down');
  assert.equal(header('from'), 'The store <store@games.example>');
  assert.equal(header('to'), 'ada@x.example');
  assert.equal(header('auto-submitted'), 'auto-generated');
  assert.match(header('content-type') ?? '', /^text\/plain; charset=utf-8/);
  assert.match(header('message-id') ?? '', /^<[0-9a-f-]{36}@games\.example>$/);
  assert.deepEqual(server.logins, ['mailer:secret']);
  assert.deepEqual(await desk.counted(), { sent: 1, failed: 0, rejected: 0 });
});

test('each user gets what they have not turned off, and nothing without an address', async (t) => {
  const desk = await openDesk(t);
  const sent: string[] = [];
  const send: SendMail = async ({ to, text }) =>
    void sent.push(`${to} ${text.includes('turn it off')}`);
  const kinds: NoticeKind[] = [
    ...(['game_reported', 'report_received', 'release_published', 'signed_in'] as const),
    ...(['token_created', 'game_restored', 'account_suspended'] as const),
  ];
  const users = [
    await desk.user('all@x.example'),
    await desk.user('some@x.example', JSON.stringify(['reports', 'sign_ins'])),
    await desk.user('few@x.example', JSON.stringify(['releases', 'reports', 'sign_ins'])),
    await desk.user(null),
  ];
  for (const uid of users) for (const kind of kinds) await desk.notify(uid, kind, 'x');
  await desk.run(send);
  const count = (line: string) => sent.filter((one) => one === line).length;
  assert.deepEqual(
    ['all', 'some', 'few'].map((name) => [
      count(`${name}@x.example true`),
      count(`${name}@x.example false`),
    ]),
    [
      [5, 2],
      [1, 2],
      [0, 2],
    ],
  );
  assert.equal(sent.length, 12);
});

test('an address is one recipient, whatever it contains, and a name cannot add a header', async (t) => {
  const desk = await openDesk(t);
  await using server = await startMailServer();
  const send = openTransport(server.settings);
  await desk.notify(await desk.user('a@x.example, b@x.example'));
  await desk.notify(await desk.user('c@x.example\r\nBcc: d@x.example'));
  await desk.notify(await desk.user('e@x.example'));
  await writeNotice(desk.db, {
    ...{ uid: await desk.user('f@x.example'), at: Date.now(), kind: 'game_restored' },
    game: { ...GAME, title: 'Hop\r\nBcc: d@x.example\r\n\r\nBuy!' },
  });
  for (let minutes = 0; minutes < 60; minutes += 15) {
    await desk.run(send);
    desk.wait(15);
  }
  const recipients = server.received.flatMap(({ to }) => to);
  assert.ok(recipients.includes('e@x.example') && recipients.includes('f@x.example'));
  for (const { to, headers } of server.received) {
    assert.equal(to.length, 1);
    assert.equal(headers.has('bcc'), false);
  }
  assert.equal(recipients.includes('b@x.example') || recipients.includes('d@x.example'), false);
});

test('a mail that is not accepted is sent again later and later, for a day', async (t) => {
  const desk = await openDesk(t);
  await using server = await startMailServer();
  const send = openTransport(server.settings);
  await desk.notify(await desk.user('late@x.example'));
  server.refused.set('late@x.example', 451);
  const tries: number[] = [];
  let minute = 0;
  while (minute < 26 * 60) {
    const before = (await desk.counted())['failed'] ?? 0;
    await desk.run(send);
    if (((await desk.counted())['failed'] ?? 0) > before) tries.push(minute);
    const step = minute < 21 ? 1 : 20;
    desk.wait(step);
    minute += step;
  }
  assert.deepEqual(tries, [0, 1, 6, 21, 81, 261, 441, 621, 801, 981, 1161, 1341]);
  server.refused.clear();
  desk.wait(24 * 60);
  await desk.run(send);
  assert.deepEqual(server.received, []);
  const [line] = desk.lines;
  assert.equal(line?.message, 'an e-mail was not accepted');
  assert.equal(line.fields['code'], '451');
  assert.doesNotMatch(JSON.stringify(desk.lines), /late@x\.example/);
});

test('an address that the server rejects for good is given up, and others are sent', async (t) => {
  const desk = await openDesk(t);
  await using server = await startMailServer();
  const send = openTransport(server.settings);
  server.refused.set('gone@x.example', 550);
  for (const name of ['gone', 'here']) await desk.notify(await desk.user(`${name}@x.example`));
  await desk.run(send);
  desk.wait(12 * 60);
  await desk.run(send);
  assert.deepEqual(
    server.received.map(({ to }) => to),
    [['here@x.example']],
  );
  assert.deepEqual(await desk.counted(), { sent: 1, failed: 0, rejected: 1 });
});

test('a reply about the sender or the login is a fault of the settings, and nothing is given up', async (t) => {
  const cases = [
    ...([
      ['MAIL', 530],
      ['MAIL', 553],
      ['MAIL', 451],
      ['MAIL', 421],
    ] as const),
    ...([
      ['RCPT', 530],
      ['RCPT', 554],
      ['DATA', 552],
      ['DATA', 550],
    ] as const),
  ] as const;
  for (const [step, status] of cases) {
    const where = `${step} ${status}`;
    const desk = await openDesk(t);
    await using server = await startMailServer();
    const send = openTransport(server.settings);
    const names = ['one', 'two'].map((name) => `${name}@x.example`);
    for (const name of names) await desk.notify(await desk.user(name));
    server.fault = { step, status };
    await desk.run(send);
    // After the data, a reply may be about this e-mail only.
    const failed = step === 'DATA' ? 2 : 1;
    assert.deepEqual(await desk.counted(), { sent: 0, failed, rejected: 0 }, where);
    assert.equal(desk.lines.at(-1)?.fields['code'], String(status), where);
    server.fault = null;
    desk.wait(1);
    await desk.run(send);
    assert.deepEqual(server.received.flatMap(({ to }) => to).sort(), names, where);
  }
});

test('a mail server that is slow without being silent is given up for this time', async (t) => {
  const desk = await openDesk(t);
  await using server = await startMailServer();
  const send = openTransport(server.settings, 300);
  await desk.notify(await desk.user('ada@x.example'));
  server.fault = 'slow';
  await desk.run(send);
  assert.deepEqual(await desk.counted(), { sent: 0, failed: 1, rejected: 0 });
  assert.equal(desk.lines.at(-1)?.fields['code'], 'ETIMEDOUT');
});

test('a notice that cannot be composed does not hold up others', async (t) => {
  const desk = await openDesk(t);
  await desk.notify(await desk.user('broken@x.example', 'not JSON'), 'signed_in');
  await desk.notify(await desk.user('ada@x.example'));
  const sent: string[] = [];
  await desk.run(async ({ to }) => void sent.push(to));
  assert.deepEqual(sent, ['ada@x.example']);
  assert.equal(desk.lines.at(-1)?.message, 'a notice was not sent');
});

test('the subject names what happened, whatever the title and the reason contain', async (t) => {
  const desk = await openDesk(t);
  const uid = await desk.user('ada@x.example');
  const title = 'Go. Reason: none';
  await writeNotice(desk.db, {
    ...{ uid, at: Date.now() - 1000, kind: 'game_taken_down', detail: 'Because. Reason: x' },
    game: { ...GAME, title },
  });
  const subjects: string[] = [];
  await desk.run(async ({ subject }) => void subjects.push(subject));
  assert.deepEqual(subjects, [`The operator of the store took "${title}" down`]);
});

test('while the mail server is away, one try is made in a run; all are sent when it is back', async (t) => {
  const desk = await openDesk(t);
  const names = Array.from({ length: 12 }, (_, at) => `user${at}@x.example`);
  for (const name of names) await desk.notify(await desk.user(name));
  let settings: MailSettings;
  {
    await using server = await startMailServer();
    ({ settings } = server);
  }
  await desk.run(openTransport(settings));
  assert.deepEqual(await desk.counted(), { sent: 0, failed: 1, rejected: 0 });
  await using server = await startMailServer();
  desk.wait(1);
  await desk.run(openTransport(server.settings));
  assert.deepEqual(server.received.flatMap(({ to }) => to).sort(), names.sort());
});

test('a process leaves a mail server that fails alone for a minute, and another one may try', async (t) => {
  const desk = await openDesk(t);
  for (const name of ['one', 'two']) await desk.notify(await desk.user(`${name}@x.example`));
  const tried: string[] = [];
  let isAway = true;
  const send: SendMail = async ({ to }) => {
    tried.push(to);
    if (isAway) throw new MailError({ code: 'ECONNECTION' });
  };
  await using mailer = desk.open(send);
  await mailer.run();
  await mailer.run();
  assert.equal(tried.length, 1);
  isAway = false;
  await desk.run(send);
  assert.equal(tried.length, 2, 'the other notice, by another process');
  assert.notEqual(tried[0], tried[1]);
  desk.wait(1);
  await mailer.run();
  assert.deepEqual([tried[2], tried.length], [tried[0], 3]);
});

test('if a process hangs or is killed while it sends, another one sends the notice again, with the same id', async (t) => {
  const desk = await openDesk(t);
  await desk.notify(await desk.user('ada@x.example'));
  const ids: string[] = [];
  const { promise: hangs, resolve: goOn } = Promise.withResolvers<void>();
  const first = desk.open(async ({ id }) => {
    ids.push(id);
    await hangs;
  });
  const running = first.run();
  await until(
    () => ids.length,
    (count) => count === 1,
  );
  const send: SendMail = async ({ id }) => void ids.push(id);
  desk.wait(9);
  await desk.run(send);
  assert.equal(ids.length, 1, 'the first process may still be at work');
  desk.wait(1);
  await desk.run(send);
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
  goOn();
  await running;
  await first[Symbol.asyncDispose]();
  desk.wait(11);
  await desk.run(send);
  assert.equal(ids.length, 2, 'what the first process writes late changes nothing');
});

test('without TLS no login and no e-mail leave the machine', async (t) => {
  const desk = await openDesk(t);
  const login = { user: 'mailer', pass: 'secret' };
  await desk.notify(await desk.user('ada@x.example'));
  await using plain = await startMailServer();
  await using withTls = await startMailServer({ tls: true });
  const changes: readonly [server: typeof plain, Partial<MailSettings>][] = [
    [plain, { requiresTls: true }],
    [plain, { secure: true }],
    // Its certificate is that of nobody.
    [withTls, { requiresTls: true }],
  ];
  for (const [server, change] of changes) {
    await desk.run(openTransport({ ...server.settings, login, ...change }));
    desk.wait(60 * 4);
    assert.deepEqual([server.logins, server.received], [[], []], JSON.stringify(change));
  }
  assert.equal((await desk.counted())['failed'], changes.length);
});

test('a server with a mail server sends notices by itself, and users choose which', async () => {
  await using provider = await startOutsideProvider();
  await using server = await startMailServer();
  const settings = { ...provider.settings(), mail: server.settings };
  await using platform = await openPlatform({ dev: false, settings });
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: 'ada', email: 'ada@x.example', email_verified: true };
  const open = async (seconds: number) => {
    const idToken = await provider.sign({ ...claims, iat: iat + seconds });
    const client = platform.clientWith(idToken);
    const { user } = await client.call('openSession', { body: { id_token: idToken } });
    return { client, user };
  };
  const { client, user } = await open(0);
  assert.deepEqual(user.mail, { reports: true, releases: true, sign_ins: true });
  const edit = async (mail: Partial<NonNullable<typeof user.mail>>) =>
    (await client.call('editProfile', { body: { mail } })).user.mail;
  assert.deepEqual(await edit({ releases: false }), {
    ...{ reports: true, releases: false, sign_ins: true },
  });
  assert.deepEqual(await edit({ reports: false, releases: true }), {
    ...{ reports: false, releases: true, sign_ins: true },
  });
  assert.deepEqual(await edit({}), { reports: false, releases: true, sign_ins: true });
  await open(20);
  const isSent = (count: number) => count > 0;
  await until(() => server.received.length, isSent, 'the e-mail of the sign-in is sent');
  assert.equal(
    server.received[0]?.headers.get('subject'),
    'Your account was used to sign in on a new device',
  );
  await using silent = await openPlatform();
  assert.equal('mail' in (await (await silent.person('Bob')).client.call('me', {})).user, false);
});
