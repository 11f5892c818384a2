// The audit log: who changed which user, token, project or release. A record is written in the transaction of the change.
import { newId } from '../database/new-id.ts';
import type { Trx } from '../database/schema.ts';
import type { Caller } from './caller.ts';

/**
 * The actor of a record, without secrets: a user, with `tokenId` if they used a personal access token, or the operator on the command
 * line, by the name of the account on the machine.
 */
export type Actor =
  | { readonly uid: string; readonly tokenId?: string }
  | { readonly operator: string };

type AuditAction =
  | 'account.deleted'
  | 'user.role_changed'
  | 'user.quota_changed'
  | 'user.suspended'
  | 'user.restored'
  | 'user.sessions_ended'
  | 'user.tokens_revoked'
  | 'game.taken_down'
  | 'game.restored'
  | 'release.taken_down'
  | 'release.restored'
  | 'report.resolved'
  | 'report.reopened'
  | 'developer.made'
  | 'token.created'
  | 'token.revoked'
  | 'token.exchanged'
  | 'project.created'
  | 'project.moved'
  | 'project.deleted'
  | 'project.restored'
  | 'project.removed'
  | 'release.published'
  | 'release.staged'
  | 'release.rejected'
  | 'release.promoted'
  | 'release.offered'
  | 'release.withdrawn'
  | 'release.rolled_back'
  | 'release.deleted'
  | 'preview.created'
  | 'preview.revoked'
  | 'publisher.added'
  | 'publisher.removed'
  | 'game.published'
  | 'game.unpublished';

/** Returns the actor of a call. */
export function actorOf(caller: Caller): Actor {
  return caller.kind === 'pat'
    ? { uid: caller.user.uid, tokenId: caller.token.id }
    : { uid: caller.user.uid };
}

/** One change. `at` is in milliseconds since 1970, `subject` an id, `detail` a short addition such as a version. */
type AuditEvent = {
  readonly at: number;
  /** Null if the server did it by itself. */
  readonly actor: Actor | null;
  readonly action: AuditAction;
  readonly subject: string;
  readonly detail?: string;
};

/** Writes one record. */
export async function writeAudit(
  trx: Trx,
  { at, actor, action, subject, detail }: AuditEvent,
): Promise<void> {
  await trx
    .insertInto('audit')
    .values({
      id: newId(),
      at,
      ...actorColumns(actor),
      action,
      subject,
      detail: detail ?? null,
    })
    .execute();
}

function actorColumns(actor: Actor | null) {
  if (actor === null) return { uid: null, token_id: null, operator: null };
  if ('operator' in actor) return { uid: null, token_id: null, operator: actor.operator };
  return { uid: actor.uid, token_id: actor.tokenId ?? null, operator: null };
}
