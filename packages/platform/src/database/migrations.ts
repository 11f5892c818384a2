// The migrations, for SQLite and PostgreSQL. A released migration is never edited.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { migrateToManifests } from './migrate-to-manifests.ts';

/** Names the migrations with which programs can work that do not know them. */
export const COMPATIBLE_TABLE = 'compatible_migrations';

/**
 * Returns the migrations of one engine by name, in order. A migration with which the previous version of the program can
 * work inserts its name into `compatible_migrations`. Then both versions can run during an upgrade.
 */
export function migrationsFor(engine: 'sqlite' | 'postgres'): Record<string, Migration> {
  // Both engines compare words by their bytes. PostgreSQL needs a collation for that.
  const bytes = engine === 'postgres' ? 'bytea' : 'blob';
  const word = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  return {
    '0001_people': { up: createPeople },
    '0002_games': { up: createGames },
    '0003_releases': { up: createReleases },
    '0004_finding': { up: (db) => createFinding(db, word) },
    '0005_upkeep': { up: createUpkeep },
    '0006_secrets': { up: createSecrets },
    '0007_avatars': { up: (db) => createAvatars(db, bytes) },
    '0008_kept_files_of_release': { up: nameReleaseOfKeptFiles },
    '0009_notify_of_changes': { up: engine === 'postgres' ? notifyOfChanges : async () => {} },
    '0010_manifests': { up: (db) => migrateToManifests(db, bytes) },
    '0011_compatible_migrations': { up: createCompatibleMigrations },
    '0012_hashes_of_media': { up: addHashesOfMedia },
    '0013_profiling': { up: addProfiling },
    '0014_uploads': { up: (db) => addUploads(db, bytes) },
    '0015_previews': { up: addPreviews },
    '0016_replaced_releases': { up: addReplacedReleases },
    '0017_publishers': { up: addPublishers },
    '0018_page_slugs': { up: (db) => addPageSlugs(db, engine) },
    '0019_daily_counts': { up: addDailyCounts },
    '0020_administration': { up: addAdministration },
    '0021_reports': { up: addReports },
    '0022_accounts': { up: addAccounts },
    '0023_deleted_games': { up: addDeletedGames },
    '0024_backups': { up: addBackups },
    '0025_rate_limits': { up: (db) => addRateLimits(db, engine) },
  };
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('uid', 'text', (column) => column.primaryKey())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('sub', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('avatar', 'text')
    .addColumn('name_edited', 'integer', (column) => column.notNull())
    .addColumn('avatar_edited', 'integer', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('users_identity', ['issuer', 'sub'])
    .execute();
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('uid', 'text', (column) => column.notNull().references('users.uid'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('projects', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('tokens_of_user')
    .on('tokens')
    .columns(['uid', 'created_at desc', 'id desc'])
    .execute();
}

async function createGames(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('games')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('developer_uid', 'text', (column) => column.notNull().references('users.uid'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('engine', 'text', (column) => column.notNull())
    .addColumn('tagline', 'text')
    .addColumn('description', 'text')
    .addColumn('category', 'text')
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('layout', 'text')
    .addColumn('isolation', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('live_release_id', 'text')
    .addColumn('banner_id', 'text')
    .addColumn('cover_id', 'text')
    .addColumn('trailer_id', 'text')
    .addColumn('screenshots', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('published_at', 'bigint')
    .execute();
  const published = sql.ref('status');
  const index = (name: string, columns: string[]) =>
    db.schema
      .createIndex(name)
      .on('games')
      .columns(columns)
      .where(sql<boolean>`${published} = 'published'`);
  await index('games_newest', ['published_at desc', 'id desc']).execute();
  await index('games_by_category', ['category', 'published_at desc', 'id desc']).execute();
  await index('games_public_of_developer', [
    'developer_uid',
    'published_at desc',
    'id desc',
  ]).execute();
  await db.schema
    .createIndex('games_of_developer')
    .on('games')
    .columns(['developer_uid', 'created_at desc', 'id desc'])
    .execute();
  await db.schema
    .createTable('slugs')
    .addColumn('slug', 'text', (column) => column.primaryKey())
    .addColumn('developer_uid', 'text', (column) => column.notNull())
    .execute();
}

async function createReleases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('releases')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('notes', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('zip_bytes', 'bigint', (column) => column.notNull())
    .addColumn('expanded_bytes', 'bigint', (column) => column.notNull())
    .addColumn('file_count', 'integer', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('isolation', 'text', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addUniqueConstraint('releases_version', ['game_id', 'version'])
    .execute();
  await db.schema
    .createIndex('releases_of_game')
    .on('releases')
    .columns(['game_id', 'created_at desc', 'id desc'])
    .execute();
  await db.schema
    .createTable('contents')
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('gzip_bytes', 'bigint')
    .addColumn('br_bytes', 'bigint')
    .addPrimaryKeyConstraint('contents_key', ['game_id', 'hash'])
    .execute();
  const files = (table: string, owner: string, of: string) =>
    db.schema
      .createTable(table)
      .addColumn(owner, 'text', (column) => column.notNull().references(of).onDelete('cascade'))
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('encoding', 'text')
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('inner_bytes', 'bigint', (column) => column.notNull())
      .addColumn('hashed_name', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, [owner, 'path'] as never[]);
  await files('release_files', 'release_id', 'releases.id').execute();
  await files('kept_files', 'game_id', 'games.id')
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('kept_files_until').on('kept_files').columns(['until']).execute();
}

async function createFinding(db: Kysely<unknown>, word: ReturnType<typeof sql>): Promise<void> {
  await db.schema
    .createTable('game_tags')
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('category', 'text')
    .addColumn('published_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('game_tags_key', ['game_id', 'tag'])
    .execute();
  await db.schema
    .createIndex('game_tags_newest')
    .on('game_tags')
    .columns(['tag', 'published_at desc', 'game_id desc'])
    .execute();
  await db.schema
    .createIndex('game_tags_by_category')
    .on('game_tags')
    .columns(['tag', 'category', 'published_at desc', 'game_id desc'])
    .execute();
  await db.schema
    .createTable('search_terms')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('term', word as never, (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('search_terms_key', ['subject_id', 'kind', 'term'])
    .execute();
  await db.schema
    .createIndex('search_terms_newest')
    .on('search_terms')
    .columns(['kind', 'term', 'at desc', 'subject_id desc'])
    .execute();
}

async function createUpkeep(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('media')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('alt', 'text')
    .addColumn('variants', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('media_of_game').on('media').columns(['game_id']).execute();
  await db.schema
    .createTable('claims')
    .addColumn('game_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('beat_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('claims_key', ['game_id', 'kind'])
    .execute();
  await db.schema
    .createTable('removals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('uid', 'text')
    .addColumn('token_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text')
    .execute();
  await db.schema.createIndex('audit_of_subject').on('audit').columns(['subject', 'id']).execute();
}

async function createSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}

/** Stores avatars in the database and removes addresses on other hosts, because those hosts learned about every visitor. */
async function createAvatars(db: Kysely<unknown>, bytes: 'bytea' | 'blob'): Promise<void> {
  await db.schema
    .createTable('avatars')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('uid', 'text', (column) => column.notNull().unique().references('users.uid'))
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('content', bytes, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('users').addColumn('avatar_id', 'text').execute();
  await sql`update users set avatar = null, avatar_edited = 0`.execute(db);
}

/**
 * Adds the release to kept files, so that they are deleted with it. Files of releases that were deleted before are no longer
 * public, and the next upkeep removes them.
 */
async function nameReleaseOfKeptFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('kept_files').addColumn('release_id', 'text').execute();
  await sql`update kept_files set release_id = (
    select releases.id from releases join release_files on release_files.release_id = releases.id
    where releases.game_id = kept_files.game_id
      and release_files.path = kept_files.path and release_files.hash = kept_files.hash
    order by releases.created_at desc limit 1)`.execute(db);
  await sql`insert into removals (id, game_id, kind, created_at)
    select distinct 'kept files of ' || game_id, game_id, 'unused', 0
    from kept_files where release_id is null`.execute(db);
  await sql`delete from kept_files where release_id is null`.execute(db);
}

/**
 * Notifies all processes of each change of a game (see `listen-for-changes.ts`). An update that changes nothing only locks the
 * row, and notifies nobody.
 */
async function notifyOfChanges(db: Kysely<unknown>): Promise<void> {
  await sql`create function svc_notify_of_game() returns trigger language plpgsql as $$
    begin
      perform pg_notify('svc_games', old.slug);
      if tg_op = 'UPDATE' and new.slug <> old.slug then
        perform pg_notify('svc_games', new.slug);
      end if;
      return null;
    end $$`.execute(db);
  await sql`create trigger games_changed after update on games for each row
    when (old.* is distinct from new.*) execute function svc_notify_of_game()`.execute(db);
  await sql`create trigger games_deleted after delete on games for each row
    execute function svc_notify_of_game()`.execute(db);
}

async function createCompatibleMigrations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable(COMPATIBLE_TABLE)
    .addColumn('name', 'text', (column) => column.primaryKey())
    .execute();
}

/** Adds the hashes with which files of media are checked. The variants have theirs in their JSON. Older rows have none. */
async function addHashesOfMedia(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('media').addColumn('hash', 'text').execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name)
    values ('0012_hashes_of_media')`.execute(db);
}

/** Adds the owner's setting that allows a game's pages to sample their own functions. */
async function addProfiling(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('games')
    .addColumn('profiling', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0013_profiling')`.execute(
    db,
  );
}

/** Adds uploads in parts, what was found in the files of a build, and releases whose ZIP is not stored. */
async function addUploads(db: Kysely<unknown>, bytes: 'bytea' | 'blob'): Promise<void> {
  await db.schema
    .createTable('uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('listing', bytes, (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('part_bytes', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('uploads_digest', ['game_id', 'digest'])
    .execute();
  await db.schema.alterTable('manifests').addColumn('facts', bytes).execute();
  await db.schema
    .alterTable('releases')
    .addColumn('zip_stored', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0014_uploads')`.execute(db);
}

/** Adds staged releases, and links to play a release. */
async function addPreviews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('releases')
    .addColumn('staged', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('previews')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('release_id', 'text', (column) =>
      column.notNull().references('releases.id').onDelete('cascade'),
    )
    .addColumn('name', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('owns_release', 'integer', (column) => column.notNull())
    .addUniqueConstraint('previews_name', ['game_id', 'name'])
    .execute();
  await db.schema.createIndex('previews_of_release').on('previews').column('release_id').execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0015_previews')`.execute(db);
}

/** Adds the time at which a release was replaced, whether players may still choose it, and the address at which the store shows it. */
async function addReplacedReleases(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('releases').addColumn('replaced_at', 'bigint').execute();
  await db.schema
    .alterTable('releases')
    .addColumn('playable', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('releases').addColumn('address', 'text').execute();
  await db.schema.alterTable('games').addColumn('address', 'text').execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name)
    values ('0016_replaced_releases')`.execute(db);
}

/** Adds trusted publishers, the tokens that they get for their identities, and where releases were built. */
async function addPublishers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('publishers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('audience', 'text')
    .addColumn('repository', 'text')
    .addColumn('repository_id', 'text')
    .addColumn('subject', 'text')
    .addColumn('branch', 'text')
    .addColumn('environment', 'text')
    .addColumn('workflow', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('publishers_of_game').on('publishers').column('game_id').execute();
  await db.schema
    .createTable('used_id_tokens')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('tokens').addColumn('publisher_id', 'text').execute();
  await db.schema.alterTable('tokens').addColumn('provenance', 'text').execute();
  await db.schema
    .createIndex('tokens_of_publisher')
    .on('tokens')
    .columns(['publisher_id', 'expires_at'])
    .where('publisher_id', 'is not', null)
    .execute();
  await db.schema.alterTable('releases').addColumn('provenance', 'text').execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0017_publishers')`.execute(
    db,
  );
}

/** Adds slugs of pages that differ from those of the addresses at which the games are played. */
async function addPageSlugs(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema.alterTable('games').addColumn('page_slug', 'text').execute();
  await db.schema
    .alterTable('slugs')
    .addColumn('game_id', 'text', (column) => column.references('games.id').onDelete('set null'))
    .execute();
  await db.schema
    .createIndex('slugs_of_game')
    .on('slugs')
    .column('game_id')
    .where('game_id', 'is not', null)
    .execute();
  if (engine === 'postgres') await notifyOfPageSlugs(db);
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0018_page_slugs')`.execute(
    db,
  );
}

/** A process that has found no game at a new slug looks again. */
async function notifyOfPageSlugs(db: Kysely<unknown>): Promise<void> {
  await sql`create or replace function svc_notify_of_game() returns trigger language plpgsql as $$
    begin
      perform pg_notify('svc_games', old.slug);
      if tg_op = 'UPDATE' and new.slug <> old.slug then
        perform pg_notify('svc_games', new.slug);
      end if;
      if tg_op = 'UPDATE' and new.page_slug is distinct from old.page_slug and new.page_slug is not null then
        perform pg_notify('svc_games', new.page_slug);
      end if;
      return null;
    end $$`.execute(db);
}

/** Adds the daily counts of plays, page views, sent bytes and missing files. */
async function addDailyCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('daily_counts')
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('daily_counts_key', ['game_id', 'day', 'kind', 'name'])
    .execute();
  await db.schema
    .createIndex('daily_counts_by_kind')
    .on('daily_counts')
    .columns(['kind', 'day'])
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0019_daily_counts')`.execute(
    db,
  );
}

/** Adds what administrators do: suspensions, quotas and ended sessions of users, and games and releases that are taken down. */
async function addAdministration(db: Kysely<unknown>): Promise<void> {
  const columns = {
    users: [
      ['role_chosen_at', 'bigint'],
      ['suspended_at', 'bigint'],
      ['suspended_reason', 'text'],
      ['sessions_ended_at', 'bigint'],
      ['quota_projects', 'integer'],
      ['quota_project_bytes', 'bigint'],
    ],
    games: [
      ['owner_status', 'text'],
      ['taken_down_at', 'bigint'],
      ['taken_down_reason', 'text'],
    ],
    releases: [
      ['taken_down_at', 'bigint'],
      ['taken_down_reason', 'text'],
    ],
    audit: [['operator', 'text']],
  } as const;
  for (const [table, added] of Object.entries(columns)) {
    for (const [name, type] of added) {
      await db.schema.alterTable(table).addColumn(name, type).execute();
    }
  }
  const index = (name: string, table: string, sorted: string[]) =>
    db.schema.createIndex(name).on(table).columns(sorted).execute();
  await index('users_newest_first', 'users', ['created_at desc', 'uid desc']);
  await index('games_newest_first', 'games', ['created_at desc', 'id desc']);
  await index('audit_of_user', 'audit', ['uid', 'id']);
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0020_administration')`.execute(
    db,
  );
}

/** Adds reports of games, notices to users, and the users' choice of e-mail. */
async function addReports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reports')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('game_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('developer_uid', 'text', (column) => column.notNull())
    .addColumn('version', 'text')
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('text', 'text')
    .addColumn('resolved_at', 'bigint')
    .addColumn('resolved_by', 'text')
    .addColumn('operator', 'text')
    .addColumn('outcome', 'text')
    .addColumn('note', 'text')
    .execute();
  await db.schema
    .createTable('notices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('uid', 'text', (column) =>
      column.notNull().references('users.uid').onDelete('cascade'),
    )
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('game_id', 'text')
    .addColumn('title', 'text')
    .addColumn('slug', 'text')
    .addColumn('version', 'text')
    .addColumn('detail', 'text')
    .addColumn('read_at', 'bigint')
    .addColumn('mail_at', 'bigint')
    .addColumn('mail_tries', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('users').addColumn('mail_off', 'text').execute();
  const index = (name: string, table: string, sorted: string[]) =>
    db.schema.createIndex(name).on(table).columns(sorted);
  await index('reports_of_game', 'reports', ['game_id', 'id']).execute();
  await index('reports_of_developer', 'reports', ['developer_uid', 'id']).execute();
  await index('reports_open', 'reports', ['id']).where('resolved_at', 'is', null).execute();
  await index('reports_resolved', 'reports', ['resolved_at'])
    .where('resolved_at', 'is not', null)
    .execute();
  await index('notices_of_user', 'notices', ['uid', 'id']).execute();
  await index('notices_unread', 'notices', ['uid']).where('read_at', 'is', null).execute();
  await index('notices_to_mail', 'notices', ['mail_at']).where('mail_at', 'is not', null).execute();
  await index('notices_by_time', 'notices', ['at']).execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0021_reports')`.execute(db);
}

/** Adds deleted accounts, and sessions that an identity provider has ended. */
async function addAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('deleted_at', 'bigint').execute();
  await db.schema
    .createTable('ended_sessions')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('ended_sessions_until')
    .on('ended_sessions')
    .column('until')
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0022_accounts')`.execute(db);
}

/** Adds the time at which the owner of a game deleted it. */
async function addDeletedGames(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('games').addColumn('deleted_at', 'bigint').execute();
  await db.schema
    .createIndex('games_deleted')
    .on('games')
    .column('deleted_at')
    .where('deleted_at', 'is not', null)
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0023_deleted_games')`.execute(
    db,
  );
}

/** Adds finished backups, and the holds that keep files from being removed during a backup. */
async function addBackups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backups')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('removal_holds')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0024_backups')`.execute(db);
}

/** Adds the buckets of rate limits, which all processes share. SQLite has one process, which keeps them in memory. */
async function addRateLimits(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'postgres') {
    // Without a log of its changes it is faster. After a crash of PostgreSQL it is empty: all buckets are full.
    await sql`create unlogged table rate_limits (
      key text primary key, full_at bigint not null, period bigint not null, fits boolean not null
    )`.execute(db);
  }
  await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (name) values ('0025_rate_limits')`.execute(
    db,
  );
}
