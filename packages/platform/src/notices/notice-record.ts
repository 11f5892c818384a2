// Notices as JSON records.
import type { Notice } from '@svc/contracts/platform';
import type { NoticesTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';

/** Returns the notice as its user sees it. */
export function noticeRecord(row: NoticesTable): Notice {
  const { id, at, kind, game_id, title, slug, version, detail } = row;
  return {
    ...{ id, kind, version, detail },
    at: formatTime(at),
    game: game_id === null ? null : { id: game_id, title: title ?? '', slug: slug ?? '' },
    read: row.read_at !== null,
  };
}
