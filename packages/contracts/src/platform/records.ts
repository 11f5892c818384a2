// The platform's records as JSON. Times are ISO 8601 in UTC, ids are UUIDv7 text, sizes are in bytes. A field without a
// value is null, never absent.
import { type Static, type TSchema, Type } from 'typebox';
import { CATEGORIES, ENGINES, REPORT_REASONS, SCOPES } from './limits.ts';

/** The schema or null. */
export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

const Time = Type.String({ format: 'date-time' });
const Id = Type.String({ format: 'uuid' });
const Bytes = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });
const Address = Type.String({ format: 'uri' });

export const Engine = Type.Enum([...ENGINES], { title: 'engine' });
export const CategoryName = Type.Enum(
  CATEGORIES.map((category) => category.id),
  { title: 'category' },
);
export const ReportReason = Type.Enum(
  REPORT_REASONS.map((reason) => reason.id),
  { title: 'reason' },
);
export const ScopeName = Type.Enum([...SCOPES], { title: 'scope' });
/** How a game is isolated from other pages: `none`, or the value of Cross-Origin-Embedder-Policy. */
export const Isolation = Type.Enum(['none', 'credentialless', 'require-corp'], {
  title: 'isolation',
});
export type Isolation = Static<typeof Isolation>;

/**
 * The address at which the store shows a game: that of its live release (`release`), so that a running game keeps its files, or
 * that of the game (`game`), for games that tie saves to their address.
 */
export const EmbedAddress = Type.Enum(['release', 'game'], { title: 'address' });
export type EmbedAddress = Static<typeof EmbedAddress>;

/** Whose identities a publisher trusts. It determines which claims name the repository, the branch and the environment. */
export const PublisherProvider = Type.Enum(['github', 'gitlab', 'other'], { title: 'provider' });
export type PublisherProvider = Static<typeof PublisherProvider>;

/** What was decided about a report: something was done about the game (`acted`), or nothing needs to be done (`dismissed`). */
export const ReportOutcome = Type.Enum(['acted', 'dismissed'], { title: 'outcome' });
export type ReportOutcome = Static<typeof ReportOutcome>;

/** The public profile of a user or developer. */
export const User = Type.Object({
  uid: Id,
  name: Type.String(),
  /** Address of the uploaded picture on this platform, a WebP of 256 by 256 pixels. Null if there is no picture. */
  avatar: Nullable(Address),
  created_at: Time,
});
export type User = Static<typeof User>;

/** What a user may do. An administrator may do everything that a developer may. */
export const Role = Type.Enum(['player', 'developer', 'admin'], { title: 'role' });
export type Role = Static<typeof Role>;

/** That the operator suspended a user or took a game or release down: when, and the reason, if there is one. */
export const Restriction = Type.Object({ at: Time, reason: Nullable(Type.String()) });
export type Restriction = Static<typeof Restriction>;

/** An OpenID Connect provider at which people sign in. */
export const SignInProvider = Type.Object({
  issuer: Type.String(),
  /** Its name for people. */
  name: Type.String(),
  /** The client of the store. */
  client_id: Type.String(),
  /** The public client of the command line. It may be the same as `client_id`. */
  cli_client_id: Type.String(),
  /** Whether the store requests `offline_access` if the provider supports it. Absent means yes. */
  offline_access: Type.Optional(Type.Boolean()),
});
export type SignInProvider = Static<typeof SignInProvider>;

/** Which e-mail a user gets: about reports of games, about releases of their games, and about sign-ins and new tokens. */
export const MailChoices = Type.Object({
  reports: Type.Boolean(),
  releases: Type.Boolean(),
  sign_ins: Type.Boolean(),
});
export type MailChoices = Static<typeof MailChoices>;

