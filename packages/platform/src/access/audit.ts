// Who did what to tokens, projects and releases, kept beside the data and written in the same transaction.
import { newId } from '../database/new-id.ts';
import type { Trx } from '../database/schema.ts';
import type { Caller } from './caller.ts';

/** What is kept of the actor: never a secret. */
export type Actor = { readonly uid: string; readonly tokenId?: string };

export type AuditAction =
  | 'developer.made'
  | 'token.created'
  | 'token.revoked'
  | 'project.created'
  | 'project.deleted'
  | 'release.published'
  | 'release.rolled_back'
  | 'release.deleted'
  | 'game.published'
  | 'game.unpublished';

/** The actor of a call. */
export function actorOf(caller: Caller): Actor {
  return caller.kind === 'pat'
    ? { uid: caller.user.uid, tokenId: caller.token.id }
    : { uid: caller.user.uid };
}

/** Writes one record. `detail` is a short word beside the subject, such as a version. */
export async function writeAudit(
  trx: Trx,
  at: number,
  actor: Actor,
  action: AuditAction,
  subject: string,
  detail: string | null = null,
): Promise<void> {
  await trx
    .insertInto('audit')
    .values({
      id: newId(),
      at,
      uid: actor.uid,
      token_id: actor.tokenId ?? null,
      action,
      subject,
      detail,
    })
    .execute();
}
