// `svc-platform migrate`: brings the database to the schema of this version, and ends.
import { parseArgs } from 'node:util';
import { makeDataDir } from '@svc/serve';
import { migrateDatabase } from '../database/open-database.ts';
import { readSettings } from '../start/settings.ts';
import type { Command } from './command.ts';
import { chooseDataDir, DATA_DIR } from './data-dir.ts';

export const migrate: Command = {
  usage: 'svc-platform migrate [--data-dir DIR] [--json]',
  help: `  --data-dir DIR  folder of the database, without SVC_DATABASE_URL (default: SVC_DATA_DIR, or ./svc-data)
  --json          print {"event":"migrated","applied":[…]}
`,
  async run(args, environment) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...DATA_DIR,
        json: { type: 'boolean', default: false },
      },
    });
    const settings = readSettings(environment);
    const { databaseUrl, databaseTimeoutMs: timeoutMs } = settings;
    const dataDir = chooseDataDir(values, settings);
    if (databaseUrl === null) makeDataDir(dataDir);
    const applied = await migrateDatabase(dataDir, databaseUrl, { timeoutMs });
    process.stdout.write(
      values.json ? `${JSON.stringify({ event: 'migrated', applied })}\n` : describe(applied),
    );
  },
};

function describe(applied: readonly string[]): string {
  if (applied.length === 0) return 'The database is up to date\n';
  return `${applied.map((name) => `Applied ${name}`).join('\n')}\nThe database is up to date\n`;
}