/** A user's own account. `email` is null until the identity provider sends a verified address. */
export const Account = Type.Object({
  uid: Id,
  name: Type.String(),
  avatar: Nullable(Address),
  created_at: Time,
  email: Nullable(Type.String()),
  role: Role,
  /** Sessions that began before this time have been ended. Null if none were ended. Older servers do not send it. */
  sessions_ended_at: Type.Optional(Nullable(Time)),
  /** How many projects the user may have, and how many bytes each may use. Older servers do not send it. */
  quota: Type.Optional(Type.Object({ projects: Count, project_bytes: Bytes })),
  /** Whether the user gets e-mail about these. Absent if the server sends no e-mail, and in older servers. */
  mail: Type.Optional(MailChoices),
  /** How many notices the user has not read. Only `GET /me` sends it, for a session. */
  unread_notices: Type.Optional(Count),
  /** How many reports of games are open. Only `GET /me` sends it, for the session of an administrator. */
  open_reports: Type.Optional(Count),
});
export type Account = Static<typeof Account>;

/** A personal access token without its secret. `hint` is the first 8 hex digits of the secret's SHA-256. */
export const Token = Type.Object({
  id: Id,
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  /** Ids of the projects that the token is limited to; null for all. */
  projects: Nullable(Type.Array(Id)),
  created_at: Time,
  expires_at: Nullable(Time),
  last_used_at: Nullable(Time),
  revoked_at: Nullable(Time),
  hint: Type.String(),
});
export type Token = Static<typeof Token>;

const Pixels = Type.Integer({ minimum: 1 });

/** One size and format of an image. */
export const MediaVariant = Type.Object({
  url: Address,
  type: Type.String(),
  width: Pixels,
  height: Pixels,
});
export type MediaVariant = Static<typeof MediaVariant>;

/** A game. Only its owner receives `build_url`. `play_url` is null unless the game is published. */
export const Game = Type.Object({
  id: Id,
  developer_uid: Id,
  title: Type.String(),
  slug: Type.String(),
  engine: Engine,
  tagline: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  category: Nullable(CategoryName),
  status: Type.Enum(['draft', 'published']),
  /** Version of the live release; null before the first publish. */
  version: Nullable(Type.String()),
  build_url: Nullable(Address),
  cover_url: Nullable(Address),
  /** The cover in the sizes and formats of its `Media`; empty without a cover. Older servers do not send them. */
  cover_variants: Type.Optional(Type.Array(MediaVariant)),
  play_url: Nullable(Address),
  created_at: Time,
  updated_at: Time,
  /** When the game last went from draft to published; null while it is a draft. */
  published_at: Nullable(Time),
  /** Set if the operator has taken it down. Only its owner receives it. Older servers do not send it. */
  taken_down: Type.Optional(Nullable(Restriction)),
});
export type Game = Static<typeof Game>;

/** A game that its owner has deleted and can restore. */
export const DeletedGame = Type.Object({
  id: Id,
  title: Type.String(),
  /** The slug of its page. No other game can have it until the game is removed. */
  slug: Type.String(),
  deleted_at: Time,
  /** When the server removes it with all of its files. It may do so up to a minute later. */
  removed_at: Time,
  /** Size of its stored files. */
  bytes: Bytes,
});
export type DeletedGame = Static<typeof DeletedGame>;

/** Where a release was built, as the CI that published it states in its signed identity. A claim that the CI did not make is null. */
export const Provenance = Type.Object({
  /** The OpenID Connect issuer that signed the identity. */
  issuer: Address,
  subject: Type.String(),
  repository: Nullable(Type.String()),
  /** The branch or tag, such as `main`. */
  ref: Nullable(Type.String()),
  /** The hash of the commit. */
  commit: Nullable(Type.String()),
  commit_url: Nullable(Address),
  /** The page of the run that published the release. */
  run_url: Nullable(Address),
});
export type Provenance = Static<typeof Provenance>;

/** One published version. `digest` is `sha256:` and the hash of the sorted manifest of paths and contents. */
export const Release = Type.Object({
  id: Id,
  version: Type.String(),
  notes: Nullable(Type.String()),
  created_at: Time,
  /** Whether this is the game's current release. */
  live: Type.Boolean(),
  /**
   * Whether it was published with stage=true and not promoted since. Players have never got it, and public lists do not name it.
   * Older servers do not send it.
   */
  staged: Type.Optional(Type.Boolean()),
  /**
   * Where it was built. Null if it was not published by a CI with its own identity, and in public lists if the repository is
   * private. Older servers do not send it.
   */
  provenance: Type.Optional(Nullable(Provenance)),
  /** Whether players may choose it when it is not live any more. Older servers do not send it. */
  playable: Type.Optional(Type.Boolean()),
  /** Where players can play this release. Null if they cannot. Older servers do not send it. */
  play_url: Type.Optional(Nullable(Address)),
  zip_bytes: Bytes,
  expanded_bytes: Bytes,
  file_count: Type.Integer({ minimum: 0 }),
  digest: Type.String(),
  isolation: Isolation,
  /** Set if the operator has taken it down. Only the owner of the game receives it. Older servers do not send it. */
  taken_down: Type.Optional(Nullable(Restriction)),
});
export type Release = Static<typeof Release>;

