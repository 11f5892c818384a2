// Migration 0010: one manifest per release instead of a row per file, and attempts instead of claims.
import { type Kysely, sql } from 'kysely';
import { encodeManifest, type ManifestFile } from './manifest.ts';
import { newId } from './new-id.ts';

/** The place of all contents that older versions stored. */
const OLD_PLACE = 'files';
const RELEASES_AT_ONCE = 100;

/** Creates the new tables, converts all rows, and drops the old tables. Files in the store stay where they are. */
export async function migrateToManifests(
  db: Kysely<unknown>,
  bytes: 'bytea' | 'blob',
): Promise<void> {
  await createManifests(db, bytes);
  await addColumns(db);
  await createAttempts(db);
  await convertReleases(db);
  await convertKeptFiles(db);
  // Publishes that were cut off may have left files that no row refers to.
  await sql`insert into removals (id, game_id, kind, created_at)
    select distinct 'claims of ' || game_id, game_id, 'unused', 0 from claims`.execute(db);
  for (const table of ['claims', 'kept_files', 'release_files', 'contents']) {
    await db.schema.dropTable(table).execute();
  }
}

async function createManifests(db: Kysely<unknown>, bytes: 'bytea' | 'blob'): Promise<void> {
  await db.schema
    .createTable('manifests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('release_id', 'text', (column) =>
      column.notNull().references('releases.id').onDelete('cascade'),
    )
    .addColumn('content', bytes, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('manifests_of_release')
    .on('manifests')
    .columns(['release_id'])
    .execute();
  await db.schema
    .createTable('kept_manifests')
    .addColumn('manifest_id', 'text', (column) =>
      column.primaryKey().references('manifests.id').onDelete('cascade'),
    )
    .addColumn('game_id', 'text', (column) =>
      column.notNull().references('games.id').onDelete('cascade'),
    )
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  for (const column of ['game_id', 'until']) {
    await db.schema
      .createIndex(`kept_manifests_${column}`)
      .on('kept_manifests')
      .columns([column])
      .execute();
  }
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('releases').addColumn('place', 'text').execute();
  await db.schema.alterTable('releases').addColumn('manifest_id', 'text').execute();
  await db.schema.alterTable('media').addColumn('place', 'text').execute();
  await db.schema
    .alterTable('games')
    .addColumn('content_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update games set content_bytes = coalesce((
    select sum(bytes + coalesce(gzip_bytes, 0) + coalesce(br_bytes, 0))
    from contents where contents.game_id = games.id), 0)`.execute(db);
}

async function createAttempts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('attempts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('game_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('beat_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('attempts_of_game').on('attempts').columns(['game_id']).execute();
  // Upkeep looks for these. Committed attempts are many.
  await db.schema
    .createIndex('attempts_not_committed')
    .on('attempts')
    .columns(['state', 'beat_at'])
    .where(sql<boolean>`${sql.ref('state')} <> 'committed'`)
    .execute();
  await db.schema
    .createIndex('attempts_one_publish')
    .unique()
    .on('attempts')
    .columns(['game_id'])
    .where(sql<boolean>`${sql.ref('state')} = 'open' and ${sql.ref('kind')} = 'publish'`)
    .execute();
}

type OldFile = Omit<ManifestFile, 'place'>;

async function convertReleases(db: Kysely<unknown>): Promise<void> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string }>`select id from releases
      where deleted_at is null and id > ${last} order by id limit ${RELEASES_AT_ONCE}`.execute(db);
    for (const { id } of rows) {
      const files = await sql<OldFile>`select file.path, file.hash, file.type, file.encoding,
          file.bytes, file.inner_bytes, file.hashed_name, content.gzip_bytes, content.br_bytes
        from release_files as file
        join releases on releases.id = file.release_id
        join contents as content
          on content.game_id = releases.game_id and content.hash = file.hash
        where file.release_id = ${id} order by file.path`.execute(db);
      await insertManifest(db, id, id, files.rows);
      await sql`update releases set manifest_id = ${id} where id = ${id}`.execute(db);
      last = id;
    }
    if (rows.length < RELEASES_AT_ONCE) return;
  }
}

async function convertKeptFiles(db: Kysely<unknown>): Promise<void> {
  const kept = await sql<{ game_id: string; release_id: string; until: number }>`
    select game_id, release_id, max(until) as until from kept_files
    group by game_id, release_id`.execute(db);
  for (const { game_id, release_id, until } of kept.rows) {
    const files = await sql<OldFile>`select file.path, file.hash, file.type, file.encoding,
        file.bytes, file.inner_bytes, file.hashed_name, content.gzip_bytes, content.br_bytes
      from kept_files as file
      join contents as content on content.game_id = file.game_id and content.hash = file.hash
      where file.game_id = ${game_id} and file.release_id = ${release_id}
      order by file.path`.execute(db);
    const id = newId();
    await insertManifest(db, id, release_id, files.rows);
    await sql`insert into kept_manifests (manifest_id, game_id, until)
      values (${id}, ${game_id}, ${until})`.execute(db);
  }
}

async function insertManifest(
  db: Kysely<unknown>,
  id: string,
  releaseId: string,
  rows: readonly OldFile[],
): Promise<void> {
  const content = await encodeManifest(rows.map((row) => ({ ...row, place: OLD_PLACE })));
  await sql`insert into manifests (id, release_id, content)
    values (${id}, ${releaseId}, ${content})`.execute(db);
}
