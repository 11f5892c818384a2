// Personal access tokens as JSON records, without secrets.
import type { Token } from '@svc/contracts/platform';
import { readTokenRow } from '../access/caller.ts';
import type { TokensTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';

/** The largest number of tokens in a list. Only the newest are listed. */
export const TOKENS_LISTED = 1000;

const HINT_CHARACTERS = 8;

export function tokenRecord(row: TokensTable): Token {
  const { scopes, projects } = readTokenRow(row);
  return {
    id: row.id,
    name: row.name,
    scopes: [...scopes],
    projects: projects === null ? null : [...projects],
    created_at: formatTime(row.created_at),
    expires_at: formatTime(row.expires_at),
    last_used_at: formatTime(row.last_used_at),
    revoked_at: formatTime(row.revoked_at),
    hint: row.hash.slice(0, HINT_CHARACTERS),
  };
}
