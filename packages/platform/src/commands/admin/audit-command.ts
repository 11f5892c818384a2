// `svc-platform admin audit`: prints who did what, or exports it.
import type { AuditRecord } from '@svc/contracts/platform';
import { findGameByName } from '../../admin/find-all-games.ts';
import { readAudit } from '../../admin/read-audit.ts';
import {
  type AdminCommand,
  type Call,
  printRows,
  readList,
  shortTime,
  userOf,
} from './admin-command.ts';

export const auditCommand: AdminCommand = {
  name: 'audit',
  takes: [],
  optionHelp: '[--by USER] [--about USER | --game SLUG] [--action ACTION] [--limit N]',
  options: {
    by: { type: 'string' },
    about: { type: 'string' },
    game: { type: 'string' },
    action: { type: 'string' },
    limit: { type: 'string' },
  },
  run: printAudit,
};

async function printAudit(call: Call): Promise<void> {
  const { admin, json, print } = call;
  const filter = await readFilter(call);
  const rows: string[][] = [];
  const { isCut } = await readList(
    call,
    async (cursor) => {
      const { records, next_cursor } = await readAudit(admin, { ...filter, cursor });
      return { entries: records, next_cursor };
    },
    (record) => {
      if (json) print(JSON.stringify(record));
      else rows.push(rowOf(record));
    },
  );
  if (json) return;
  const titles = ['TIME', 'BY', 'ACTION', 'SUBJECT', 'DETAIL'];
  printRows(call, titles, rows, { isCut, nothing: 'Nothing is recorded' });
}

async function readFilter({ admin, text }: Call) {
  const [by, about, game, action] = [text('by'), text('about'), text('game'), text('action')];
  if (about !== undefined && game !== undefined) {
    throw new Error('Use either --about or --game');
  }
  const subject =
    about !== undefined
      ? (await userOf(admin, about)).uid
      : game === undefined
        ? undefined
        : await gameIdOf(admin, game);
  return {
    limit: String(admin.limits.list_maximum),
    ...(by === undefined ? {} : { uid: (await userOf(admin, by)).uid }),
    ...(subject === undefined ? {} : { subject }),
    ...(action === undefined ? {} : { action }),
  };
}

/** Returns the id of a game. The id of a deleted one can be used too. */
async function gameIdOf({ db }: Call['admin'], name: string): Promise<string> {
  const deleted = await db
    .selectFrom('audit')
    .select('subject')
    .where('subject', '=', name)
    .executeTakeFirst();
  return deleted?.subject ?? (await findGameByName(db, name)).id;
}

function rowOf(record: AuditRecord): string[] {
  const { at, action, subject, subject_name, detail } = record;
  return [shortTime(at), actorOf(record), action, subject_name ?? subject, detail ?? ''];
}

function actorOf({ actor }: AuditRecord): string {
  if (actor === null) return 'the server';
  const { uid, name, token_id } = actor;
  if (uid === null) return `${name} (on the server)`;
  return `${name ?? uid}${token_id === null ? '' : ' (token)'}`;
}
