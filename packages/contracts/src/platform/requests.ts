// Inputs of the platform: bodies, metadata parts, queries and path parameters. An unknown field is an error.
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import {
  PLATFORM_LIMITS as LIMITS,
  type PlatformLimits,
  PREVIEW_NAME_PATTERN,
  SLUG_PATTERN,
  TAG_PATTERN,
  VERSION_PATTERN,
} from './limits.ts';
import {
  CategoryName,
  EmbedAddress,
  Engine,
  Isolation,
  Nullable,
  PageLayout,
  PublisherProvider,
  ReportOutcome,
  ReportReason,
  Role,
  ScopeName,
} from './records.ts';

const strict = { additionalProperties: false } as const;
const closed = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, strict);
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

/** A header of the store: a person has opened the page for which the store asks. */
export const VISIT_HEADER = 'svc-visit';
export const VISIT_OF_PAGE = 'page';

/** The grant type of a token exchange (RFC 8693, section 2.1). */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** The types of tokens in an exchange (RFC 8693, section 3). */
export const ID_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:id_token';
export const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

// `title` is the name of a field for people. `description` is the text after "Allowed:" in an error message.

/** One line of text for people. NUL is excluded because databases reject it. `findTextFaults` checks the rest. */
const line = (title: string, maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000]*$',
    title,
    description: 'one line of visible text, without control characters',
  });
/** As `line`, but may be empty. */
const maybeLine = (title: string, maxLength: number) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000]*$',
    title,
    description: 'one line of text, without control characters',
  });
/** Markdown without NUL. */
const prose = (title: string, maxLength: number) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000]*$',
    title,
    description: 'text without the NUL character',
  });

const ProjectId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\u0000]*$',
  title: 'project',
  description: 'the id of a project',
});
const TAG = {
  title: 'tag',
  pattern: TAG_PATTERN,
  description: 'lower-case letters (a-z), digits and hyphens',
};
/** The value in `metadata` that removes a medium. */
const removed = (name: string) =>
  Type.Optional(
    Type.Null({
      title: name,
      description: `null, which removes it; a new one is sent as the part "${name}"`,
    }),
  );

/** Returns the schemas of the bodies for a server with the given limits. */
export function requestSchemas(limits: PlatformLimits) {
  return {
    ...accountSchemas(limits),
    ...projectSchemas(limits),
    ...publisherSchemas(limits),
    ...releaseSchemas(limits),
    ...reportSchemas(limits),
    ...adminSchemas(limits),
  };
}

function accountSchemas(limits: PlatformLimits) {
  return {
    OpenSession: closed({
      id_token: Type.String({ minLength: 1, title: 'ID token', writeOnly: true }),
      role: maybe(Type.Enum(['player', 'developer'], { title: 'role' })),
      /** What an earlier answer sent to this device. A sign-in of another device is a notice to the user. */
      device: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          pattern: '^[!-~]+$',
          title: 'device',
          description: 'what an earlier answer sent',
        }),
      ),
    }),
    /** Other parameters are ignored (OpenID Connect Back-Channel Logout 1.0, section 2.5). */
    EndProviderSession: Type.Object({
      logout_token: Type.String({ minLength: 1, title: 'logout_token', writeOnly: true }),
    }),
    EditProfile: closed({
      name: Type.Optional(line('name', limits.name_characters)),
      avatar: Type.Optional(
        Type.Null({
          title: 'avatar',
          description:
            'null, which removes it; a new one is uploaded with PUT /me/avatar, as the part "avatar"',
        }),
      ),
      /** Which e-mail the user gets. An absent field keeps its value. */
      mail: Type.Optional(
        Type.Object(
          {
            reports: Type.Optional(Type.Boolean({ title: 'e-mail about reports' })),
            releases: Type.Optional(Type.Boolean({ title: 'e-mail about releases' })),
            sign_ins: Type.Optional(Type.Boolean({ title: 'e-mail about sign-ins' })),
          },
          { ...strict, title: 'mail' },
        ),
      ),
    }),
    CreateToken: closed({
      name: line('name', limits.name_characters),
      scopes: Type.Optional(
        Type.Array(ScopeName, { minItems: 1, uniqueItems: true, title: 'list of scopes' }),
      ),
      projects: maybe(
        Type.Array(ProjectId, {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          title: 'list of projects',
        }),
      ),
      expires_in_days: maybe(
        Type.Integer({
          minimum: 1,
          maximum: limits.token_maximum_days,
          title: 'lifetime in days',
        }),
      ),
    }),
  };
}

