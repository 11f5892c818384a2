// Loads the dumps of a backup into an empty database.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { sql } from 'kysely';
import type { BareDatabase } from '../database/bare-database.ts';
import { migrateTo } from '../database/migrate.ts';
import type { Db, Trx } from '../database/schema.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { writeStream } from '../files/write-stream.ts';
import { BackupFault } from './backup-fault.ts';
import type { ReadPart } from './parts.ts';
import { insertRows, parseRow, type Row } from './rows.ts';
import type { Snapshot } from './snapshot.ts';
import { TABLES } from './tables.ts';

/** Rows are inserted in portions of this many rows, or of the row that exceeds this size. */
const ROWS_AT_ONCE = 100;
const BYTES_AT_ONCE = 8 * 1024 * 1024;
/** Far above the largest row, and far below what fits in memory. */
const MOST_LINE_BYTES = 128 * 1024 * 1024;
const LINE_FEED = 10;

/** The local files of the dumps, in the order in which they are loaded. */
type LocalDumps = readonly { readonly name: string; readonly path: string }[];

/** Copies the dumps to local files. Throws if one is missing or damaged. */
export async function fetchDumps(
  { tables }: Snapshot,
  readPart: ReadPart,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<LocalDumps> {
  const dumps: { name: string; path: string }[] = [];
  for (const { name, hash, bytes } of tables) {
    signal.throwIfAborted();
    const path = folder.newFile();
    await writeStream(readPart({ folder: 'tables', hash, bytes }), path, () => {});
    dumps.push({ name, path });
  }
  return dumps;
}

/** Throws if a table of a backup has rows. Missing tables are empty. */
export async function throwUnlessEmpty(db: Db | Trx): Promise<void> {
  const found = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const { name } of TABLES.filter((table) => found.has(table.name))) {
    const { rows } = await sql`select 1 as one from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) continue;
    throw new Error(
      `Cannot restore: the database has data already (in ${name}). Name an empty folder with --data-dir, or an empty database with SVC_DATABASE_URL`,
    );
  }
}

/** Makes the schema of the backup, and loads all rows in one transaction, unless it is aborted. Returns their number. */
export async function loadDumps(
  { db, engine }: Pick<BareDatabase, 'db' | 'engine'>,
  { migrations }: Snapshot,
  dumps: LocalDumps,
  signal: AbortSignal,
): Promise<number> {
  await migrateTo(db, engine, migrations);
  return db.transaction().execute(async (trx) => {
    await throwUnlessEmpty(trx);
    const tables = new Set((await trx.introspection.getTables()).map((table) => table.name));
    let count = 0;
    for (const { name, path } of dumps) {
      // A forged backup may name a table of the database system.
      if (!tables.has(name)) throw new BackupFault(`The backup has an unknown table "${name}"`);
      for await (const rows of readInPortions(name, path)) {
        signal.throwIfAborted();
        await insertRows(trx, name, rows);
        count += rows.length;
      }
    }
    return count;
  });
}

/** Reads the rows of a dump. Throws a {@link BackupFault} if it is none: a forged backup has a hash that fits. */
async function* readInPortions(name: string, path: string): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  let bytes = 0;
  try {
    for await (const line of readLines(path)) {
      rows.push(parseRow(line.toString()));
      bytes += line.length;
      if (rows.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
  } catch (error) {
    throw new BackupFault(`The rows of "${name}" in the backup cannot be read`, { cause: error });
  }
  if (rows.length > 0) yield rows;
}

/** Only a line feed ends a line: texts contain the other line separators of Unicode. */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  // The loop throws its errors.
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => {});
  let line: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...line, chunk.subarray(start, end)]);
      line = [];
      bytes = 0;
      start = end + 1;
    }
    line.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > MOST_LINE_BYTES) throw new Error('A row is too long');
  }
  if (bytes > 0) throw new Error('The last line has no end');
}
