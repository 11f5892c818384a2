// The types of the tables. Times are in milliseconds since 1970, booleans are 0 or 1, lists and objects are JSON text.
import type {
  EmbedAddress,
  NoticeKind,
  PublisherProvider,
  ReportOutcome,
  ReportReasonId,
  Role,
} from '@svc/contracts/platform';
import type { Kysely, Transaction } from 'kysely';

export type UsersTable = {
  uid: string;
  /** The issuer of the identity provider, or `dev` for the provider of --dev, whose address changes. */
  issuer: string;
  sub: string;
  email: string | null;
  name: string;
  /** Unused since avatars are uploaded. It was an address on another host. */
  avatar: null;
  name_edited: number;
  /** Unused. */
  avatar_edited: 0;
  role: Role;
  /** When an administrator last chose the role. Null if none did. */
  role_chosen_at: number | null;
  created_at: number;
  /** The id in `avatars`; null if there is no picture. */
  avatar_id: string | null;
  /** When the operator suspended the user. Null if the user is not suspended. */
  suspended_at: number | null;
  suspended_reason: string | null;
  /** ID tokens that were issued before this time are rejected. Null if no sessions were ended. */
  sessions_ended_at: number | null;
  /** How many projects the user may have, and how many bytes each may use. Null for the limits of the server. */
  quota_projects: number | null;
  quota_project_bytes: number | null;
  /** JSON of the names of `MailChoices` that the user has turned off. Null if there are none. */
  mail_off: string | null;
  /**
   * When the user deleted the account. The row remains without personal data, so that the slugs of the games pass to nobody and the
   * audit trail keeps its ids. Null for an account.
   */
  deleted_at: number | null;
};

/** The picture of a user, at most one each. It is small, so it is stored in the row. */
type AvatarsTable = {
  id: string;
  uid: string;
  /** Size of the content in bytes. */
  bytes: number;
  /** A square WebP. */
  content: Uint8Array;
  created_at: number;
};

export type TokensTable = {
  id: string;
  uid: string;
  /** SHA-256 of the secret in hex. */
  hash: string;
  name: string;
  scopes: string;
  projects: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** The publisher whose identity was exchanged for it. Null for a token that a person made. */
  publisher_id: string | null;
  /** JSON of the provenance of the releases that it publishes; null for a token that a person made. */
  provenance: string | null;
};

/** CI runs that may publish to a project. An identity must match all columns that are not null. */
export type PublishersTable = {
  id: string;
  game_id: string;
  provider: PublisherProvider;
  issuer: string;
  /** Null for the address of this server. */
  audience: string | null;
  repository: string | null;
  /** The first use sets it. */
  repository_id: string | null;
  subject: string | null;
  branch: string | null;
  environment: string | null;
  workflow: string | null;
  created_at: number;
  last_used_at: number | null;
};

/** What players did on a day in UTC. `kind` says what was counted, and `name` is a release, a path, or empty. */
export type DailyCountsTable = {
  game_id: string;
  day: string;
  kind: 'view' | 'play' | 'framed_play' | 'bytes' | 'missing' | 'missing_file';
  name: string;
  count: number;
};

/** Identity tokens that were exchanged, by a hash, which are rejected until they have expired; and those of sign-ins, by another hash. */
type UsedIdTokensTable = { hash: string; until: number };

/**
 * Sessions that have ended, by a hash: one that an identity provider has ended, by its id (`sid`), whose ID tokens are rejected; and those
 * of a subject whose account was deleted, whose ID tokens of the time until `at` open no new account. The row is deleted after `until`.
 */
type EndedSessionsTable = { hash: string; at: number; until: number };

type GameStatus = 'draft' | 'published';