function projectSchemas(limits: PlatformLimits) {
  const Title = line('title', limits.title_characters);
  const Tagline = maybeLine('tagline', limits.tagline_characters);
  const Alt = maybeLine('alternative text', limits.alt_characters);
  const Description = prose('description', limits.description_characters);
  const Tags = Type.Array(
    Type.String({
      minLength: limits.tag_minimum_characters,
      maxLength: limits.tag_characters,
      ...TAG,
    }),
    { maxItems: limits.tags, uniqueItems: true, title: 'list of tags' },
  );
  return {
    CreateProject: closed({
      title: Title,
      slug: maybe(slugSchema(limits)),
      engine: maybe(Engine),
      tagline: maybe(Tagline),
      description: maybe(Description),
      tags: maybe(Tags),
    }),
    EditProject: closed({
      title: Type.Optional(Title),
      tagline: maybe(Tagline),
      description: maybe(Description),
      tags: maybe(Tags),
      engine: maybe(Engine),
    }),
    ChangeSlug: closed({ slug: slugSchema(limits) }),
    /** The `metadata` part of a store page update. An absent field is kept, null clears it. */
    StoreMetadata: closed({
      tagline: maybe(Tagline),
      description: maybe(Description),
      category: maybe(CategoryName),
      tags: maybe(Tags),
      layout: maybe(PageLayout),
      isolation: maybe(Isolation),
      /** Whether play allows the game's pages to sample their own functions. Null means no. */
      profiling: maybe(Type.Boolean({ title: 'profiling' })),
      /** Null means that each build decides. */
      address: maybe(EmbedAddress),
      /** The ids of the screenshots to keep, and `new:N` for the N-th uploaded one (from 0), in the order of the page. */
      screenshots: maybe(
        Type.Array(Type.String({ maxLength: 64, title: 'screenshot' }), {
          uniqueItems: true,
          title: 'list of screenshots',
        }),
      ),
      /** Alternative texts by `banner`, `cover`, `trailer`, a screenshot's id or `new:N`. */
      alt: Type.Optional(
        Type.Record(Type.String(), Nullable(Alt), { title: 'list of alternative texts' }),
      ),
      banner: removed('banner'),
      cover: removed('cover'),
      trailer: removed('trailer'),
    }),
  };
}

function publisherSchemas(limits: PlatformLimits) {
  const maxLength = limits.publisher_text_characters;
  const text = (title: string, pattern: string, description: string) =>
    maybe(Type.String({ minLength: 1, maxLength, pattern, title, description }));
  // ASCII only, so that no two of these texts look the same.
  const pattern = (title: string, example: string) =>
    text(title, '^[!-~]+$', `letters, digits and punctuation without spaces, such as ${example}`);
  return {
    CreatePublisher: closed({
      provider: PublisherProvider,
      issuer: text('issuer', '^https?://[!-~]+$', 'the address of an OpenID Connect issuer'),
      audience: text('audience', '^[!-~]+$', 'characters from ! to ~, without spaces'),
      repository: text(
        'repository',
        '^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+$',
        'owner/name, such as acme/moonhop',
      ),
      repository_id: text('repository id', '^[0-9]+$', 'digits'),
      subject: pattern('subject', 'repo:acme/moonhop:*'),
      branch: pattern('branch', 'main or release/*'),
      environment: text('environment', '^[^\\u0000-\\u001f]+$', 'text without control characters'),
      workflow: text('workflow', '^[A-Za-z0-9_.-]+\\.ya?ml$', 'a file name such as release.yml'),
    }),
    /** The parameters of RFC 8693, section 2.1, that this server accepts. */
    ExchangeToken: closed({
      grant_type: Type.Literal(TOKEN_EXCHANGE, { title: 'grant_type' }),
      subject_token: Type.String({ minLength: 1, title: 'subject_token', writeOnly: true }),
      subject_token_type: Type.Enum([ID_TOKEN_TYPE, JWT_TYPE], { title: 'subject_token_type' }),
      audience: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[^\\u0000]*$',
        title: 'audience',
        description: 'the id of a project',
      }),
      requested_token_type: Type.Optional(
        Type.Literal(ACCESS_TOKEN_TYPE, { title: 'requested_token_type' }),
      ),
      scope: Type.Optional(Type.Literal('publish', { title: 'scope' })),
    }),
  };
}

function versionSchema(limits: PlatformLimits) {
  return Type.String({
    minLength: 1,
    maxLength: limits.version_characters,
    pattern: VERSION_PATTERN,
    title: 'version',
    description: 'letters (A-Z, a-z), digits, and . + _ -, such as 1.2.0',
  });
}

