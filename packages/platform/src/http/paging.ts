// Keyset paging: the size of a page, and the opaque cursor of the next one.
import { formatNumber } from '@svc/contracts/faults';
import type { PlatformLimits } from '@svc/contracts/platform';
import { isId } from '../database/new-id.ts';
import { failure } from '../failure.ts';

/** The last row of a page. Lists are sorted by time and id, both descending. */
type Position = { readonly at: number; readonly id: string };

export type Page = { readonly limit: number; readonly after: Position | null };

/** Parses `limit` and `cursor`. Throws `invalid_input` for a limit out of range or an invalid cursor. */
export function readPage(
  limits: PlatformLimits,
  query: { readonly limit?: string | undefined; readonly cursor?: string | undefined },
): Page {
  return { limit: readLimit(limits, query.limit), after: readCursor(query.cursor) };
}

/** Parses `limit`. */
export function readLimit(limits: PlatformLimits, text: string | undefined): number {
  if (text === undefined) return limits.list_default;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > limits.list_maximum) {
    const most = formatNumber(limits.list_maximum);
    throw refuse(
      'limit',
      `The limit is ${formatNumber(limit)}. Allowed: whole numbers from 1 to ${most}`,
    );
  }
  return limit;
}

/** Cuts rows to a page. The query asks for one row more than the limit. `next_cursor` is null at the end of the list. */
export function cutPage<Row>(
  rows: readonly Row[],
  page: Page,
  positionOf: (row: Row) => Position,
): { rows: Row[]; next_cursor: string | null } {
  const kept = rows.slice(0, page.limit);
  const last = kept.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: kept, next_cursor: more ? formatCursor(positionOf(last)) : null };
}

function formatCursor({ at, id }: Position): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

function readCursor(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, at = '', id = ''] = /^(\d{1,15}) (\S+)$/.exec(text) ?? [];
  if (!isId(id) || formatCursor({ at: Number(at), id }) !== cursor) {
    throw refuse('cursor', 'The cursor is not valid. Allowed: the next_cursor of an answer');
  }
  return { at: Number(at), id };
}

function refuse(name: string, message: string) {
  return failure('invalid_input', message, { details: [{ path: `/${name}`, message }] });
}
