// Every endpoint of the platform as data. The server registers these rows, the client calls them, the documents list them.
import { type Static, Type } from 'typebox';
import type { RouteFields } from '../route.ts';
import type { PlatformErrorCode } from './errors.ts';
import {
  Account,
  AdminGame,
  AdminUser,
  AuditRecord,
  AuthKind,
  BuildFile,
  BuildFinding,
  Category,
  DayStats,
  DeletedGame,
  EmbedAddress,
  Game,
  Isolation,
  MissingFile,
  Notice,
  Nullable,
  Preview,
  Publisher,
  Release,
  ReleaseDiff,
  Report,
  SignInProvider,
  StorePage,
  Token,
  Upload,
  User,
} from './records.ts';
import { ACCESS_TOKEN_TYPE, PARAMS, QUERIES, REQUESTS } from './requests.ts';

/**
 * Who may call: `public` anyone, without a credential; `session` an ID token only; `any` an ID token or any personal access
 * token; `read` and `publish` an ID token or a token with that scope (`publish` includes `read`).
 */
export type RouteAuth = 'public' | 'session' | 'any' | 'read' | 'publish';
type CredentialAuth = Exclude<RouteAuth, 'public'>;
type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Which rate limit applies. `sessions`, `searches`, `reports` and `logouts` are counted for each client address, `writes` and `parts` for each user. A route
 * that changes something has a limit.
 */
type RouteRate =
  | { readonly method: 'GET'; readonly rate: 'none' | 'searches' }
  | {
      readonly method: WriteMethod;
      readonly auth: 'public';
      readonly rate: 'sessions' | 'reports' | 'logouts';
    }
  | {
      readonly method: WriteMethod;
      readonly auth: CredentialAuth;
      readonly rate: 'writes' | 'parts';
    };

/**
 * Which of the caller's projects the route concerns:
 * - `none`: none of them;
 * - `named`: the one in the path. It must belong to the caller, and a token that is limited to projects must include it;
 * - `deleted`: as `named`, but a deleted one that can be restored. It exists for no route with another policy;
 * - `listed`: all of them, or those of the token if it is limited to projects;
 * - `created`: a new one. A token that is limited to projects is rejected.
 */
type RouteProjects =
  | { readonly projects: 'none' }
  | { readonly projects: 'listed' | 'created'; readonly auth: CredentialAuth }
  | {
      readonly projects: 'named';
      readonly auth: CredentialAuth;
      readonly path: `/projects/:id${string}`;
      readonly params:
        | typeof PARAMS.id
        | typeof PARAMS.release
        | typeof PARAMS.upload
        | typeof PARAMS.preview
        | typeof PARAMS.publisher
        | typeof PARAMS.part;
    }
  | {
      readonly projects: 'deleted';
      readonly auth: 'session';
      readonly path: `/projects/:id${string}` | `/me/deleted-games/:id${string}`;
      readonly params: typeof PARAMS.id;
    };

/** One endpoint, with its policy. Every row states its rate limit and its projects, so that no route forgets them. */
export type RouteRow = Required<RouteFields> &
  RouteRate &
  RouteProjects & {
    readonly auth: RouteAuth;
    /** Whether the caller must be a developer. */
    readonly developer: boolean;
    /** Whether the caller must be an administrator. */
    readonly admin: boolean;
    readonly takes: 'none' | 'json' | 'form' | 'multipart' | 'stream';
    readonly errors: readonly PlatformErrorCode[];
    readonly summary: string;
  };

const NoBody = Type.Object({});
const cursor = Nullable(Type.String());
const GameAnswer = Type.Object({ game: Game });
const OwnedErrors = ['not_found', 'not_owner', 'project_not_in_token'] as const;

const defaults = {
  auth: 'public',
  developer: false,
  admin: false,
  params: PARAMS.none,
  query: QUERIES.none,
  takes: 'none',
  body: NoBody,
  status: 200,
  errors: [],
} as const;