/** What players and administrators send about reports of games. */
function reportSchemas(limits: PlatformLimits) {
  return {
    ReportGame: closed({
      reason: ReportReason,
      /** Required for the reason `other`. */
      text: maybe(prose('text', limits.report_characters)),
    }),
    ResolveReport: closed({
      outcome: ReportOutcome,
      note: maybe(line('note', limits.reason_characters)),
      /** Whether it is decided for all open reports of the same game. */
      whole_game: Type.Optional(Type.Boolean({ title: 'whole game' })),
    }),
    /** The last notice that was read. All before it are read too. */
    ReadNotices: closed({
      last: Type.String({
        minLength: 1,
        maxLength: 64,
        title: 'notice',
        pattern: '^[!-~]+$',
        description: 'the id of a notice',
      }),
    }),
  };
}

/** What administrators send. A reason is shown to the user or the owner of the game. */
function adminSchemas(limits: PlatformLimits) {
  const reason = maybe(line('reason', limits.reason_characters));
  const version = Type.Optional(versionSchema(limits));
  return {
    /** Null for the quota of the server. An absent field keeps its value. */
    EditUser: closed({
      role: Type.Optional(Role),
      quota: Type.Optional(
        Type.Object(
          {
            projects: maybe(Type.Integer({ minimum: 0, maximum: 100_000, title: 'projects' })),
            project_bytes: maybe(
              Type.Integer({
                minimum: 0,
                maximum: Number.MAX_SAFE_INTEGER,
                title: 'project bytes',
              }),
            ),
          },
          { ...strict, title: 'quota' },
        ),
      ),
    }),
    SuspendUser: closed({ reason }),
    /** With a version: only this release. */
    TakeDown: closed({ reason, version }),
    RestoreGame: closed({ version }),
  };
}

function releaseSchemas(limits: PlatformLimits) {
  const Version = versionSchema(limits);
  return {
    /** The text parts of a publish. */
    PublishFields: closed({
      version: Version,
      notes: Type.Optional(prose('notes', limits.notes_characters)),
    }),
    Rollback: closed({ version: Version }),
    Promote: closed({ version: Version }),
    EditRelease: closed({ playable: Type.Boolean({ title: 'choice of players' }) }),
    CreatePreview: closed({
      version: Version,
      name: maybe(previewName(limits)),
      expires_in_days: maybe(
        Type.Integer({
          minimum: 1,
          maximum: limits.preview_maximum_days,
          title: 'lifetime in days',
        }),
      ),
    }),
    /** The files of a build that is uploaded in parts. An invalid or used version is rejected before anything is sent. */
    OpenUpload: closed({
      files: Type.Array(
        Type.Object(
          {
            path: Type.String({ minLength: 1, title: 'path' }),
            bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, title: 'size' }),
            sha256: Type.String({
              pattern: '^[0-9a-f]{64}$',
              title: 'SHA-256',
              description: '64 lower-case hexadecimal digits',
            }),
          },
          { ...strict, title: 'file' },
        ),
        { title: 'list of files' },
      ),
      version: Type.Optional(Version),
    }),
    /** The release that an upload becomes. */
    PublishUpload: closed({
      version: Version,
      notes: maybe(prose('notes', limits.notes_characters)),
    }),
  };
}

function previewName(limits: PlatformLimits) {
  return Type.String({
    minLength: 1,
    maxLength: limits.preview_name_characters,
    pattern: PREVIEW_NAME_PATTERN,
    title: 'preview name',
    description:
      'letters (A-Z, a-z), digits, and . _ / + - after the first character, such as pr-12',
  });
}

function slugSchema(limits: PlatformLimits) {
  return Type.String({
    minLength: limits.slug_minimum_characters,
    maxLength: limits.slug_characters,
    pattern: SLUG_PATTERN,
    title: 'slug',
    description:
      'lower-case letters (a-z), digits, and single hyphens between them, such as moon-hop',
  });
}

/** The schemas for the default limits. The client's types derive from them. */
export const REQUESTS = requestSchemas(LIMITS);
export type OpenSession = Static<typeof REQUESTS.OpenSession>;
export type EndProviderSession = Static<typeof REQUESTS.EndProviderSession>;
export type EditProfile = Static<typeof REQUESTS.EditProfile>;
export type CreateToken = Static<typeof REQUESTS.CreateToken>;
export type CreateProject = Static<typeof REQUESTS.CreateProject>;
export type EditProject = Static<typeof REQUESTS.EditProject>;
export type StoreMetadata = Static<typeof REQUESTS.StoreMetadata>;
export type PublishFields = Static<typeof REQUESTS.PublishFields>;
export type CreatePublisher = Static<typeof REQUESTS.CreatePublisher>;
export type ExchangeToken = Static<typeof REQUESTS.ExchangeToken>;
export type CreatePreview = Static<typeof REQUESTS.CreatePreview>;
export type OpenUpload = Static<typeof REQUESTS.OpenUpload>;
export type PublishUpload = Static<typeof REQUESTS.PublishUpload>;
export type ReportGame = Static<typeof REQUESTS.ReportGame>;
export type ResolveReport = Static<typeof REQUESTS.ResolveReport>;
export type EditUser = Static<typeof REQUESTS.EditUser>;
export type TakeDown = Static<typeof REQUESTS.TakeDown>;