/**
 * Runs of a CI that may publish to a project without a stored token. Their identity must match every field that is not null.
 * In `subject`, `branch` and `environment`, `*` matches any characters but `/` and `:`.
 */
export const Publisher = Type.Object({
  id: Id,
  provider: PublisherProvider,
  /** The OpenID Connect issuer of the identities. */
  issuer: Address,
  /** The audience that the identities must have. */
  audience: Type.String(),
  /** The repository as `owner/name`. Null if the provider is `other`. */
  repository: Nullable(Type.String()),
  /** The id of the repository at its host. The first use sets it, so that a later repository of the same name is not trusted. */
  repository_id: Nullable(Type.String()),
  subject: Nullable(Type.String()),
  branch: Nullable(Type.String()),
  environment: Nullable(Type.String()),
  /** The file name of the GitHub workflow. */
  workflow: Nullable(Type.String()),
  created_at: Time,
  last_used_at: Nullable(Time),
});
export type Publisher = Static<typeof Publisher>;

/** What players did on one day. The counts are approximate: they are made from the server's own requests, without identifiers. */
export const DayStats = Type.Object({
  /** The day in UTC, such as `2026-11-26`. */
  day: Type.String(),
  /** How often the page of the game was shown. */
  views: Count,
  /** How often the game was opened in a browser. */
  plays: Count,
  /** Those of the plays that began on the page of the game. */
  store_plays: Count,
  /** Bytes of the game that were sent to players. */
  bytes: Count,
  /** Requests of the game for files that it does not have. */
  missing: Count,
  /** The plays by release, the most frequent first. */
  releases: Type.Array(Type.Object({ version: Type.String(), plays: Count })),
});
export type DayStats = Static<typeof DayStats>;

/** A file that a game asks for and does not have. */
export const MissingFile = Type.Object({ path: Type.String(), count: Count });
export type MissingFile = Static<typeof MissingFile>;

/** A link at which one release of a game can be played, also if players do not get it. Who has the address can play. */
export const Preview = Type.Object({
  id: Id,
  /** A project has one preview of each name. Null for a link without a name. */
  name: Nullable(Type.String()),
  /** The version of the release that is played. */
  version: Type.String(),
  url: Address,
  created_at: Time,
  expires_at: Time,
  /** When its page was last requested, to the minute. Null if it never was. */
  last_used_at: Nullable(Time),
});
export type Preview = Static<typeof Preview>;

/** An image or a trailer of a store page. Width and height of a video are null. */
export const Media = Type.Object({
  id: Id,
  kind: Type.Enum(['image', 'video']),
  url: Address,
  type: Type.String(),
  width: Nullable(Pixels),
  height: Nullable(Pixels),
  bytes: Bytes,
  alt: Nullable(Type.String()),
  variants: Type.Array(MediaVariant),
});
export type Media = Static<typeof Media>;

export const PAGE_SECTIONS = [
  'trailer',
  'screenshots',
  'description',
  'releases',
  'developer',
] as const;

/** The layout of a store page. `sections` lists the visible sections in their order, each at most once. */
export const PageLayout = Type.Object(
  {
    template: Type.Enum(['classic', 'wide'], { title: 'template' }),
    theme: Type.Enum(['auto', 'light', 'dark'], { title: 'theme' }),
    /** Accepted in upper or lower case, returned in lower case. */
    accent: Nullable(
      Type.String({
        pattern: '^#[0-9A-Fa-f]{6}$',
        title: 'accent color',
        description: '# and six hexadecimal digits, such as #3366ff',
      }),
    ),
    sections: Type.Array(Type.Enum([...PAGE_SECTIONS], { title: 'section' }), {
      uniqueItems: true,
      maxItems: PAGE_SECTIONS.length,
      title: 'list of sections',
    }),
    /** How a phone is held for the game. It is absent if the owner has not chosen, and in older servers. */
    orientation: Type.Optional(Type.Enum(['landscape', 'portrait'], { title: 'orientation' })),
  },
  { additionalProperties: false, title: 'layout' },
);
export type PageLayout = Static<typeof PageLayout>;

