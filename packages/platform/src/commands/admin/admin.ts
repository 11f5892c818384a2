// `svc-platform admin`: what administrators do, from the command line of a machine with the server's settings. Servers may run meanwhile.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { codeOf } from '@svc/contracts/caught';
import { cleanLine } from '@svc/contracts/platform';
import type { Admin } from '../../admin/act.ts';
import { openDatabase, sqlitePath } from '../../database/open-database.ts';
import { readSettings } from '../../start/settings.ts';
import { addressesOf } from '../../start/start-platform.ts';
import type { Command } from '../command.ts';
import type { AdminCommand, Call } from './admin-command.ts';
import { auditCommand } from './audit-command.ts';
import { gameCommands } from './game-commands.ts';
import { reportCommands } from './report-commands.ts';
import { userCommands } from './user-commands.ts';

const COMMANDS: readonly AdminCommand[] = [
  ...userCommands,
  ...gameCommands,
  ...reportCommands,
  auditCommand,
];

/** The options of all commands. */
const SHARED = {
  'data-dir': { type: 'string', default: 'svc-data' },
  json: { type: 'boolean', default: false },
} as const;

export const admin: Command = {
  usage: COMMANDS.map(usageOf).join('\n'),
  help: `  What administrators do. Servers may run meanwhile: they use the new state within a second. Each act is recorded in the audit trail,
  with the name of your account on this machine. USER is the id or the e-mail address of a user, ROLE is player, developer or admin,
  REPORT is the id of a report.

  --reason TEXT   shown to the user, or to the owner of the game
  --version V     only this release of the game
  --note TEXT     shown to other administrators
  --whole-game    all open reports of the same game
  --yes           delete the account, with all projects. It cannot be undone
  --limit N       how many entries a list has (default 50; with --json all)
  --data-dir DIR  folder of the server (default ./svc-data)
  --json          print results as JSON lines
`,
  async run(args, environment) {
    const { command, rest } = findCommand(args);
    const options = { ...SHARED, ...command.options };
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    checkWords(command, positionals);
    const given: Readonly<Record<string, unknown>> = values;
    await using stack = new AsyncDisposableStack();
    const administrator = await openAdmin(stack, String(given['data-dir']), environment);
    const call: Call = {
      admin: administrator,
      words: positionals,
      text: (option) => (typeof given[option] === 'string' ? given[option] : undefined),
      has: (option) => given[option] === true,
      json: given['json'] === true,
      print: (line) => void process.stdout.write(`${line}\n`),
      async printed() {
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
      },
    };
    process.stdout.on('error', endOutput);
    await command.run(call);
  },
};

/** Ends the process if its output is closed, as by `head`: nobody reads the rest. */
function endOutput(error: Error): void {
  if (codeOf(error) === 'EPIPE') process.exit(0);
  throw error;
}

function usageOf({ name, takes, optionHelp }: AdminCommand): string {
  const words = [name, ...takes, optionHelp, '[--data-dir DIR] [--json]'];
  return `svc-platform admin ${words.filter(Boolean).join(' ')}`;
}

/** Finds the command by its first words. Throws if there is none, with the possible ones. */
function findCommand(args: readonly string[]): { command: AdminCommand; rest: string[] } {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, at) => args[at] === word)) {
      return { command, rest: args.slice(words.length) };
    }
  }
  const end = [...args, '-'].findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, Math.min(end, 2));
  const [first = ''] = words;
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const possible = (below.length > 0 ? below : COMMANDS).map(usageOf).join('\n  ');
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
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Admin> {
  const dataDir = resolve(folder);
  const settings = readSettings(environment);
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
  const actor = { operator: accountName(environment) };
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
