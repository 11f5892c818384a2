// The services and settings that every feature of the platform receives.
import type { PlatformLimits } from '@svc/contracts/platform';
import type { Log } from '@svc/observe';
import type { Access } from './access/caller.ts';
import type { IdentityProvider } from './access/identity-provider.ts';
import type { KeysOfIssuer } from './access/issuer-keys.ts';
import type { VerifyLogoutToken } from './access/verify-logout-token.ts';
import type { BlockedWords } from './blocked-words.ts';
import type { Changes } from './database/changes.ts';
import type { FileStore } from './files/file-store.ts';
import type { Spool } from './files/spool.ts';
import type { PublishHook } from './hook/question.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { RateLimits } from './rates/rate-limits.ts';
import type { Stats } from './stats/count/stats.ts';

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

/** Removes files that are no longer needed, in the background. Its work is repeated if it fails. */
export type Upkeep = AsyncDisposable & {
  /**
   * Does all work that is due, in a run that begins after this call. Calls during a run share the next one. What fails is
   * logged. Throws only if the database does not answer.
   */
  run(): Promise<void>;
  /** Does the removals that are scheduled for the project. Never throws: what fails is logged. */
  removeFiles(gameId: string): Promise<void>;
};

export type Platform = Access & {
  readonly files: FileStore;
  /** The stored files as players get them: through a local cache, if the store is distant. */
  readonly served: Pick<FileStore, 'open'>;
  /** Whether cached games may still be played. */
  readonly changes: Changes;
  readonly spool: Spool;
  /** An attempt to store files is abandoned if it has no heartbeat for this time. */
  readonly attemptLeaseMs: number;
  readonly addresses: Addresses;
  readonly limits: PlatformLimits;
  /** Signs the addresses of private media. All processes on one database have the same key. */
  readonly signingKey: Buffer;
  /** Judges builds before players get them. Null without a hook. */
  readonly publishHook: PublishHook | null;
  /** What titles, slugs and names of users must not contain. */
  readonly blockedWords: BlockedWords;
  /** Where people sign in. */
  readonly providers: readonly [IdentityProvider, ...IdentityProvider[]];
  readonly verifyLogoutToken: VerifyLogoutToken;
  readonly signUp: SignUp;
  /** Whether players of a game that was taken down get 451. If not, they get 404, as for an unknown game. */
  readonly saysTakenDown: boolean;
  /** Whether users get their notices by e-mail. */
  readonly sendsMail: boolean;
  /** Whom to contact about a vulnerability. */
  readonly securityContacts: readonly string[];
  /** Null: nothing is limited. */
  readonly rates: RateLimits | null;
  readonly metrics: Metrics;
  /** The keys of the issuers that projects trust. */
  readonly keysOfIssuer: KeysOfIssuer;
  readonly upkeep: Upkeep;
  readonly stats: Stats;
  /** The log for the operator. Its lines must not contain secrets. */
  readonly log: Log;
};
