// `svc-platform admin`: what administrators do, from the command line of a machine with the server's settings. Servers may run meanwhile.
import { once } from 'node:events';
import { codeOf } from '@svc/contracts/caught';
import type { Command } from '../command.ts';
import { ADMIN_COMMANDS, runAdminCommand, usageOf } from './run-admin-command.ts';

export const admin: Command = {
  usage: ADMIN_COMMANDS.map(usageOf).join('\n'),
  help: `  What administrators do. Servers may run meanwhile: they use the new state within a second. Each act is recorded in the audit trail,
  with the name of your account on this machine, or of the one that called sudo. USER is the id or the e-mail address of a user, ROLE is
  player, developer or admin, REPORT is the id of a report.

  --reason TEXT   shown to the user, or to the owner of the game
  --version V     only this release of the game
  --note TEXT     shown to other administrators
  --whole-game    all open reports of the same game
  --yes           delete the account, with all projects. It cannot be undone
  --limit N       how many entries a list has (default 50; with --json all)
  --data-dir DIR  folder of the server (default: SVC_DATA_DIR, or ./svc-data)
  --json          print results as JSON lines
`,
  async run(args, environment) {
    process.stdout.on('error', endOutput);
    await runAdminCommand(args, environment, {
      print: (line) => void process.stdout.write(`${line}\n`),
      async printed() {
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
      },
    });
  },
};

/** Ends the process if its output is closed, as by `head`: nobody reads the rest. */
function endOutput(error: Error): void {
  if (codeOf(error) === 'EPIPE') process.exit(0);
  throw error;
}
