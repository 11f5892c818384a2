// Spends each refresh token once, no matter how many processes get requests with it. Providers that replace refresh
// tokens treat the second use of one as theft and end the session.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@svc/observe';
import type { ProviderTokens } from './identity-provider.ts';
import type { IdentityProviders, RefreshGrant } from './identity-providers.ts';
import { judgeFailure } from './judge-failure.ts';
import type { SpendToken } from './renew-session.ts';
import { type Attempt, LEASE_MS, type Outcome, type RenewalTable } from './renewal-table.ts';
import { fingerprint } from './sealed-cookies.ts';
import type { SealedTokens } from './sealed-tokens.ts';

/** How often to look for the result of another process. */
const LOOK_MS = 100;
/** A token is not sent if claiming it took longer, because the lease might end before the answer. */
const PROMPT_MS = 2_500;

/** The session can't be renewed now, but the refresh token was not spent. */
export class RenewalUnavailableError extends Error {
  override readonly name = 'RenewalUnavailableError';
}

type Parts = {
  readonly providers: IdentityProviders;
  readonly table: RenewalTable;
  readonly sealed: SealedTokens;
  readonly log: Log;
};

/**
 * Returns the function that spends a refresh token in one process and passes the result to the others through the
 * database. It throws a {@link RenewalUnavailableError} if the database or the provider can't be reached.
 */
export function shareRenewals(parts: Parts): SpendToken {
  return async (grant) => {
    try {
      return await renewOnce(parts, grant);
    } catch (error) {
      throw new RenewalUnavailableError('Cannot renew the session now', { cause: error });
    }
  };
}

async function renewOnce(parts: Parts, grant: RefreshGrant): ReturnType<SpendToken> {
  const { providers, table } = parts;
  const { refreshToken } = grant;
  const attempt = { hash: fingerprint(refreshToken), id: randomUUID() };
  const end = performance.now() + LEASE_MS + PROMPT_MS;
  while (performance.now() < end) {
    const seen = await table.look(attempt.hash);
    if (seen.is === 'renewed') return openResult(parts, refreshToken, seen.sealed);
    if (seen.is === 'refused') return null;
    if (seen.is === 'unknown') return 'unknown';
    if (seen.is === 'claimed') {
      await sleep(LOOK_MS);
      continue;
    }
    // Before the claim, so that only one request follows it.
    if (!(await providers.prepare(grant))) return null;
    const startedAt = performance.now();
    if (!(await claim(table, attempt, seen.readAt))) continue;
    if (performance.now() - startedAt < PROMPT_MS) return spend(parts, attempt, grant);
    await table.release(attempt);
  }
  return 'unknown';
}

/** If the answer of the database is lost, the claim may have been stored. The token is not sent, so it is withdrawn. */
async function claim(table: RenewalTable, attempt: Attempt, readAt: string): Promise<boolean> {
  try {
    return await table.claim(attempt, readAt);
  } catch (error) {
    table.release(attempt).catch(() => {});
    throw error;
  }
}

async function openResult(
  { sealed, log }: Parts,
  refreshToken: string,
  text: string,
): ReturnType<SpendToken> {
  const tokens = await sealed.open(refreshToken, text);
  if (tokens !== null) return tokens;
  log.warn('SVC_WEB_SECRET of another process differs. Users who meet both must sign in again');
  return 'unknown';
}

/** Sends a claimed token to the provider and stores the outcome. */
async function spend(parts: Parts, attempt: Attempt, grant: RefreshGrant): ReturnType<SpendToken> {
  let tokens: ProviderTokens;
  try {
    tokens = await parts.providers.refresh(grant);
  } catch (error) {
    const fate = judgeFailure(error instanceof Error ? error.cause : error);
    if (fate === 'unspent') {
      await parts.table.release(attempt);
      throw error;
    }
    await keepOutcome(parts, attempt, { is: fate });
    return fate === 'refused' ? null : fate;
  }
  const sealed = await parts.sealed.seal(grant.refreshToken, tokens);
  return (await keepOutcome(parts, attempt, { is: 'renewed', sealed })) ? tokens : 'unknown';
}

/**
 * Returns false if the lease is over: the other processes have answered that the user must sign in, and a late result
 * must not replace the cookie of that sign-in. If the database fails, the result is still valid for this process.
 */
async function keepOutcome(
  { table, log }: Parts,
  attempt: Attempt,
  outcome: Outcome,
): Promise<boolean> {
  try {
    if (await table.finish(attempt, outcome)) return true;
    log.warn('the result of a renewal came too late and was discarded');
    return false;
  } catch {
    return true;
  }
}