/** The layout of a page if its owner has not chosen one. */
export const DEFAULT_LAYOUT: PageLayout = {
  template: 'classic',
  theme: 'auto',
  accent: null,
  sections: [...PAGE_SECTIONS],
};

/** The content of a store page. `description` is Markdown; HTML in it is shown as text. */
export const StorePage = Type.Object({
  tagline: Nullable(Type.String()),
  description: Nullable(Type.String()),
  category: Nullable(CategoryName),
  tags: Type.Array(Type.String()),
  layout: PageLayout,
  banner: Nullable(Media),
  cover: Nullable(Media),
  screenshots: Type.Array(Media),
  trailer: Nullable(Media),
});
export type StorePage = Static<typeof StorePage>;

/** A category of the store. */
export const Category = Type.Object({ id: CategoryName, name: Type.String() });
export type Category = Static<typeof Category>;

/** Paths that a release adds, changes, keeps and removes, compared with the previous live release. Each list is sorted. */
export const ReleaseDiff = Type.Object({
  new: Type.Array(Type.String()),
  changed: Type.Array(Type.String()),
  same: Type.Array(Type.String()),
  gone: Type.Array(Type.String()),
});
export type ReleaseDiff = Static<typeof ReleaseDiff>;

/** How the platform serves one file of a build. `encoding` is the file's own content encoding, or null. */
export const BuildFile = Type.Object({
  path: Type.String(),
  type: Type.String(),
  encoding: Nullable(Type.Enum(['gzip', 'br'])),
  bytes: Bytes,
});
export type BuildFile = Static<typeof BuildFile>;

/**
 * An upload in parts: the contents of a build that the project does not have, one after another. Each part but the last has
 * `part_bytes` bytes, and parts are numbered from 0.
 */
export const Upload = Type.Object({
  id: Id,
  created_at: Time,
  /** When the upload is removed unless another part arrives. */
  expires_at: Time,
  /** SHA-256 of the contents that are sent, in the order in which they follow each other. */
  missing: Type.Array(Type.String()),
  /** Size of these contents together. */
  bytes: Bytes,
  part_bytes: Type.Integer({ minimum: 1 }),
  part_count: Type.Integer({ minimum: 0 }),
  /** The numbers of the parts that are stored, in order. */
  received: Type.Array(Type.Integer({ minimum: 0 })),
});
export type Upload = Static<typeof Upload>;

/** A warning about a build. It does not prevent publishing. */
export const BuildFinding = Type.Object({
  code: Type.String(),
  rule: Type.String(),
  entry: Nullable(Type.String()),
  message: Type.String(),
  hint: Nullable(Type.String()),
});
export type BuildFinding = Static<typeof BuildFinding>;

/** The kind of credential that a request used. */
export const AuthKind = Type.Union([
  Type.Object({ kind: Type.Literal('session') }),
  Type.Object({
    kind: Type.Literal('pat'),
    token_id: Id,
    name: Type.String(),
    scopes: Type.Array(ScopeName),
    projects: Nullable(Type.Array(Id)),
    expires_at: Nullable(Time),
  }),
]);
export type AuthKind = Static<typeof AuthKind>;

/** A user as an administrator sees them. */
export const AdminUser = Type.Object({
  uid: Id,
  name: Type.String(),
  avatar: Nullable(Address),
  created_at: Time,
  email: Nullable(Type.String()),
  role: Role,
  /** Who vouches for the user, and the name of the user there. */
  issuer: Type.String(),
  subject: Type.String(),
  suspended: Nullable(Restriction),
  sessions_ended_at: Nullable(Time),
  /** How many projects the user has. Deleted ones that can be restored are among them. */
  projects: Count,
  /** The user's own quotas. Null for those of the server. */
  quota: Type.Object({ projects: Nullable(Count), project_bytes: Nullable(Bytes) }),
});
export type AdminUser = Static<typeof AdminUser>;

