// Runs a command of `svc-platform admin`: finds it, checks its words, and opens the database of the server.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { cleanLine } from '@svc/contracts/platform';
import type { Admin } from '../../admin/act.ts';
import { openDatabase, sqlitePath } from '../../database/open-database.ts';
import { readSettings, type Settings } from '../../start/settings.ts';
import { addressesOf } from '../../start/start-platform.ts';
import { chooseDataDir, DATA_DIR } from '../data-dir.ts';
import type { AdminCommand, Call } from './admin-command.ts';
import { auditCommand } from './audit-command.ts';
import { gameCommands } from './game-commands.ts';
import { reportCommands } from './report-commands.ts';
import { userCommands } from './user-commands.ts';

export const ADMIN_COMMANDS: readonly AdminCommand[] = [
  ...userCommands,
  ...gameCommands,
  ...reportCommands,
  auditCommand,
];

/** The options of all commands. */
const SHARED = {
  ...DATA_DIR,
  json: { type: 'boolean', default: false },
} as const;

/** Runs the command that the arguments name. Throws an error whose message is for people. */
export async function runAdminCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: Pick<Call, 'print' | 'printed'>,
): Promise<void> {
  const { command, rest } = findCommand(args);
  const options = { ...SHARED, ...command.options };
  const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
  checkWords(command, positionals);
  const given: Readonly<Record<string, unknown>> = values;
  await using stack = new AsyncDisposableStack();
  const settings = readSettings(environment);
  const dataDir = chooseDataDir(values, settings);
  const actor = { operator: accountName(environment) };
  await command.run({
    admin: await openAdmin(stack, dataDir, settings, actor),
    words: positionals,
    text: (option) => (typeof given[option] === 'string' ? given[option] : undefined),
    has: (option) => given[option] === true,
    json: given['json'] === true,
    ...output,
  });
}

/** Returns the line that shows how to call the command. */
export function usageOf({ name, takes, optionHelp }: AdminCommand): string {
  const words = [name, ...takes, optionHelp, '[--data-dir DIR] [--json]'];
  return `svc-platform admin ${words.filter(Boolean).join(' ')}`;
}

/** Finds the command by its first words. Throws if there is none, with the possible ones. */
function findCommand(args: readonly string[]): { command: AdminCommand; rest: string[] } {
  for (const command of ADMIN_COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, at) => args[at] === word)) {
      return { command, rest: args.slice(words.length) };
    }
  }
  const end = [...args, '-'].findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, Math.min(end, 2));
  const [first = ''] = words;
  const below = ADMIN_COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const possible = (below.length > 0 ? below : ADMIN_COMMANDS).map(usageOf).join('\n  ');
  throw new Error(
    `There is no command "${['admin', ...words].join(' ')}". Commands:\n  ${possible}`,
  );
}

function checkWords({ name, takes }: AdminCommand, words: readonly string[]): void {
  const missing = takes[words.length];
  if (missing !== undefined) throw new Error(`Cannot run "admin ${name}": ${missing} is missing`);
  const extra = words[takes.length];
  if (extra !== undefined) {
    throw new Error(`Cannot run "admin ${name}": "${extra}" is one argument too many`);
  }
}

/** Opens the database of the server. Its schema is not changed. */
async function openAdmin(
  stack: AsyncDisposableStack,
  dataDir: string,
  settings: Settings,
  actor: Admin['actor'],
): Promise<Admin> {
  const { databaseUrl, databaseTimeoutMs: timeoutMs, limits } = settings;
  if (databaseUrl === null && !existsSync(sqlitePath(dataDir))) {
    throw new Error(
      `Cannot open "${dataDir}": it contains no database. Name the folder of the server with --data-dir, or set SVC_DATABASE_URL`,
    );
  }
  const { db } = await openDatabase(dataDir, databaseUrl, {
    ...{ connections: 2, timeoutMs, migrate: false },
  });
  stack.defer(() => db.destroy());
  const addresses = addressesOf(settings);
  return { db, addresses, limits, now: Date.now, actor, caller: null };
}

/** Names the account that runs the command: with sudo the one that called it, and the number of an account without a name. */
function accountName({ SUDO_USER: caller }: Readonly<Record<string, string | undefined>>): string {
  const name = nameOfAccount();
  const isOther = caller !== undefined && caller !== '' && caller !== name;
  return cleanLine(isOther ? `${caller} as ${name}` : name);
}

function nameOfAccount(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the account may have no entry in /etc/passwd.
    return `uid ${process.getuid?.()}`;
  }
}