export type GamesTable = {
  id: string;
  developer_uid: string;
  title: string;
  /** The slug in the address at which it is played, and in that of its page unless there is a `page_slug`. */
  slug: string;
  /** The slug of its page, if it was changed after a build was uploaded. */
  page_slug: string | null;
  engine: string;
  tagline: string | null;
  description: string | null;
  category: string | null;
  tags: string;
  layout: string | null;
  isolation: string | null;
  /** Whether play allows the game's pages to sample their own functions. */
  profiling: number;
  /** The owner's choice of the address at which the store shows the game. Null: each release decides. */
  address: EmbedAddress | null;
  /** Whether players can see it. */
  status: GameStatus;
  /** The status that its owner chose, while the game is hidden; its `status` is `draft` then. Null if it is not hidden. */
  owner_status: GameStatus | null;
  /** When the operator took the game down. Null if it is not taken down. */
  taken_down_at: number | null;
  taken_down_reason: string | null;
  live_release_id: string | null;
  banner_id: string | null;
  cover_id: string | null;
  trailer_id: string | null;
  screenshots: string;
  created_at: number;
  updated_at: number;
  /** Since when the game is public. A draft keeps it for a rollback. */
  published_at: number | null;
  /** Size of the stored contents of its builds with their compressed variants. */
  content_bytes: number;
  /** When its owner deleted it. It is hidden, and its owner can restore it until the upkeep removes it. Null if it is not deleted. */
  deleted_at: number | null;
};

/**
 * The owner of a slug. The row remains after the game is removed, so that the address never passes to another developer. `game_id` is
 * set if the game has or had other slugs too.
 */
type SlugsTable = { slug: string; developer_uid: string; game_id: string | null };

/** A tag of a published game, with the columns that lists filter and sort by. */
type GameTagsTable = {
  game_id: string;
  tag: string;
  category: string | null;
  published_at: number;
};

/** One search term of a published game or a developer. `at` sorts candidates, newest first. */
export type SearchTermsTable = {
  term: string;
  kind: 'game' | 'developer';
  subject_id: string;
  at: number;
};

export type ReleasesTable = {
  id: string;
  game_id: string;
  version: string;
  notes: string | null;
  created_at: number;
  zip_bytes: number;
  expanded_bytes: number;
  file_count: number;
  digest: string;
  isolation: string;
  /** A deleted release keeps its row, so that its version cannot be used again. */
  deleted_at: number | null;
  /** The place of its ZIP in the file store. Null in rows of older versions. */
  place: string | null;
  /** Whether its ZIP is in the file store. If not, it is made of the contents when it is downloaded. */
  zip_stored: number;
  /** Whether players have never got it. */
  staged: number;
  /** When a later release replaced it. Null if it is live, and if it was taken back by a rollback or by unpublishing the game. */
  replaced_at: number | null;
  /** Whether players may choose it when it is not live any more. */
  playable: number;
  /** The address at which the store shows it, as found in the build. Null in rows of older versions. */
  address: EmbedAddress | null;
  /** JSON of a `StoredProvenance`. Null unless a CI published it with its own identity. */
  provenance: string | null;
  /** Null if the release is deleted. A repair gives a release another manifest. */
  manifest_id: string | null;
  /** When the operator took the release down. Null if it is not taken down. */
  taken_down_at: number | null;
  taken_down_reason: string | null;
};

/**
 * All files of a release, encoded as in `manifest.ts`, and what was found in them, encoded by `packFacts`. `facts` is null if an
 * older version has written the row, and for kept files. A row is never changed.
 */
type ManifestsTable = {
  id: string;
  release_id: string;
  content: Uint8Array;
  facts: Uint8Array | null;
};

/**
 * Files with hashed names of a replaced release, as a manifest of that release. They are served until `until`, or until the
 * release is deleted.
 */
type KeptManifestsTable = { game_id: string; manifest_id: string; until: number };

/** A link to play one release. The address also has a signature, so the id alone is no access. */
export type PreviewsTable = {
  id: string;
  game_id: string;
  release_id: string;
  /** Null for a link without a name. */
  name: string | null;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  /** Whether its release was published for it, and is deleted with it unless it was promoted. */
  owns_release: number;
};

export type MediaTable = {
  id: string;
  game_id: string;
  kind: 'image' | 'video';
  file: string;
  type: string;
  width: number | null;
  height: number | null;
  bytes: number;
  alt: string | null;
  variants: string;
  created_at: number;
  /** The place of its files in the file store. Null in rows of older versions. */
  place: string | null;
  /** SHA-256 of `file` in hex. Null in rows of older versions. */
  hash: string | null;
};

/**
 * An upload in parts. It is open as long as it has a row. Its id is that of an attempt, in whose place the parts are stored. Times
 * are by the clock of the database.
 */
