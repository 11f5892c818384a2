// A command below `svc-platform admin`: its words, its options, and what it does.
import type { ParseArgsConfig } from 'node:util';
import { LISTED_FAULTS } from '@svc/contracts/faults';
import { cleanLine } from '@svc/contracts/platform';
import stringWidth from 'string-width';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Admin } from '../../admin/act.ts';
import { findUsersByName } from '../../admin/find-users.ts';
import type { UsersTable } from '../../database/schema.ts';
import { checkTexts } from '../../http/check-texts.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command works with. */
export type Call = {
  readonly admin: Admin;
  /** The arguments that are not options, as many as the command takes. */
  readonly words: readonly string[];
  /** Returns the value of an option; undefined if it is not given. */
  readonly text: (option: string) => string | undefined;
  /** Returns whether an option without a value is given. */
  readonly has: (option: string) => boolean;
  /** Whether results are printed as JSON lines. */
  readonly json: boolean;
  readonly print: (line: string) => void;
  /** Resolves when what was printed has been taken, so that a long list does not wait in memory. */
  readonly printed: () => Promise<void>;
};

export type AdminCommand = {
  /** Its words after `admin`. */
  readonly name: string;
  /** The names of its arguments. */
  readonly takes: readonly string[];
  /** Its options as the help shows them; empty if it has none. */
  readonly optionHelp: string;
  readonly options: Options;
  readonly run: (call: Call) => Promise<void>;
};

/** Lists are cut after this many entries, unless an option says otherwise. */
const LISTED = 50;
const BETWEEN = '  ';

/** Returns the user with this id or e-mail address. Throws if there is none, or several. */
export async function userOf({ db }: Admin, name: string): Promise<UsersTable> {
  const users = await findUsersByName(db, name);
  const [user, other] = users;
  if (user === undefined) {
    throw new Error(
      `There is no user with the id or e-mail address "${name}". To find users: svc-platform admin user list --search TEXT`,
    );
  }
  if (other === undefined) return user;
  const uids = users.map(({ uid, issuer }) => `  ${uid} (signs in at ${issuer})`).join('\n');
  throw new Error(`Several users have the e-mail address "${name}". Use one of the ids:\n${uids}`);
}

/** Names a user for people: the name and the id. */
export function naming({ name, uid }: Pick<UsersTable, 'name' | 'uid'>): string {
  return `${cleanLine(name)} (${uid})`;
}

/** Checks a body that would be sent to the API, because its texts are shown to others. Throws with a message for people. */
export function checkBody(schema: TSchema, body: Readonly<Record<string, unknown>>): void {
  const faults = Value.Errors(schema, body).slice(0, LISTED_FAULTS);
  for (const { instancePath, message } of faults) {
    throw new Error(`Cannot use this ${instancePath.slice(1)}: it ${message}`);
  }
  checkTexts(body);
}

/** Reads a whole number from `least`. Throws for others. */
export function readCount(option: string, text: string, least: 0 | 1 = 0): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`Cannot use --${option} "${text}". Allowed: whole numbers from ${least}`);
}

/** Reads how many entries of a list are wanted. All of them for JSON, which programs read. */
function readMost({ text, json }: Pick<Call, 'text' | 'json'>): number {
  const limit = text('limit');
  if (limit !== undefined) return readCount('limit', limit, 1);
  return json ? Number.POSITIVE_INFINITY : LISTED;
}

/** One page of a list. */
type Page<Entry> = { readonly entries: readonly Entry[]; readonly next_cursor: string | null };

/** Reads pages until there are as many entries as are wanted. `isCut` is whether there are more. */
export async function readList<Entry>(
  call: Pick<Call, 'text' | 'json' | 'printed'>,
  readPage: (cursor: string | undefined) => Promise<Page<Entry>>,
  onEntry: (entry: Entry) => void,
): Promise<{ readonly isCut: boolean }> {
  let left = readMost(call);
  let cursor: string | undefined;
  for (;;) {
    const { entries, next_cursor } = await readPage(cursor);
    for (const entry of entries.slice(0, left)) onEntry(entry);
    const isCut = entries.length > left || (entries.length === left && next_cursor !== null);
    await call.printed();
    left -= entries.length;
    if (isCut || next_cursor === null) return { isCut };
    cursor = next_cursor;
  }
}

/** Formats rows below their titles. Characters that a terminal would obey are removed. */
function formatRows(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [titles, ...rows.map((row) => row.map(cleanLine))];
  const widths = titles.map((_, at) =>
    cells.reduce((widest, row) => Math.max(widest, stringWidth(row[at] ?? '')), 0),
  );
  const pad = (cell: string, at: number) =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)));
  return cells.map((row) => row.map(pad).join(BETWEEN).trimEnd());
}

/** Prints a list: as JSON lines, or as rows with a remark if it is cut or empty. */
export function printRows(
  { print }: Pick<Call, 'print'>,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { isCut, nothing }: { readonly isCut: boolean; readonly nothing: string },
): void {
  const isEmpty = rows.length === 0 && !isCut;
  for (const line of isEmpty ? [nothing] : formatRows(titles, rows)) print(line);
  if (isCut) print('There are more. Use a larger --limit');
}

/** Prints fields, each on its line. Those without a value are left out. */
export function printFields(
  { print }: Pick<Call, 'print'>,
  fields: readonly (readonly [name: string, value: string | null])[],
): void {
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  for (const [name, value] of fields) {
    if (value !== null) print(`${name.padEnd(width)}${BETWEEN}${cleanLine(value)}`);
  }
}

/** Formats a time to the second. */
export function shortTime(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`;
}

/** Describes a suspension or a take-down. */
export function describeRestriction(
  restriction: { readonly at: string; readonly reason: string | null } | null,
): string | null {
  if (restriction === null) return null;
  const why = restriction.reason === null ? ', without a reason' : `: ${restriction.reason}`;
  return `${shortTime(restriction.at)}${why}`;
}
