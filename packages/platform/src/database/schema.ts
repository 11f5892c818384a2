// The tables, as Kysely knows them. Times are milliseconds since 1970, truth is 0 or 1, lists and objects are JSON text.
import type { Kysely, Transaction } from 'kysely';

export type UsersTable = {
  uid: string;
  /** Who vouches for the user: the provider's issuer, or `dev` for the provider of --dev, whose address changes. */
  issuer: string;
  sub: string;
  email: string | null;
  name: string;
  /** Not used any more: an address on another host, which was shown until avatars were uploaded. */
  avatar: null;
  name_edited: number;
  /** Not used any more. */
  avatar_edited: 0;
  role: 'player' | 'developer';
  created_at: number;
  /** The row of `avatars`; null without a picture. */
  avatar_id: string | null;
};

/** The picture of a user, at most one each: small, so that it is kept with the row and changes with it. */
export type AvatarsTable = {
  id: string;
  uid: string;
  /** Size of the content. */
  bytes: number;
  /** A square in WebP. */
  content: Uint8Array;
  created_at: number;
};

export type TokensTable = {
  id: string;
  uid: string;
  /** SHA-256 of the secret, hex. */
  hash: string;
  name: string;
  scopes: string;
  projects: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
};

export type GamesTable = {
  id: string;
  developer_uid: string;
  title: string;
  slug: string;
  engine: string;
  tagline: string | null;
  description: string | null;
  category: string | null;
  tags: string;
  layout: string | null;
  isolation: string | null;
  status: 'draft' | 'published';
  live_release_id: string | null;
  banner_id: string | null;
  cover_id: string | null;
  trailer_id: string | null;
  screenshots: string;
  created_at: number;
  updated_at: number;
  published_at: number | null;
};

/** Who may use a slug: rows outlive the game, so that an address never passes to a stranger. */
export type SlugsTable = { slug: string; developer_uid: string };

/** A tag of a published game, with what lists are ordered and filtered by. */
export type GameTagsTable = {
  game_id: string;
  tag: string;
  category: string | null;
  published_at: number;
};

/** One word under which a published game or a developer is found; `at` orders candidates, newest first. */
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
  /** A deleted release keeps its row, so that its version stays used. */
  deleted_at: number | null;
};

/** One content of a project, stored once under its hash; sizes of the variants made for delivery, null where there is none. */
export type ContentsTable = {
  game_id: string;
  hash: string;
  bytes: number;
  gzip_bytes: number | null;
  br_bytes: number | null;
};

type DeliveredFile = {
  path: string;
  hash: string;
  type: string;
  encoding: 'gzip' | 'br' | null;
  bytes: number;
  /** Size after decoding; equal to `bytes` where `encoding` is null. */
  inner_bytes: number;
  hashed_name: number;
};

/** The manifest of a release. */
export type ReleaseFilesTable = DeliveredFile & { release_id: string };
/** Files with hashed names of a release that a publish replaced, reachable until `until` or the release is deleted. */
export type KeptFilesTable = DeliveredFile & {
  game_id: string;
  release_id: string;
  until: number;
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
};

/** Who is writing files of a project right now. `owner` names the spool folder of a process. */
export type ClaimsTable = {
  game_id: string;
  kind: 'publish' | 'media';
  owner: string;
  beat_at: number;
};

/** Files that are to be removed: `project` its whole folder, `unused` what no row names any more. */
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
  token_id: string | null;
  action: string;
  subject: string;
  detail: string | null;
};

/** Keys that every process on this database uses, as base64url. */
export type SecretsTable = { name: string; value: string };

export type Tables = {
  users: UsersTable;
  avatars: AvatarsTable;
  tokens: TokensTable;
  games: GamesTable;
  slugs: SlugsTable;
  game_tags: GameTagsTable;
  search_terms: SearchTermsTable;
  releases: ReleasesTable;
  contents: ContentsTable;
  release_files: ReleaseFilesTable;
  kept_files: KeptFilesTable;
  media: MediaTable;
  claims: ClaimsTable;
  removals: RemovalsTable;
  audit: AuditTable;
  secrets: SecretsTable;
};

export type Db = Kysely<Tables>;
/** A transaction. Inside of one, ask only this: the outer database would wait for it forever on SQLite. */
export type Trx = Transaction<Tables>;
