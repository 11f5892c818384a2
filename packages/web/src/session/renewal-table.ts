// The table in which the processes of a site agree on who spends a refresh token. All times are those of the database.
import type { OwnTable, SharedDatabase } from '../database/shared-database.ts';

/**
 * How long the process that claimed a token may take. It is longer than the request to the provider with the
 * statements around it, so only a process that was stopped or killed takes longer.
 */
export const LEASE_MS = 15_000;
/** How long a result is kept, for the other processes and for requests that still send the old cookie. */
const RESULT_MS = 60_000;
/** How long a token is not sent again if no process knows whether the provider has accepted it. */
const UNKNOWN_MS = 24 * 3_600_000;
/** A claim that reaches the database later than this after `look` is void: the process has given up meanwhile. */
const CLAIM_MS = 3_000;

export const RENEWAL_TABLE: OwnTable = {
  name: 'svc_web_renewals',
  create: [
    `create table if not exists svc_web_renewals (
      token_hash text primary key,
      attempt text not null,
      outcome text check (outcome in ('renewed', 'refused', 'unknown')),
      sealed text,
      lease_until timestamptz not null,
      expires_at timestamptz not null
    )`,
    'create index if not exists svc_web_renewals_expires_at on svc_web_renewals (expires_at)',
  ],
};

/** What is known of a refresh token. `readAt` is the time of the database. */
type Seen =
  | { readonly is: 'free'; readonly readAt: string }
  /** A process is renewing it. */
  | { readonly is: 'claimed' }
  | { readonly is: 'renewed'; readonly sealed: string }
  | { readonly is: 'refused' }
  /** It was claimed, and no process knows whether the provider has accepted it. */
  | { readonly is: 'unknown' };

/** The result of an attempt. `sealed` contains the encrypted new tokens. */
export type Outcome =
  | { readonly is: 'renewed'; readonly sealed: string }
  | { readonly is: 'refused' | 'unknown' };

/** A refresh token's hash, and the id of the attempt to renew it. */
export type Attempt = { readonly hash: string; readonly id: string };

/** All functions throw a SharedDatabaseError if the database fails. */
export type RenewalTable = {
  look(hash: string): Promise<Seen>;
  /** Claims a free token. Returns false if another process was faster or the claim came late. */
  claim(attempt: Attempt, readAt: string): Promise<boolean>;
  /** Stores the outcome, and removes expired rows. Returns false, and stores nothing, if the lease is over. */
  finish(attempt: Attempt, outcome: Outcome): Promise<boolean>;
  /** Withdraws a claim whose token was not sent to the provider. */
  release(attempt: Attempt): Promise<void>;
};

export function createRenewalTable({ run, read }: SharedDatabase): RenewalTable {
  return {
    look: async (hash) => seenFrom((await read(LOOK, [hash]))[0]),
    claim: async ({ hash, id }, readAt) => {
      const rows = await run(CLAIM, [hash, id, readAt, CLAIM_MS, LEASE_MS, UNKNOWN_MS]);
      return rows.length === 1;
    },
    async finish({ hash, id }, outcome) {
      const sealed = outcome.is === 'renewed' ? outcome.sealed : null;
      const keptMs = outcome.is === 'unknown' ? UNKNOWN_MS : RESULT_MS;
      const rows = await run(FINISH, [hash, id, outcome.is, sealed, keptMs]);
      // The user does not wait for this. If it fails, the next attempt removes them.
      run(CLEAN).catch(() => {});
      return rows.length === 1;
    },
    release: async ({ hash, id }) => void (await run(RELEASE, [hash, id])),
  };
}

const LOOK = `
  select clock_timestamp()::text as read_at, outcome, sealed,
    coalesce(lease_until > clock_timestamp(), false) as leased, token_hash is not null as known
  from (values ($1)) as asked (hash)
  left join svc_web_renewals on token_hash = hash and expires_at > clock_timestamp()`;

const CLAIM = `
  insert into svc_web_renewals (token_hash, attempt, lease_until, expires_at)
  select $1, $2, clock_timestamp() + $5 * interval '1 ms', clock_timestamp() + $6 * interval '1 ms'
  where clock_timestamp() < $3::timestamptz + $4 * interval '1 ms'
  on conflict (token_hash) do update set attempt = excluded.attempt, outcome = null, sealed = null,
    lease_until = excluded.lease_until, expires_at = excluded.expires_at
  where svc_web_renewals.expires_at <= clock_timestamp()
  returning 1`;

const FINISH = `
  update svc_web_renewals set outcome = $3, sealed = $4,
    expires_at = clock_timestamp() + $5 * interval '1 ms'
  where token_hash = $1 and attempt = $2 and outcome is null and lease_until > clock_timestamp()
  returning 1`;

const RELEASE =
  'delete from svc_web_renewals where token_hash = $1 and attempt = $2 and outcome is null';

const CLEAN = 'delete from svc_web_renewals where expires_at <= clock_timestamp()';

function seenFrom(row: Readonly<Record<string, unknown>> | undefined): Seen {
  if (row?.['known'] !== true) return { is: 'free', readAt: String(row?.['read_at']) };
  switch (row['outcome']) {
    case null:
      return { is: row['leased'] === true ? 'claimed' : 'unknown' };
    case 'renewed':
      return { is: 'renewed', sealed: String(row['sealed']) };
    case 'refused':
      return { is: 'refused' };
    default:
      return { is: 'unknown' };
  }
}
