// Sends notices by e-mail in the background. Any number of processes may do so on one database.

import { errorFields } from '@svc/observe';
import { readMailChoices } from '../accounts/user-records.ts';
import type { NoticesTable, UsersTable } from '../database/schema.ts';
import { isPassing } from '../failure.ts';
import { noticeRecord } from '../notices/notice-record.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { Platform } from '../platform.ts';
import { composeMail, isWanted } from './compose-mail.ts';
import { MailError, type SendMail } from './open-transport.ts';

const EVERY_MS = 5_000;
const MINUTE_MS = 60_000;
/** How many notices a process takes at once. */
const BATCH = 10;
/** Longer than a batch takes. If a process is killed, another one sends its notices after this time. */
const LEASE_MS = 10 * MINUTE_MS;
/** An older notice is no news. It stays in the dashboard. */
const GIVEN_UP_MS = 24 * 60 * MINUTE_MS;
/** How long to leave a mail server alone that fails. */
const REST_MS = MINUTE_MS;
/** How long to wait after each failure; after the last one again and again. */
const WAITS_MS = [1, 5, 15, 60, 180].map((minutes) => minutes * MINUTE_MS);

type Context = Pick<Platform, 'db' | 'database' | 'now' | 'log' | 'metrics' | 'addresses'>;

/** Sends what is due until it is disposed of. */
export type Mailer = AsyncDisposable & {
  /** Sends all that is due now. Never throws: what fails is logged, and sent again later. */
  run(): Promise<void>;
};

/** Starts to send notices. */
export function startMailer(context: Context, send: SendMail): Mailer {
  const state = { isEnded: false, restsUntil: 0 };
  const runs = oneAtATime(async () => {
    try {
      let isMore = true;
      while (isMore && isAwake(context, state) && (await isDue(context))) {
        await forgetOld(context);
        isMore = await sendBatch(context, send, state);
      }
    } catch (error) {
      if (!isPassing(error)) context.log.error('notices were not sent', errorFields(error));
    }
  });
  const run = (): Promise<void> => runs.run('all');
  const timer = setInterval(() => void run(), EVERY_MS);
  timer.unref();
  return {
    run,
    async [Symbol.asyncDispose]() {
      state.isEnded = true;
      clearInterval(timer);
      await runs.settle();
    },
  };
}

/** Whether the mailer was disposed of, and until when it leaves a mail server alone that fails. */
type State = { isEnded: boolean; restsUntil: number };

function isAwake({ now }: Context, { isEnded, restsUntil }: State): boolean {
  return !isEnded && now() >= restsUntil;
}

/** A read, so that a mailer with nothing to do never locks the database. */
async function isDue({ db, now }: Context): Promise<boolean> {
  const due = await db
    .selectFrom('notices')
    .select('id')
    .where('mail_at', '<=', now())
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

async function forgetOld({ db, now }: Context): Promise<void> {
  await db
    .updateTable('notices')
    .set({ mail_at: null })
    .where('mail_at', '<=', now())
    .where('at', '<=', now() - GIVEN_UP_MS)
    .execute();
}

/** Sends some of the notices that are due, until the mail server fails. Returns whether there were any. */
async function sendBatch(context: Context, send: SendMail, state: State): Promise<boolean> {
  const notices = await takeDue(context);
  for (const [at, notice] of notices.entries()) {
    if (!isAwake(context, state)) {
      await giveBack(context, notices.slice(at));
      break;
    }
    if (!(await sendOne(context, send, notice))) state.restsUntil = context.now() + REST_MS;
  }
  return notices.length > 0;
}

/** Lets any process take the notices again. */
async function giveBack(context: Context, notices: readonly NoticesTable[]): Promise<void> {
  for (const notice of notices) {
    await settle(context, notice, {
      ...{ mail_at: context.now(), mail_tries: notice.mail_tries - 1 },
    });
  }
}

/** Changes a notice, unless its lease has passed and another process has taken it. */
async function settle(
  { db }: Context,
  { id, mail_tries }: NoticesTable,
  changes: Partial<Pick<NoticesTable, 'mail_at' | 'mail_tries'>>,
): Promise<void> {
  await db
    .updateTable('notices')
    .set(changes)
    .where('id', '=', id)
    .where('mail_tries', '=', mail_tries)
    .execute();
}

/** Takes notices that are due, so that no other process sends them. */
function takeDue({ db, database, now }: Context): Promise<NoticesTable[]> {
  const due = db
    .selectFrom('notices')
    .select('id')
    .where('mail_at', '<=', now())
    .orderBy('mail_at')
    .limit(BATCH);
  return db
    .updateTable('notices')
    .set((eb) => ({ mail_at: now() + LEASE_MS, mail_tries: eb('mail_tries', '+', 1) }))
    .where('id', 'in', database.engine === 'postgres' ? due.forUpdate().skipLocked() : due)
    .returningAll()
    .execute();
}

/** Sends a notice, unless its user does not want it or has no address. Returns whether others can be sent now. */
async function sendOne(context: Context, send: SendMail, notice: NoticesTable): Promise<boolean> {
  const { now, log, metrics } = context;
  try {
    const isSent = await deliver(context, send, notice);
    if (isSent) metrics.mails.inc({ outcome: 'sent' });
    await settle(context, notice, { mail_at: null });
    return true;
  } catch (error) {
    const wait = WAITS_MS[notice.mail_tries - 1] ?? WAITS_MS.at(-1) ?? 0;
    const isFinal = error instanceof MailError && error.isFinal;
    await settle(context, notice, { mail_at: isFinal ? null : now() + wait });
    if (!(error instanceof MailError)) {
      log.error('a notice was not sent', { notice: notice.id, ...errorFields(error) });
      return true;
    }
    metrics.mails.inc({ outcome: isFinal ? 'rejected' : 'failed' });
    const { code, step } = error;
    // Without the address, which a log should not contain.
    log.warn('an e-mail was not accepted', { notice: notice.id, code, step });
    return !error.isOutage;
  }
}

/** Returns false if there is nobody to send it to. */
async function deliver(
  { db, addresses }: Context,
  send: SendMail,
  notice: NoticesTable,
): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', notice.uid)
    .executeTakeFirst();
  const to = user === undefined ? null : addressFor(user, notice);
  if (user === undefined || to === null) return false;
  const composed = composeMail(noticeRecord(notice), user.name, addresses.webOrigin);
  await send({ to, id: notice.id, ...composed });
  return true;
}

/** Returns where to send the notice. Null if its user does not want it, or has no address. */
function addressFor(user: UsersTable, { kind }: NoticesTable): string | null {
  return isWanted(kind, readMailChoices(user)) ? user.email : null;
}
