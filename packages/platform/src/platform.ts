// What every feature of the platform is handed: the database, the files, the settings as they hold, and the few seams.
import type { PlatformLimits } from '@svc/contracts/platform';
import type { OpenDatabase } from './database/open-database.ts';
import type { Db } from './database/schema.ts';
import type { FileStore } from './files/file-store.ts';
import type { Spool } from './files/spool.ts';
import type { VerifyIdToken } from './access/verify-id-token.ts';
import type { RateLimits } from './access/rate-limit.ts';

/** Absolute addresses of this server and its site, without slashes at their ends. */
export type Addresses = {
  /** Base of API and media addresses. */
  readonly publicUrl: string;
  /** Origin of the store site, the only one that may frame a game. */
  readonly webOrigin: string;
  /** Origin that games are played on, with `{slug}` in it where each game has its own; null for this API's own. */
  readonly playOrigin: string | null;
  /** Slugs whose host is never a game's, where each game has its own: reserved words, and the hosts of API, store and sign-in. */
  readonly heldSlugs: ReadonlySet<string>;
};

export type SignUp = { readonly open: boolean; readonly allowed: readonly string[] };

export type Platform = {
  readonly db: Db;
  readonly database: OpenDatabase;
  readonly files: FileStore;
  readonly spool: Spool;
  readonly addresses: Addresses;
  readonly limits: PlatformLimits;
  /** Signs the addresses of private media; the same in every process on this database. */
  readonly signingKey: Buffer;
  readonly issuer: string;
  readonly clientId: string;
  readonly verifyIdToken: VerifyIdToken;
  readonly signUp: SignUp;
  readonly rates: RateLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** One line for the operator, without secrets. */
  readonly log: (line: string) => void;
};

/** The time as it travels. */
export function formatTime(ms: number): string;
/** The time as it travels, or null where there is none. */
export function formatTime(ms: number | null): string | null;
export function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
