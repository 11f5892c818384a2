// The services and settings that every feature of the platform receives.
import type { PlatformLimits } from '@svc/contracts/platform';
import type { Access } from './access/caller.ts';
import type { RateLimits } from './access/rate-limit.ts';
import type { FileStore } from './files/file-store.ts';
import type { Spool } from './files/spool.ts';

/** Absolute addresses of this server and of the store site, without a slash at the end. */
export type Addresses = {
  /** Base of API and media addresses. */
  readonly publicUrl: string;
  /** Origin of the store site, the only one that may frame a game. */
  readonly webOrigin: string;
  /** Origin that games are played on. Contains `{slug}` if each game has its own origin. Null: the origin of the API. */
  readonly playOrigin: string | null;
  /**
   * Slugs that no game may use as its host: reserved words, and the hosts of API, store and sign-in. Empty unless each game
   * has its own origin.
   */
  readonly heldSlugs: ReadonlySet<string>;
};

/** Who may become a developer: all users if `open`, else those whose user id or email address is in `allowed`. */
type SignUp = { readonly open: boolean; readonly allowed: readonly string[] };

export type Platform = Access & {
  readonly files: FileStore;
  readonly spool: Spool;
  readonly addresses: Addresses;
  readonly limits: PlatformLimits;
  /** Signs the addresses of private media. All processes on one database have the same key. */
  readonly signingKey: Buffer;
  readonly issuer: string;
  readonly clientId: string;
  readonly signUp: SignUp;
  readonly rates: RateLimits;
  /** Writes one line for the operator. The line must not contain a secret. */
  readonly log: (line: string) => void;
};
