// What clients send to the platform: bodies, metadata parts, queries and path parameters. An unknown field is an error.
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import {
  PLATFORM_LIMITS as LIMITS,
  type PlatformLimits,
  SLUG_PATTERN,
  TAG_PATTERN,
  VERSION_PATTERN,
} from './platform-limits.ts';
import {
  CategoryName,
  Engine,
  Isolation,
  Nullable,
  PageLayout,
  ScopeName,
} from './platform-records.ts';

const strict = { additionalProperties: false } as const;
const closed = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, strict);
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

/** One line of text for people: something to read, and no control characters. */
const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$' });
/** Markdown; no NUL, which databases refuse. */
const prose = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });

const Id = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' });

/** The bodies, as a server with the given limits takes them. */
export function requestSchemas(limits: PlatformLimits) {
  const Title = line(limits.title_characters);
  const Tagline = Type.String({
    maxLength: limits.tagline_characters,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  });
  const Alt = Type.String({
    maxLength: limits.alt_characters,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  });
  const Description = prose(limits.description_characters);
  const Slug = Type.String({
    minLength: limits.slug_minimum_characters,
    maxLength: limits.slug_characters,
    pattern: SLUG_PATTERN,
  });
  const Tags = Type.Array(
    Type.String({
      minLength: limits.tag_minimum_characters,
      maxLength: limits.tag_characters,
      pattern: TAG_PATTERN,
    }),
    { maxItems: limits.tags, uniqueItems: true },
  );
  const Version = Type.String({
    minLength: 1,
    maxLength: limits.version_characters,
    pattern: VERSION_PATTERN,
  });
  return {
    OpenSession: closed({
      id_token: Type.String({ minLength: 1 }),
      role: maybe(Type.Enum(['player', 'developer'])),
    }),
    EditProfile: closed({
      name: Type.Optional(line(limits.name_characters)),
      // Text is let through so that the server can say how a picture is uploaded.
      avatar: Type.Optional(
        Type.Unsafe<null>({
          type: ['string', 'null'],
          maxLength: 2048,
          description:
            'null removes the picture. An address is rejected: upload an image with PUT /me/avatar.',
        }),
      ),
    }),
    CreateToken: closed({
      name: line(limits.name_characters),
      scopes: Type.Optional(Type.Array(ScopeName, { minItems: 1, uniqueItems: true })),
      projects: maybe(Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true })),
      expires_in_days: maybe(Type.Integer({ minimum: 1, maximum: limits.token_maximum_days })),
    }),
    CreateProject: closed({
      title: Title,
      slug: maybe(Slug),
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
    /** The `metadata` part of a store page update. Absent keeps, null clears. */
    StoreMetadata: closed({
      tagline: maybe(Tagline),
      description: maybe(Description),
      category: maybe(CategoryName),
      tags: maybe(Tags),
      layout: maybe(PageLayout),
      isolation: maybe(Isolation),
      /** Ids of screenshots that stay, and `new:N` for the N-th uploaded one (from 0), in the order shown. */
      screenshots: maybe(Type.Array(Type.String({ maxLength: 64 }), { uniqueItems: true })),
      /** What media show, for who can't see them: by `banner`, `cover`, `trailer`, a screenshot's id or `new:N`. */
      alt: Type.Optional(Type.Record(Type.String(), Nullable(Alt))),
      banner: Type.Optional(Type.Null()),
      cover: Type.Optional(Type.Null()),
      trailer: Type.Optional(Type.Null()),
    }),
    /** The text parts of a publish. */
    PublishFields: closed({
      version: Version,
      notes: Type.Optional(prose(limits.notes_characters)),
    }),
    Rollback: closed({ version: Version }),
  };
}

/** The schemas under the default limits: what the client's types are made from. */
export const REQUESTS = requestSchemas(LIMITS);
export type OpenSession = Static<typeof REQUESTS.OpenSession>;
export type EditProfile = Static<typeof REQUESTS.EditProfile>;
export type CreateToken = Static<typeof REQUESTS.CreateToken>;
export type CreateProject = Static<typeof REQUESTS.CreateProject>;
export type EditProject = Static<typeof REQUESTS.EditProject>;
export type StoreMetadata = Static<typeof REQUESTS.StoreMetadata>;
export type PublishFields = Static<typeof REQUESTS.PublishFields>;

const limit = Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' }));
const cursor = Type.Optional(Type.String({ minLength: 1, maxLength: 512 }));

/** Queries. Numbers are text here, as in every address; the server holds `limit` to 1 … `list_maximum`. */
export const QUERIES = {
  none: closed({}),
  list: closed({ limit, cursor }),
  projects: closed({
    limit,
    cursor,
    slug: Type.Optional(Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' })),
  }),
  home: closed({
    limit,
    cursor,
    category: Type.Optional(CategoryName),
    tag: Type.Optional(
      Type.String({
        minLength: LIMITS.tag_minimum_characters,
        maxLength: LIMITS.tag_characters,
        pattern: TAG_PATTERN,
      }),
    ),
  }),
  search: closed({ q: Type.String({ minLength: 1, maxLength: 200 }), limit }),
  publish: closed({ dry_run: Type.Optional(Type.Enum(['true', 'false'])) }),
} as const;

/** Path parameters. Any text is taken: what names nothing is 404, not 400. */
export const PARAMS = {
  none: Type.Object({}),
  id: Type.Object({ id: Type.String() }),
  uid: Type.Object({ uid: Type.String() }),
  slug: Type.Object({ slug: Type.String() }),
  release: Type.Object({ id: Type.String(), version: Type.String() }),
} as const;