export type UploadsTable = {
  id: string;
  game_id: string;
  /** A hash of the list of files. A project has one upload for a list. */
  digest: string;
  /** The list of files and the contents that are sent, encoded as in `upload-plan.ts`. */
  listing: Uint8Array;
  /** Size of the contents that are sent. */
  bytes: number;
  part_bytes: number;
  created_at: number;
  /** When it was opened or continued, or a part arrived. */
  touched_at: number;
};

/**
 * One attempt to store files of a project, and the name of the place that it writes. `open`: it is at work. `receiving`: its row in
 * `uploads` exists, or it is to be abandoned. `committed`: rows refer to its files. `unused`: it was committed, and no row refers to its files any more. `abandoned`: it can never be
 * committed, and its place is to be removed. `swept`: the place was removed once. All times are by the clock of the database.
 */
export type AttemptsTable = {
  id: string;
  game_id: string;
  kind: 'publish' | 'media' | 'upload';
  state: 'open' | 'receiving' | 'committed' | 'unused' | 'abandoned' | 'swept';
  /** The last heartbeat of an open attempt; for others the time of the last change of the state. */
  beat_at: number;
};

/** A scheduled removal: `project` means the whole folder, `unused` the files that no row refers to. */
export type RemovalsTable = {
  id: string;
  game_id: string;
  kind: 'project' | 'unused';
  created_at: number;
};

export type AuditTable = {
  id: string;
  at: number;
  uid: string | null;
  /** The account on the machine from which the operator ran a command. Null for what users and the server did. */
  operator: string | null;
  token_id: string | null;
  action: string;
  subject: string;
  detail: string | null;
};

/** A report of a game. It outlasts the game, whose title, slug and developer are those of that time. */
export type ReportsTable = {
  id: string;
  created_at: number;
  game_id: string;
  title: string;
  slug: string;
  developer_uid: string;
  /** The version that was live. */
  version: string | null;
  reason: ReportReasonId;
  text: string | null;
  /** When it was decided. Null while it is open. */
  resolved_at: number | null;
  /** The administrator who decided it. Null if it is open, and if the operator did it on the command line. */
  resolved_by: string | null;
  operator: string | null;
  outcome: ReportOutcome | null;
  note: string | null;
};

/** Something that a user should know. It is shown in the dashboard, and sent by e-mail. */
export type NoticesTable = {
  id: string;
  uid: string;
  at: number;
  kind: NoticeKind;
  game_id: string | null;
  title: string | null;
  slug: string | null;
  version: string | null;
  detail: string | null;
  read_at: number | null;
  /** When it is due to be sent by e-mail. Null if it was sent, or is not to be sent. */
  mail_at: number | null;
  /** How often a process has begun to send it. */
  mail_tries: number;
};

/** The last backup without faults, or several that were made at the same time. `made_at` is when the state of the database was read. */
type BackupsTable = { id: string; made_at: number };

/** While a row has not expired, no file is removed from the store that a release or a page has used. By the clock of the database. */
type RemovalHoldsTable = { id: string; until: number };

/** Keys that all processes on this database share, as base64url. */
type SecretsTable = { name: string; value: string };

export type Tables = {
  users: UsersTable;
  avatars: AvatarsTable;
  tokens: TokensTable;
  games: GamesTable;
  slugs: SlugsTable;
  game_tags: GameTagsTable;
  search_terms: SearchTermsTable;
  releases: ReleasesTable;
  manifests: ManifestsTable;
  kept_manifests: KeptManifestsTable;
  media: MediaTable;
  previews: PreviewsTable;
  publishers: PublishersTable;
  used_id_tokens: UsedIdTokensTable;
  ended_sessions: EndedSessionsTable;
  daily_counts: DailyCountsTable;
  uploads: UploadsTable;
  attempts: AttemptsTable;
  removals: RemovalsTable;
  audit: AuditTable;
  reports: ReportsTable;
  notices: NoticesTable;
  backups: BackupsTable;
  removal_holds: RemovalHoldsTable;
  secrets: SecretsTable;
};

export type Db = Kysely<Tables>;
/** A transaction. Inside it, query only this object: on SQLite, a query on the database would wait for it forever. */
export type Trx = Transaction<Tables>;
