// POST /api/notes: adds notes of a person to the retained trace.
import { NOTE_LIMITS, type NoteChange, type TraceSummary } from '@svc/contracts/agent';
import { type NoteRecord, roundMs } from '@svc/trace';
import type { HandleRoute } from '../handle-route.ts';

/** The part of a session that adds notes. */
type NotingSession = {
  /** Adds notes to the retained trace and returns its summary. Rejects with the codes of the route. */
  addNotes(notes: readonly NoteRecord[]): Promise<TraceSummary>;
};

export function registerNoteRoutes(handleRoute: HandleRoute, session: NotingSession): void {
  handleRoute(
    'add_notes',
    async ({ body }) => ({ trace: await session.addNotes(body.notes.map(recordOf)) }),
    { bodyLimit: NOTE_LIMITS.body_bytes },
  );
}

function recordOf({ id, t, duration_ms, text }: NoteChange): NoteRecord {
  const length = duration_ms === undefined ? {} : { duration_ms };
  return { type: 'note', t: roundMs(t), id, text, ...length };
}