/** The answer of a dry run. The build is checked, and nothing is stored. */
export const DryRunAnswer = Type.Object({
  release: Release,
  /** The single top-level folder that was used as the root. Empty if the archive's own root was used. */
  root: Type.String(),
  /** Entries that were ignored because operating systems add them to folders. */
  dropped: Type.Array(Type.String()),
  findings: Type.Array(BuildFinding),
  files: Type.Array(BuildFile),
  diff: ReleaseDiff,
});
export type DryRunAnswer = Static<typeof DryRunAnswer>;

/** The answer of a publish. `url` is the game's page on the web origin. */
export const PublishAnswer = Type.Object({
  game: Game,
  url: Type.String({ format: 'uri' }),
  release: Release,
  diff: ReleaseDiff,
  findings: Type.Array(BuildFinding),
  /** The link that plays a staged release. Null for one that is live. Older servers do not send it. */
  preview: Type.Optional(Nullable(Preview)),
});
export type PublishAnswer = Static<typeof PublishAnswer>;

/** The answer of a token exchange (RFC 8693, section 2.2.1). */
const ExchangeAnswer = Type.Object({
  /** A token with the scope `publish` for one project. */
  access_token: Type.String(),
  issued_token_type: Type.Literal(ACCESS_TOKEN_TYPE),
  token_type: Type.Literal('Bearer'),
  /** Seconds until the token expires. */
  expires_in: Type.Integer({ minimum: 1 }),
  scope: Type.Literal('publish'),
});

/** The answer of a change of the live release. */
const LiveAnswer = Type.Object({
  game: Game,
  release: Release,
  /** The version that players got before. Null if they got none, or this one. Older servers do not send it. */
  replaced: Type.Optional(Nullable(Type.String())),
});

/** What players did on the last days. */
export const StatsAnswer = Type.Object({
  /** Whether this server counts. */
  counted: Type.Boolean(),
  /** The last days, the oldest first. The last one is today. */
  days: Type.Array(DayStats),
  /** The files that were missing most often. Their names are kept for 30 days. */
  missing_files: Type.Array(MissingFile),
});
export type StatsAnswer = Static<typeof StatsAnswer>;

const UploadAnswer = Type.Object({ upload: Upload });

const PageAnswer = Type.Object({
  game: Game,
  developer: User,
  page: StorePage,
  category: Nullable(Category),
  releases: Type.Array(Release),
  /** What a page needs to show the game in a frame: its address and the `allow` attribute. */
  embed: Type.Object({ url: Type.String({ format: 'uri' }), allow: Type.String() }),
});

/** The answer of `GET /readyz`, with 200 and with 503. */
export const ReadyAnswer = Type.Object({
  ready: Type.Boolean(),
  /** Whether the process is about to end. */
  draining: Type.Boolean(),
  /** What does not work: `database`, `schema`, `store`. */
  failing: Type.Array(Type.String()),
});

const LimitsAnswer = Type.Object({
  limits: Type.Record(Type.String(), Type.Integer()),
  engines: Type.Array(Type.String()),
  categories: Type.Array(Category),
  scopes: Type.Array(Type.String()),
  /** Why players can report a game. Older servers do not send it. */
  report_reasons: Type.Optional(
    Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  ),
  /** Origin of all image, trailer and avatar addresses, for a page's policy. Older servers do not send it. */
  media_origin: Type.Optional(Type.String({ format: 'uri' })),
});

const adminDefaults = { ...defaults, auth: 'session', admin: true, projects: 'none' } as const;
const AdminUserAnswer = Type.Object({ user: AdminUser });
const AdminGameAnswer = Type.Object({ game: AdminGame });
const ReportAnswer = Type.Object({ report: Report });

const ZIP_ERRORS = [
  'zip_malformed',
  'zip_ambiguous',
  'zip_overlap',
  'zip_crc_mismatch',
  'zip_size_mismatch',
  'zip_path_invalid',
  'zip_path_collision',
  'zip_entry_type',
  'zip_encrypted',
  'zip_method_unsupported',
  'zip_missing_index',
  'zip_too_many_entries',
  'zip_file_too_large',
  'zip_expansion_limit',
] as const satisfies readonly PlatformErrorCode[];

