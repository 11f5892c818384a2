// `svc-platform`. Chooses the command. Only this file and the commands use the process's arguments, environment and signals.
import { endWithError, readSettingsInFiles } from '@svc/serve';
import manifest from '../package.json' with { type: 'json' };
import { admin } from './commands/admin/admin.ts';
import { backup } from './commands/backup/backup.ts';
import { backups } from './commands/backup/backups.ts';
import { restore } from './commands/backup/restore.ts';
import { check } from './commands/check.ts';
import type { Command } from './commands/command.ts';
import { migrate } from './commands/migrate.ts';
import { serve } from './commands/serve.ts';
import { testMail } from './commands/test-mail.ts';

/** The commands by name. Without a name, the server starts. */
const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['migrate', migrate],
  ['check', check],
  ['backup', backup],
  ['backups', backups],
  ['restore', restore],
  ['admin', admin],
  ['test-mail', testMail],
]);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === '--version') {
    process.stdout.write(`${manifest.version}\n`);
    return;
  }
  const named = COMMANDS.get(args[0] ?? '');
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(describe(named === undefined ? [serve, ...COMMANDS.values()] : [named]));
    return;
  }
  const environment = readSettingsInFiles(process.env);
  if (named === undefined) await serve.run(args, environment);
  else await named.run(args.slice(1), environment);
}

function describe(commands: readonly Command[]): string {
  const parts = commands.map(({ usage, help }) => `${usage}\n\n${help}`);
  return `${parts.join('\n')}\nsvc-platform --version\n\nEnvironment variables (SVC_…) contain the settings. See docs/platform-api.md.\n`;
}

main().catch(endWithError);
