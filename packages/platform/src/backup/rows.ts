// Reads and writes the rows of tables whose columns are known only at run time, and their form as lines of JSON.
import { sql } from 'kysely';
import type { Db, Trx } from '../database/schema.ts';
import type { BackedUpTable } from './tables.ts';

/** A value of a column: times are numbers, and contents are bytes. */
type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

/** A row may have a manifest of several megabytes. */
const ROWS_AT_ONCE = 20;

/** Yields the rows of a table in the order of its key. */
export async function* readRows(
  db: Db | Trx,
  { name, key, only }: BackedUpTable,
): AsyncGenerator<Row> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const chosen = only === undefined ? sql`1 = 1` : sql`${sql.ref(only.column)} = ${only.value}`;
  for (let last: Row | undefined; ; ) {
    const from = last;
    const rest =
      from === undefined
        ? sql`1 = 1`
        : sql`(${columns}) > (${sql.join(key.map((one) => from[one]))})`;
    const { rows } = await sql<Row>`select * from ${sql.table(name)}
      where ${chosen} and ${rest} order by ${columns} limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** Inserts rows, which must all have the same columns. */
export async function insertRows(trx: Trx, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const values = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`,
  );
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((one) => sql.ref(one)))})
    values ${sql.join(values)}`.execute(trx);
}

/** Returns the line of a row, with its end. Bytes are `{"base64": "…"}`. */
export function formatRow(row: Row): string {
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
}

/** Reads the line of a row. Throws if it is not one. */
export function parseRow(line: string): Row {
  const read: unknown = JSON.parse(line);
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new Error('A row must be an object');
  return Object.fromEntries(
    Object.entries(read).map(([column, value]) => [column, parseValue(value)]),
  );
}

function parseValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  const isBytes = typeof value === 'object' && value !== null && 'base64' in value;
  if (!isBytes) throw new Error('A value must be a text, a number, bytes or null');
  return Buffer.from(String(value.base64), 'base64');
}
