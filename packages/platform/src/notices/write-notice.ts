// Writes notices: what a user should know about their games, releases and account.
import type { NoticeKind } from '@svc/contracts/platform';
import { newId } from '../database/new-id.ts';
import type { Db, GamesTable, NoticesTable, Trx } from '../database/schema.ts';

type NewNotice = {
  /** Whose notice it is. */
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: NoticeKind;
  /** The game that it is about. */
  readonly game?: Pick<GamesTable, 'id' | 'title' | 'slug' | 'page_slug'>;
  readonly version?: string | null;
  /** See `Notice` of the contract. */
  readonly detail?: string | null;
};

/** Kinds that users know of unless somebody else did it. They are sent by e-mail, and are not counted as unread. */
const FOR_THE_RECORD: ReadonlySet<NoticeKind> = new Set([
  'release_published',
  'token_created',
  'signed_in',
]);

/** Writes a notice, in the transaction of what it is about. It is due to be sent by e-mail at once. A deleted user gets none. */
export async function writeNotice(trx: Trx | Db, notice: NewNotice): Promise<void> {
  const row = noticeRow(notice);
  await trx.insertInto('notices').values(row).execute();
  // The insert has waited for a deletion of the account in progress, because the notice refers to the user.
  await trx
    .deleteFrom('notices')
    .where('id', '=', row.id)
    .where('uid', 'in', (eb) =>
      eb
        .selectFrom('users')
        .select('uid')
        .where('uid', '=', row.uid)
        .where('deleted_at', 'is not', null),
    )
    .execute();
}

function noticeRow({ uid, at, kind, game, version, detail }: NewNotice): NoticesTable {
  return {
    ...{ id: newId(), uid, at, kind },
    game_id: game?.id ?? null,
    title: game?.title ?? null,
    slug: game?.page_slug ?? game?.slug ?? null,
    version: version ?? null,
    detail: detail ?? null,
    read_at: FOR_THE_RECORD.has(kind) ? at : null,
    ...{ mail_at: at, mail_tries: 0 },
  };
}