/** A game as an administrator sees it. */
export const AdminGame = Type.Object({
  id: Id,
  title: Type.String(),
  /** The slug of its page. */
  slug: Type.String(),
  /** Address of its page in the store, which shows it while it is published. */
  url: Address,
  developer: Type.Object({ uid: Id, name: Type.String() }),
  /** Whether players can see it. */
  status: Type.Enum(['draft', 'published']),
  /** Version of the live release; null before the first publish. */
  version: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
  /** Size of its stored files. */
  bytes: Bytes,
  taken_down: Nullable(Restriction),
  /** Set if its live release was taken down. The game is hidden until another one is live. */
  release_taken_down: Nullable(Restriction),
  /** Set if it is hidden because its developer is suspended. */
  developer_suspended: Nullable(Restriction),
  /** When its owner deleted it. Null if it is not deleted. It is hidden, and its owner can restore it. Older servers do not send it. */
  deleted_at: Type.Optional(Nullable(Time)),
});
export type AdminGame = Static<typeof AdminGame>;

/** One record of the audit trail. */
export const AuditRecord = Type.Object({
  id: Id,
  at: Time,
  /**
   * Who did it: a user, or the operator on the command line (`uid` is null, `name` is that of the account on the machine). Null if the server
   * did it by itself. `token_id` is set if a personal access token was used.
   */
  actor: Nullable(
    Type.Object({ uid: Nullable(Id), name: Nullable(Type.String()), token_id: Nullable(Id) }),
  ),
  /** What was done, such as `game.taken_down`. */
  action: Type.String(),
  /** The id of the game, user or token that it was done to. */
  subject: Type.String(),
  /** The slug of the game, or the name of the user or token. Null if it does not exist any more. */
  subject_name: Nullable(Type.String()),
  /** An addition, such as a version or a reason. */
  detail: Nullable(Type.String()),
});
export type AuditRecord = Static<typeof AuditRecord>;

/** A report of a game by a player. It does not say who sent it. */
export const Report = Type.Object({
  id: Id,
  created_at: Time,
  game: Type.Object({
    id: Id,
    /** The title and the slug that the game has, or had when it was reported if it was removed. */
    title: Type.String(),
    slug: Type.String(),
    /** Address of its page in the store, which shows it while it is published. Null if the game was removed. */
    url: Nullable(Address),
  }),
  developer: Type.Object({ uid: Id, name: Type.String() }),
  /** Version of the release that was live at that time; null if none was. */
  version: Nullable(Type.String()),
  reason: ReportReason,
  /** What the player wrote. */
  text: Nullable(Type.String()),
  /** What an administrator decided. Null while the report is open. */
  resolved: Nullable(
    Type.Object({
      at: Time,
      /** Who decided it: a user, or the operator on the command line, as in `AuditRecord`. */
      by: Type.Object({ uid: Nullable(Id), name: Nullable(Type.String()) }),
      outcome: ReportOutcome,
      /** For other administrators. */
      note: Nullable(Type.String()),
    }),
  ),
});
export type Report = Static<typeof Report>;

/** What a notice is about. */
export const NOTICE_KINDS = [
  'game_reported',
  'report_received',
  'game_taken_down',
  'game_restored',
  'release_taken_down',
  'release_restored',
  'release_published',
  'token_created',
  'signed_in',
  'account_suspended',
  'account_restored',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something that a user should know. */
export const Notice = Type.Object({
  id: Id,
  at: Time,
  kind: Type.Enum([...NOTICE_KINDS]),
  /** The game that it is about, with the title and the slug of that time. */
  game: Nullable(Type.Object({ id: Id, title: Type.String(), slug: Type.String() })),
  version: Nullable(Type.String()),
  /**
   * The reason of a report (its id), of a take-down or of a suspension; the name of a new token; what published a release: the name of a
   * token or of a repository.
   */
  detail: Nullable(Type.String()),
  read: Type.Boolean(),
});
export type Notice = Static<typeof Notice>;
