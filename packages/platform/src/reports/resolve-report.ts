// What administrators decide about reports of games.
import type { ResolveReport } from '@svc/contracts/platform';
import { writeAudit } from '../access/audit.ts';
import { type Admin, actOnGame } from '../admin/act.ts';
import type { ReportsTable, Trx } from '../database/schema.ts';
import { unknownReport } from './find-reports.ts';

/**
 * Decides a report, and with `whole_game` all open ones of its game. If the report was decided before, changes the decision. Returns how
 * many reports were decided. Throws `not_found`.
 */
export async function resolveReport(
  admin: Admin,
  id: string,
  { outcome, note = null, whole_game = false }: ResolveReport,
): Promise<number> {
  const { actor } = admin;
  return await actOnGame(admin, async (trx, now) => {
    const { game_id } = await readReport(trx, id);
    // One statement, which locks the reports in the same order for all administrators.
    const decided = await trx
      .updateTable('reports')
      .set({
        ...{ resolved_at: now, outcome, note },
        ...('uid' in actor
          ? { resolved_by: actor.uid, operator: null }
          : { resolved_by: null, operator: actor.operator }),
      })
      .where(({ eb, or, and }) => {
        const open = and([eb('game_id', '=', game_id), eb('resolved_at', 'is', null)]);
        return whole_game ? or([eb('id', '=', id), open]) : eb('id', '=', id);
      })
      .returning('id')
      .execute();
    const count = decided.length === 1 ? '' : ` ${decided.length} reports`;
    await writeAudit(trx, {
      ...{ at: now, actor, action: 'report.resolved', subject: game_id },
      detail: `${outcome}${count}${note === null ? '' : `: ${note}`}`,
    });
    return decided.length;
  });
}

/** Opens a report again. Does nothing for an open one. Throws `not_found`. */
export async function reopenReport(admin: Admin, id: string): Promise<void> {
  await actOnGame(admin, async (trx, now) => {
    const { game_id, resolved_at } = await lockReport(trx, id);
    if (resolved_at === null) return;
    await trx
      .updateTable('reports')
      .set({ resolved_at: null, resolved_by: null, operator: null, outcome: null, note: null })
      .where('id', '=', id)
      .execute();
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, action: 'report.reopened', subject: game_id },
    });
  });
}

function readReport(trx: Trx, id: string): Promise<ReportsTable> {
  return trx
    .selectFrom('reports')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow(unknownReport);
}

// An update without a change locks the row on both engines. SQLite has no `for update`.
function lockReport(trx: Trx, id: string): Promise<ReportsTable> {
  return trx
    .updateTable('reports')
    .set((eb) => ({ reason: eb.ref('reason') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(unknownReport);
}
