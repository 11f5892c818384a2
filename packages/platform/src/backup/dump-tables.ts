// Dumps the tables of one state of the database to local files, as compressed lines of JSON.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../database/schema.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { writeStream } from '../files/write-stream.ts';
import { formatRow, readRows } from './rows.ts';
import { type BackedUpTable, TABLES } from './tables.ts';

/** The dump of a table in a local file. The hash and the size are those of the file. */
export type TableDump = {
  readonly name: string;
  readonly rows: number;
  readonly hash: string;
  readonly bytes: number;
  readonly path: string;
};

/** Dumps all tables of a backup. */
export async function dumpTables(
  db: Db,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<TableDump[]> {
  const dumps: TableDump[] = [];
  for (const table of TABLES) dumps.push(await dumpTable(db, table, folder.newFile(), signal));
  return dumps;
}

async function dumpTable(
  db: Db,
  table: BackedUpTable,
  path: string,
  signal: AbortSignal,
): Promise<TableDump> {
  let rows = 0;
  let bytes = 0;
  const hash = createHash('sha256');
  const lines = async function* formatRows(): AsyncGenerator<string> {
    for await (const row of readRows(db, table)) {
      rows++;
      yield formatRow(row);
    }
  };
  await pipeline(
    Readable.from(lines()),
    createGzip(),
    (compressed: AsyncIterable<Buffer>) =>
      writeStream(hashed(compressed, hash), path, (written) => {
        bytes = written;
      }),
    { signal },
  );
  return { name: table.name, rows, hash: hash.digest('hex'), bytes, path };
}

/** Yields the chunks, and adds them to the hash. */
export async function* hashed(
  chunks: AsyncIterable<Buffer>,
  hash: { update(chunk: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
