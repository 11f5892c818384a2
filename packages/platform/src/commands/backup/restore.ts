// `svc-platform restore`: restores a backup into an empty database and a file store, and ends.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openServerLog } from '@svc/observe';
import { makeDataDir } from '@svc/serve';
import { openTarget } from '../../backup/open-target.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { openBareDatabase } from '../../database/bare-database.ts';
import { openSpool } from '../../files/spool.ts';
import { createMetrics } from '../../metrics/metrics.ts';
import { readBackupTarget } from '../../start/backup-target.ts';
import { openFiles } from '../../start/open-files.ts';
import { readSettings } from '../../start/settings.ts';
import type { Command } from '../command.ts';
import { chooseDataDir, DATA_DIR } from '../data-dir.ts';
import { readWords } from '../read-words.ts';
import { interruptible } from './interruptible.ts';
import { count, newestId, print, readUnseal, warn } from './words.ts';

/** The exit code if files could not be restored. */
const FAULTS = 1;

export const restore: Command = {
  usage: 'svc-platform restore TARGET [ID] [--identity FILE] [--data-dir DIR] [--json]',
  help: `  Restores the newest backup in TARGET, or the one with the ID, into an empty database and the file store of the settings.
  No server may run meanwhile. It can be repeated if it was interrupted. Exits with 1 if files could not be restored.

  --identity FILE  the secret key of age, for an encrypted backup
  --data-dir DIR   folder of the server (default: SVC_DATA_DIR, or ./svc-data)
  --json           print {"event":"restored","id":…,"rows":…,"stored":…,"kept":…,"faults":…}
`,
  async run(args, environment) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        identity: { type: 'string' },
        ...DATA_DIR,
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const [address = '', wanted] = readWords('restore', ['TARGET', 'ID'], positionals, 1);
    const settings = readSettings(environment);
    const unseal = await readUnseal(values.identity);
    const dataDir = chooseDataDir(values, settings);
    const { databaseUrl, databaseTimeoutMs: timeoutMs } = settings;
    await interruptible('The restore was interrupted. Run it again', async (signal) => {
      using target = await openTarget(readBackupTarget(address, environment), false);
      const id = wanted ?? (await newestId(target));
      makeDataDir(dataDir);
      const log = openServerLog(settings.observe);
      await using ending = new AsyncDisposableStack();
      ending.defer(log.flush);
      await using bare = await openBareDatabase({ dataDir, databaseUrl, timeoutMs });
      using opened = await openFiles(dataDir, settings, createMetrics(), log);
      await using spool = openSpool(resolve(settings.spoolDir ?? resolve(dataDir, 'spool')));
      const { rows, stored, kept, faults } = await restoreBackup(
        { bare, files: opened.files, spool },
        target,
        id,
        { unseal, signal, onFault: warn },
      );
      if (faults > 0) process.exitCode = FAULTS;
      const there = kept === 0 ? '' : `. ${count(kept, 'file')} were there already`;
      print(
        values.json
          ? JSON.stringify({ event: 'restored', id, rows, stored, kept, faults })
          : `Restored ${id}: ${count(rows, 'row')}, ${count(stored, 'file')}${there}`,
      );
      if (faults > 0) {
        warn(
          `${count(faults, 'file')} could not be restored. "svc-platform check" names what needs them`,
        );
      }
    });
  },
};