const limit = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,9}$',
    title: 'limit',
    description: `a whole number from 1, such as ${LIMITS.list_default}`,
  }),
);
const cursor = Type.Optional(Type.String({ minLength: 1, maxLength: 512, title: 'cursor' }));

/** Queries. Numbers are text, as in every URL. The server accepts a `limit` from 1 to `list_maximum`. */
export const QUERIES = {
  none: closed({}),
  list: closed({ limit, cursor }),
  projects: closed({
    limit,
    cursor,
    slug: Type.Optional(prose('slug', 64)),
  }),
  home: closed({
    limit,
    cursor,
    category: Type.Optional(CategoryName),
    tag: Type.Optional(
      Type.String({
        minLength: LIMITS.tag_minimum_characters,
        maxLength: LIMITS.tag_characters,
        ...TAG,
      }),
    ),
  }),
  stats: closed({
    days: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,4}$',
        title: 'number of days',
        description: 'a whole number from 1, such as 30',
      }),
    ),
  }),
  search: closed({
    q: Type.String({ minLength: 1, maxLength: 200, title: 'search text' }),
    limit,
  }),
  /** `q` is a part of the name or of the e-mail address, or a user id. */
  adminUsers: closed({
    limit,
    cursor,
    q: Type.Optional(prose('search text', 200)),
    role: Type.Optional(Role),
    suspended: Type.Optional(Type.Enum(['true', 'false'], { title: 'suspended' })),
  }),
  /** `q` is a part of the title or of a slug, or the id of a game. */
  adminGames: closed({
    limit,
    cursor,
    q: Type.Optional(prose('search text', 200)),
    developer: Type.Optional(prose('developer', 64)),
    status: Type.Optional(Type.Enum(['draft', 'published'], { title: 'status' })),
    taken_down: Type.Optional(Type.Enum(['true', 'false'], { title: 'taken down' })),
  }),
  /** `game` and `developer` are ids. */
  adminReports: closed({
    limit,
    cursor,
    state: Type.Optional(Type.Enum(['open', 'resolved'], { title: 'state' })),
    reason: Type.Optional(ReportReason),
    game: Type.Optional(prose('game', 64)),
    developer: Type.Optional(prose('developer', 64)),
  }),
  /** `subject` is an id; `uid` is that of the user who did it; `action` may end with `.` for all that begin so, such as `game.`. */
  audit: closed({
    limit,
    cursor,
    subject: Type.Optional(prose('subject', 64)),
    uid: Type.Optional(prose('user id', 64)),
    action: Type.Optional(prose('action', 64)),
  }),
  exportAccount: closed({
    builds: Type.Optional(Type.Enum(['true', 'false'], { title: 'builds' })),
  }),
  publish: closed({
    dry_run: Type.Optional(Type.Enum(['true', 'false'], { title: 'dry run' })),
    stage: Type.Optional(Type.Enum(['true', 'false'], { title: 'stage' })),
    preview: Type.Optional(previewName(LIMITS)),
  }),
} as const;

/** Path parameters. Any text is valid: an unknown name is 404, not 400. */
export const PARAMS = {
  none: Type.Object({}),
  id: Type.Object({ id: Type.String({ title: 'id' }) }),
  uid: Type.Object({ uid: Type.String({ title: 'user id' }) }),
  slug: Type.Object({ slug: Type.String({ title: 'slug' }) }),
  report: Type.Object({ report: Type.String({ title: 'report' }) }),
  token: Type.Object({
    uid: Type.String({ title: 'user id' }),
    token: Type.String({ title: 'token' }),
  }),
  release: Type.Object({
    id: Type.String({ title: 'id' }),
    version: Type.String({ title: 'version' }),
  }),
  upload: Type.Object({
    id: Type.String({ title: 'id' }),
    upload: Type.String({ title: 'upload' }),
  }),
  publisher: Type.Object({
    id: Type.String({ title: 'id' }),
    publisher: Type.String({ title: 'publisher' }),
  }),
  preview: Type.Object({
    id: Type.String({ title: 'id' }),
    preview: Type.String({ title: 'preview' }),
  }),
  part: Type.Object({
    id: Type.String({ title: 'id' }),
    upload: Type.String({ title: 'upload' }),
    part: Type.String({ title: 'part' }),
  }),
} as const;