/** The endpoints by name. */
export const ROUTES = {
  health: {
    ...defaults,
    method: 'GET',
    path: '/healthz',
    rate: 'none',
    projects: 'none',
    answer: Type.Object({ ok: Type.Literal(true) }),
    summary: 'Whether the server is running',
  },
  live: {
    ...defaults,
    method: 'GET',
    path: '/livez',
    rate: 'none',
    projects: 'none',
    answer: Type.Object({ ok: Type.Literal(true) }),
    summary: 'Whether the process answers',
  },
  ready: {
    ...defaults,
    method: 'GET',
    path: '/readyz',
    rate: 'none',
    projects: 'none',
    answer: ReadyAnswer,
    summary: 'Whether the process is ready for requests. If not: 503 with the same body',
  },
  limits: {
    ...defaults,
    method: 'GET',
    path: '/limits',
    rate: 'none',
    projects: 'none',
    answer: LimitsAnswer,
    summary: 'Limits, engines, categories and scopes of this server, and the origin of media',
  },
  authConfig: {
    ...defaults,
    method: 'GET',
    path: '/auth/config',
    rate: 'none',
    projects: 'none',
    answer: Type.Object({
      /** The first of `providers`, for older clients. */
      issuer: Type.String(),
      client_id: Type.String(),
      /** Every provider that people can sign in at. Older servers do not send it. */
      providers: Type.Optional(Type.Array(SignInProvider, { minItems: 1 })),
    }),
    summary: 'Where to sign in',
  },
  openSession: {
    ...defaults,
    method: 'POST',
    path: '/auth/session',
    rate: 'sessions',
    projects: 'none',
    takes: 'json',
    body: REQUESTS.OpenSession,
    answer: Type.Object({
      user: Account,
      /** To be kept by the device, and sent with its next sign-in. Older servers do not send it. */
      device: Type.Optional(Type.String()),
    }),
    errors: [
      'unauthenticated',
      'session_ended',
      'account_suspended',
      'developer_signup_closed',
      'identity_unavailable',
    ],
    summary: 'Open a session: verify the ID token and create or update its user',
  },
  endProviderSession: {
    ...defaults,
    method: 'POST',
    path: '/auth/backchannel-logout',
    rate: 'logouts',
    projects: 'none',
    takes: 'form',
    body: REQUESTS.EndProviderSession,
    answer: Type.Object({ ok: Type.Literal(true) }),
    errors: ['identity_unavailable'],
    summary:
      'End the sessions that a logout token of an identity provider names (OpenID Connect Back-Channel Logout 1.0)',
  },
  exchangeToken: {
    ...defaults,
    method: 'POST',
    path: '/auth/token',
    rate: 'sessions',
    projects: 'none',
    takes: 'form',
    body: REQUESTS.ExchangeToken,
    answer: ExchangeAnswer,
    errors: [
      'unauthenticated',
      'id_token_used',
      'account_suspended',
      'not_trusted',
      'identity_unavailable',
    ],
    summary:
      'Exchange the identity of a CI run for a token that publishes to one project (RFC 8693)',
  },
  me: {
    ...defaults,
    method: 'GET',
    path: '/me',
    auth: 'any',
    rate: 'none',
    projects: 'none',
    answer: Type.Object({ user: Account, auth: AuthKind }),
    summary: 'Who the caller is, and by which credential',
  },
  editProfile: {
    ...defaults,
    method: 'PATCH',
    path: '/me',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    takes: 'json',
    body: REQUESTS.EditProfile,
    answer: Type.Object({ user: Account }),
    summary: 'Edit the name and the choice of e-mail; with avatar null also remove the picture',
  },
  deleteAccount: {
    ...defaults,
    method: 'DELETE',
    path: '/me',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    status: 204,
    answer: null,
    summary:
      'Delete the account of the caller: the profile, the projects with all their files, and the tokens',
  },
  exportAccount: {
    ...defaults,
    method: 'GET',
    path: '/me/export',
    auth: 'session',
    rate: 'none',
    projects: 'none',
    query: QUERIES.exportAccount,
    answer: null,
    errors: ['payload_too_large'],
    summary: 'The data of the caller, as a ZIP. With builds=true also the files of the releases',
  },
  endOwnSessions: {
    ...defaults,
    method: 'POST',
    path: '/me/end-sessions',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    status: 204,
    answer: null,
    summary: 'End all sessions of the caller, also this one. Tokens stay valid',
  },
  uploadAvatar: {
    ...defaults,
    method: 'PUT',
    path: '/me/avatar',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    takes: 'multipart',
    answer: Type.Object({ user: Account }),
    errors: ['image_invalid', 'image_too_large'],
    summary: 'Upload a picture of the caller: part avatar. It replaces the previous picture',
  },
  removeAvatar: {
    ...defaults,
    method: 'DELETE',
    path: '/me/avatar',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    status: 204,
    answer: null,
    summary: "Remove the caller's picture. Repeating it is not an error",
  },
  notices: {
    ...defaults,
    method: 'GET',
    path: '/me/notices',
    auth: 'session',
    rate: 'none',
    projects: 'none',
    query: QUERIES.list,
    answer: Type.Object({ notices: Type.Array(Notice), next_cursor: cursor }),
    summary: 'What the caller should know, newest first',
  },
  readNotices: {
    ...defaults,
    method: 'POST',
    path: '/me/notices/read',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    takes: 'json',
    body: REQUESTS.ReadNotices,
    status: 204,
    answer: null,
    summary: 'Mark a notice and all before it as read. Repeating it is not an error',
  },
  deletedGames: {
    ...defaults,
    method: 'GET',
    path: '/me/deleted-games',
    auth: 'session',
    developer: true,
    rate: 'none',
    projects: 'listed',
    query: QUERIES.list,
    answer: Type.Object({ games: Type.Array(DeletedGame), next_cursor: cursor }),
    summary: 'The deleted games that the caller can restore, the last deleted first',
  },
  removeDeletedGame: {
    ...defaults,
    method: 'DELETE',
    path: '/me/deleted-games/:id',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'deleted',
    params: PARAMS.id,
    status: 204,
    answer: null,
    errors: OwnedErrors,
    summary: 'Remove a deleted game with all of its files now. It cannot be restored any more',
  },
  user: {
    ...defaults,
    method: 'GET',
    path: '/users/:uid',
    rate: 'none',
    projects: 'none',
    params: PARAMS.uid,
    answer: User,
    errors: ['not_found'],
    summary: 'The public profile of a user',
  },
  createToken: {
    ...defaults,
    method: 'POST',
    path: '/tokens',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'none',
    takes: 'json',
    body: REQUESTS.CreateToken,
    status: 201,
    answer: Type.Object({ token: Token, secret: Type.String() }),
    summary: 'Create a personal access token. Only this answer contains its secret',
  },
  tokens: {
    ...defaults,
    method: 'GET',
    path: '/tokens',
    auth: 'session',
    developer: true,
    rate: 'none',
    projects: 'none',
    answer: Type.Object({ tokens: Type.Array(Token) }),
    summary: "The caller's personal access tokens, newest first",
  },
  revokeToken: {
    ...defaults,
    method: 'DELETE',
    path: '/tokens/:id',
    auth: 'session',
    rate: 'writes',
    projects: 'none',
    params: PARAMS.id,
    status: 204,
    answer: null,
    errors: ['not_found'],
    summary: 'Revoke a personal access token. Repeating it is not an error',
  },
  createProject: {
    ...defaults,
    method: 'POST',
    path: '/projects',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'created',
    takes: 'json',
    body: REQUESTS.CreateProject,
    status: 201,
    answer: GameAnswer,
    errors: ['slug_taken', 'quota_exceeded', 'project_not_in_token'],
    summary: 'Create a game as a draft',
  },
  projects: {
    ...defaults,
    method: 'GET',
    path: '/projects',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'listed',
    query: QUERIES.projects,
    answer: Type.Object({ games: Type.Array(Game), next_cursor: cursor }),
    summary: "The caller's games, including drafts, newest first",
  },
  project: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.id,
    answer: Type.Object({
      game: Game,
      page: StorePage,
      live_release: Nullable(Release),
      /** The owner's setting; null if each build decides. Older servers do not send it. */
      isolation: Type.Optional(Nullable(Isolation)),
      /** Whether play allows the game's pages to sample their own functions. Older servers do not send it. */
      profiling: Type.Optional(Type.Boolean()),
      /** The owner's setting; null if each build decides. Older servers do not send it. */
      address: Type.Optional(Nullable(EmbedAddress)),
      /** Its earlier slugs, which lead to its page. Older servers do not send them. */
      former_slugs: Type.Optional(Type.Array(Type.String())),
    }),
    errors: OwnedErrors,
    summary: 'One of the caller’s games with its store page and live release',
  },
  editProject: {
    ...defaults,
    method: 'PATCH',
    path: '/projects/:id',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.EditProject,
    answer: GameAnswer,
    errors: OwnedErrors,
    summary: 'Edit title, tagline, description, tags and engine',
  },
  changeSlug: {
    ...defaults,
    method: 'PUT',
    path: '/projects/:id/slug',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.ChangeSlug,
    answer: GameAnswer,
    errors: [...OwnedErrors, 'slug_taken', 'quota_exceeded'],
    summary: 'Move the page of a game to another slug. Its earlier slugs lead there',
  },
  updateStore: {
    ...defaults,
    method: 'PUT',
    path: '/projects/:id/store',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'multipart',
    answer: Type.Object({ game: Game, page: StorePage }),
    errors: [
      ...OwnedErrors,
      'image_invalid',
      'image_too_large',
      'trailer_invalid',
      'payload_too_large',
      'quota_exceeded',
      'unsupported_media_type',
      'change_interrupted',
      'storage_full',
    ],
    summary: 'Update the store page: parts metadata (JSON), banner, cover, screenshots, trailer',
  },
  publish: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/publish',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    query: QUERIES.publish,
    takes: 'multipart',
    status: 201,
    answer: PublishAnswer,
    errors: [
      ...OwnedErrors,
      'taken_down',
      'version_exists',
      'publish_in_progress',
      'payload_too_large',
      'quota_exceeded',
      'unsupported_media_type',
      'change_interrupted',
      'storage_full',
      'build_rejected',
      'hook_failed',
      ...ZIP_ERRORS,
    ],
    summary:
      'Publish a build: parts version, notes, build. With dry_run=true: check it, answer 200, store nothing',
  },
  openUpload: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/uploads',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.OpenUpload,
    answer: UploadAnswer,
    errors: [
      ...OwnedErrors,
      'version_exists',
      'quota_exceeded',
      'payload_too_large',
      ...ZIP_ERRORS,
    ],
    summary:
      'Begin or continue an upload in parts: the answer names the contents that the project lacks',
  },
  upload: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/uploads/:upload',
    auth: 'publish',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.upload,
    answer: UploadAnswer,
    errors: OwnedErrors,
    summary: 'An upload in parts, and which of them are stored',
  },
  uploadPart: {
    ...defaults,
    method: 'PUT',
    path: '/projects/:id/uploads/:upload/parts/:part',
    auth: 'publish',
    developer: true,
    rate: 'parts',
    projects: 'named',
    params: PARAMS.part,
    takes: 'stream',
    status: 204,
    answer: null,
    errors: [
      ...OwnedErrors,
      'digest_mismatch',
      'payload_too_large',
      'unsupported_media_type',
      'storage_full',
    ],
    summary:
      'Store a part, with its Content-Digest, plain or compressed. Repeating it is not an error',
  },
  publishUpload: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/uploads/:upload/publish',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.upload,
    query: QUERIES.publish,
    takes: 'json',
    body: REQUESTS.PublishUpload,
    status: 201,
    answer: PublishAnswer,
    errors: [
      ...OwnedErrors,
      'taken_down',
      'upload_incomplete',
      'version_exists',
      'publish_in_progress',
      'payload_too_large',
      'quota_exceeded',
      'change_interrupted',
      'storage_full',
      'build_rejected',
      'hook_failed',
      ...ZIP_ERRORS,
    ],
    summary:
      'Publish what was uploaded in parts, as a ZIP with the same files. With dry_run=true: check it, answer 200, store nothing',
  },
  dropUpload: {
    ...defaults,
    method: 'DELETE',
    path: '/projects/:id/uploads/:upload',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.upload,
    status: 204,
    answer: null,
    errors: OwnedErrors,
    summary: 'Give up an upload in parts, and remove what was stored of it',
  },
  releases: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/releases',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.id,
    query: QUERIES.list,
    answer: Type.Object({ releases: Type.Array(Release), next_cursor: cursor }),
    errors: OwnedErrors,
    summary: 'Releases of one of the caller’s games, newest first',
  },
  downloadBuild: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/releases/:version/build',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.release,
    answer: null,
    errors: OwnedErrors,
    summary: 'The ZIP of a release, as it was uploaded or with the same files',
  },
  deleteRelease: {
    ...defaults,
    method: 'DELETE',
    path: '/projects/:id/releases/:version',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.release,
    status: 204,
    answer: null,
    errors: [...OwnedErrors, 'release_live'],
    summary: 'Delete a release that is not live. Its version cannot be used again',
  },
  rollback: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/rollback',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.Rollback,
    answer: LiveAnswer,
    errors: [...OwnedErrors, 'not_published', 'taken_down'],
    summary: 'Make a stored release live. An unpublished game goes online again',
  },
  editRelease: {
    ...defaults,
    method: 'PATCH',
    path: '/projects/:id/releases/:version',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.release,
    takes: 'json',
    body: REQUESTS.EditRelease,
    answer: Type.Object({ release: Release }),
    errors: [...OwnedErrors, 'not_published', 'taken_down'],
    summary: 'Set whether players can choose a release that is no longer live',
  },
  promote: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/promote',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.Promote,
    answer: LiveAnswer,
    errors: [...OwnedErrors, 'not_staged', 'taken_down'],
    summary: 'Make a staged release live, as a publish would',
  },
  projectStats: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/stats',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.id,
    query: QUERIES.stats,
    answer: StatsAnswer,
    errors: OwnedErrors,
    summary: 'Plays, page views, sent bytes and missing files of the last days',
  },
  publishers: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/publishers',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.id,
    answer: Type.Object({ publishers: Type.Array(Publisher) }),
    errors: OwnedErrors,
    summary: 'All trusted publishers of the project, the newest first',
  },
  createPublisher: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/publishers',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.CreatePublisher,
    status: 201,
    answer: Type.Object({ publisher: Publisher }),
    errors: [...OwnedErrors, 'quota_exceeded'],
    summary: 'Trust runs of a CI to publish to the project',
  },
  removePublisher: {
    ...defaults,
    method: 'DELETE',
    path: '/projects/:id/publishers/:publisher',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.publisher,
    status: 204,
    answer: null,
    errors: OwnedErrors,
    summary: 'Trust a publisher no longer, and revoke its tokens',
  },
  previews: {
    ...defaults,
    method: 'GET',
    path: '/projects/:id/previews',
    auth: 'read',
    developer: true,
    rate: 'none',
    projects: 'named',
    params: PARAMS.id,
    answer: Type.Object({ previews: Type.Array(Preview) }),
    errors: OwnedErrors,
    summary: 'All links to play releases of the project, the newest first',
  },
  createPreview: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/previews',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.CreatePreview,
    status: 201,
    answer: Type.Object({ preview: Preview }),
    errors: [...OwnedErrors, 'quota_exceeded', 'taken_down'],
    summary: 'Create a link to a release, or point an existing link with this name to it',
  },
  revokePreview: {
    ...defaults,
    method: 'DELETE',
    path: '/projects/:id/previews/:preview',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.preview,
    status: 204,
    answer: null,
    errors: OwnedErrors,
    summary: 'Revoke a link to play a release',
  },
  unpublish: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/unpublish',
    auth: 'publish',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    answer: GameAnswer,
    errors: OwnedErrors,
    summary: 'Make the game a draft again. Its files are kept',
  },
  deleteProject: {
    ...defaults,
    method: 'DELETE',
    path: '/projects/:id',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'named',
    params: PARAMS.id,
    status: 204,
    answer: null,
    errors: OwnedErrors,
    summary:
      'Delete the game. Its owner can restore it for some days, unless this server has no such time',
  },
  restoreProject: {
    ...defaults,
    method: 'POST',
    path: '/projects/:id/restore',
    auth: 'session',
    developer: true,
    rate: 'writes',
    projects: 'deleted',
    params: PARAMS.id,
    answer: GameAnswer,
    errors: OwnedErrors,
    summary: 'Restore a deleted game with everything that belongs to it',
  },
  home: {
    ...defaults,
    method: 'GET',
    path: '/home',
    rate: 'none',
    projects: 'none',
    query: QUERIES.home,
    answer: Type.Object({
      games: Type.Array(Game),
      developers: Type.Array(User),
      next_cursor: cursor,
    }),
    summary: 'Published games, newest first, and their developers',
  },
  search: {
    ...defaults,
    method: 'GET',
    path: '/search',
    rate: 'searches',
    projects: 'none',
    query: QUERIES.search,
    answer: Type.Object({ games: Type.Array(Game), developers: Type.Array(User) }),
    summary: 'Published games by title and tag, developers by name',
  },
  game: {
    ...defaults,
    method: 'GET',
    path: '/games/:slug',
    rate: 'none',
    projects: 'none',
    params: PARAMS.slug,
    answer: Type.Object({ game: Game, developer: User }),
    errors: ['not_found', 'unavailable_for_legal_reasons'],
    summary: 'A published game and its developer',
  },
  gamePage: {
    ...defaults,
    method: 'GET',
    path: '/games/:slug/page',
    rate: 'none',
    projects: 'none',
    params: PARAMS.slug,
    answer: PageAnswer,
    errors: ['not_found', 'unavailable_for_legal_reasons'],
    summary: 'Everything the public page of a published game shows',
  },
  gameReleases: {
    ...defaults,
    method: 'GET',
    path: '/games/:slug/releases',
    rate: 'none',
    projects: 'none',
    params: PARAMS.slug,
    query: QUERIES.list,
    answer: Type.Object({ releases: Type.Array(Release), next_cursor: cursor }),
    errors: ['not_found', 'unavailable_for_legal_reasons'],
    summary: 'Releases of a published game, newest first',
  },
  reportGame: {
    ...defaults,
    method: 'POST',
    path: '/games/:slug/reports',
    rate: 'reports',
    projects: 'none',
    params: PARAMS.slug,
    takes: 'json',
    body: REQUESTS.ReportGame,
    status: 204,
    answer: null,
    errors: ['not_found', 'quota_exceeded', 'unavailable_for_legal_reasons'],
    summary: 'Report a published game to the administrators',
  },
  categories: {
    ...defaults,
    method: 'GET',
    path: '/categories',
    rate: 'none',
    projects: 'none',
    answer: Type.Object({ categories: Type.Array(Category) }),
    summary: 'Categories of the store',
  },
  developer: {
    ...defaults,
    method: 'GET',
    path: '/devs/:uid',
    rate: 'none',
    projects: 'none',
    params: PARAMS.uid,
    query: QUERIES.list,
    answer: Type.Object({ developer: User, games: Type.Array(Game), next_cursor: cursor }),
    errors: ['not_found'],
    summary: 'A developer and their published games, newest first',
  },
  adminUsers: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/users',
    rate: 'none',
    query: QUERIES.adminUsers,
    answer: Type.Object({ users: Type.Array(AdminUser), next_cursor: cursor }),
    summary: 'Find users, newest first',
  },
  adminUser: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/users/:uid',
    rate: 'none',
    params: PARAMS.uid,
    answer: AdminUserAnswer,
    errors: ['not_found'],
    summary: 'A user',
  },
  editUser: {
    ...adminDefaults,
    method: 'PATCH',
    path: '/admin/users/:uid',
    rate: 'writes',
    params: PARAMS.uid,
    takes: 'json',
    body: REQUESTS.EditUser,
    answer: AdminUserAnswer,
    errors: ['not_found', 'own_account'],
    summary: 'Give a user another role or other quotas',
  },
  suspendUser: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/users/:uid/suspend',
    rate: 'writes',
    params: PARAMS.uid,
    takes: 'json',
    body: REQUESTS.SuspendUser,
    answer: AdminUserAnswer,
    errors: ['not_found', 'own_account'],
    summary:
      'Suspend a user: end the sessions, reject the tokens, hide the games. Repeating it changes the reason',
  },
  restoreUser: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/users/:uid/restore',
    rate: 'writes',
    params: PARAMS.uid,
    answer: AdminUserAnswer,
    errors: ['not_found'],
    summary: 'Lift a suspension. Repeating it is not an error',
  },
  endSessions: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/users/:uid/end-sessions',
    rate: 'writes',
    params: PARAMS.uid,
    answer: AdminUserAnswer,
    errors: ['not_found'],
    summary: 'End all sessions of a user, who can sign in again',
  },
  userTokens: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/users/:uid/tokens',
    rate: 'none',
    params: PARAMS.uid,
    answer: Type.Object({ tokens: Type.Array(Token) }),
    errors: ['not_found'],
    summary: 'The personal access tokens of a user, newest first, without secrets',
  },
  revokeUserTokens: {
    ...adminDefaults,
    method: 'DELETE',
    path: '/admin/users/:uid/tokens',
    rate: 'writes',
    params: PARAMS.uid,
    answer: Type.Object({ revoked: Type.Integer({ minimum: 0 }) }),
    errors: ['not_found'],
    summary: 'Revoke all tokens of a user, also those that CI runs have now',
  },
  revokeUserToken: {
    ...adminDefaults,
    method: 'DELETE',
    path: '/admin/users/:uid/tokens/:token',
    rate: 'writes',
    params: PARAMS.token,
    status: 204,
    answer: null,
    errors: ['not_found'],
    summary: 'Revoke a token of a user. Repeating it is not an error',
  },
  adminGames: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/games',
    rate: 'none',
    query: QUERIES.adminGames,
    answer: Type.Object({ games: Type.Array(AdminGame), next_cursor: cursor }),
    summary: 'Find games of all developers, newest first',
  },
  adminGame: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/games/:id',
    rate: 'none',
    params: PARAMS.id,
    answer: Type.Object({ game: AdminGame, releases: Type.Array(Release) }),
    errors: ['not_found'],
    summary: 'A game and its releases, newest first',
  },
  takeDown: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/games/:id/take-down',
    rate: 'writes',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.TakeDown,
    answer: AdminGameAnswer,
    errors: ['not_found'],
    summary: 'Take a game, or one release of it, down. Repeating it changes the reason',
  },
  restoreGame: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/games/:id/restore',
    rate: 'writes',
    params: PARAMS.id,
    takes: 'json',
    body: REQUESTS.RestoreGame,
    answer: AdminGameAnswer,
    errors: ['not_found'],
    summary: 'Restore a game, or one release of it. Repeating it is not an error',
  },
  adminReports: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/reports',
    rate: 'none',
    query: QUERIES.adminReports,
    answer: Type.Object({
      reports: Type.Array(Report),
      next_cursor: cursor,
      /** How many reports of all games are open. */
      open: Type.Integer({ minimum: 0 }),
    }),
    summary: 'Reports of games, newest first',
  },
  adminReport: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/reports/:report',
    rate: 'none',
    params: PARAMS.report,
    answer: Type.Object({
      report: Report,
      /** Other reports of the same game, newest first, at most 20. */
      others: Type.Array(Report),
      /** How many reports of the game are open, this one included. */
      open: Type.Integer({ minimum: 0 }),
    }),
    errors: ['not_found'],
    summary: 'A report, and others of the same game',
  },
  resolveReport: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/reports/:report/resolve',
    rate: 'writes',
    params: PARAMS.report,
    takes: 'json',
    body: REQUESTS.ResolveReport,
    answer: ReportAnswer,
    errors: ['not_found'],
    summary: 'Decide a report, or all open ones of its game. Repeating it changes the decision',
  },
  reopenReport: {
    ...adminDefaults,
    method: 'POST',
    path: '/admin/reports/:report/reopen',
    rate: 'writes',
    params: PARAMS.report,
    answer: ReportAnswer,
    errors: ['not_found'],
    summary: 'Open a report again. Repeating it is not an error',
  },
  audit: {
    ...adminDefaults,
    method: 'GET',
    path: '/admin/audit',
    rate: 'none',
    query: QUERIES.audit,
    answer: Type.Object({ records: Type.Array(AuditRecord), next_cursor: cursor }),
    summary: 'The audit trail, newest first',
  },
} as const satisfies Readonly<Record<string, RouteRow>>;

export type Routes = typeof ROUTES;
export type RouteName = keyof Routes;
