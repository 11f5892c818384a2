// `svc-platform backup`: stores the database and the files of the platform in a target, and ends.
import { parseArgs } from 'node:util';
import { openServerLog } from '@svc/observe';
import { openTarget } from '../../backup/open-target.ts';
import { createSeal } from '../../backup/sealing.ts';
import { writeBackup } from '../../backup/write-backup.ts';
import { hasDatabase, openBareDatabase } from '../../database/bare-database.ts';
import { readBackupTarget } from '../../start/backup-target.ts';
import { openStores } from '../../start/open-stores.ts';
import { readSettings } from '../../start/settings.ts';
import type { Command } from '../command.ts';
import { chooseDataDir, DATA_DIR } from '../data-dir.ts';
import { readWords } from '../read-words.ts';
import { interruptible } from './interruptible.ts';
import { count, mebibytes, print, readKeys, warn } from './words.ts';

/** The exit code if files are missing in the backup. */
const LOST = 1;

export const backup: Command = {
  usage: `svc-platform backup TARGET [--recipient age1…]… [--recipients-file FILE] [--data-dir DIR] [--json]`,
  help: `  Stores the database and all files in TARGET: a folder, or s3://BUCKET/PREFIX?endpoint=https://…&region=…
  Servers may run meanwhile. Only contents that TARGET lacks are copied. Exits with 1 if files are missing or damaged.

  --recipient KEY         encrypt the backup for this public key of age; may be repeated
  --recipients-file FILE  encrypt it for the public keys in the file, one on each line
  --data-dir DIR          folder of the server (default: SVC_DATA_DIR, or ./svc-data)
  --json                  print {"event":"backed_up","id":…,"files":…,"copied":…,"copied_bytes":…,"lost":[…]}
`,
  async run(args, environment) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        recipient: { type: 'string', multiple: true, default: [] },
        'recipients-file': { type: 'string' },
        ...DATA_DIR,
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const [address = ''] = readWords('backup', ['TARGET'], positionals);
    const settings = readSettings(environment);
    const file = values['recipients-file'];
    const seal = createSeal([
      ...values.recipient,
      ...(file === undefined ? [] : await readKeys(file)),
    ]);
    const dataDir = chooseDataDir(values, settings);
    const { databaseUrl, databaseTimeoutMs: timeoutMs } = settings;
    const place = { dataDir, databaseUrl, timeoutMs };
    if (!hasDatabase(place)) {
      throw new Error(
        `Cannot back up "${dataDir}": it contains no database. Name the folder of the server with --data-dir, or set SVC_DATABASE_URL`,
      );
    }
    const interrupted =
      'The backup was interrupted. The next one uses the contents that were copied';
    await interruptible(interrupted, async (signal) => {
      using target = await openTarget(readBackupTarget(address, environment), true);
      const log = openServerLog(settings.observe);
      await using ending = new AsyncDisposableStack();
      ending.defer(log.flush);
      // A backup changes no schema.
      const options = { dataDir, settings: { ...settings, migrate: false }, log };
      await using stores = await openStores(options);
      await using bare = await openBareDatabase(place);
      const { snapshot, copied, copiedBytes } = await writeBackup({ ...stores, bare }, target, {
        ...{ seal, signal },
        onLost: (fault, key) => warn(`The file "${key}" is ${fault}, and not in the backup`),
      });
      const { id, files, lost } = snapshot;
      if (lost.length > 0) process.exitCode = LOST;
      print(
        values.json
          ? JSON.stringify({
              ...{ event: 'backed_up', id, files: files.length, copied },
              ...{ copied_bytes: copiedBytes, lost },
            })
          : `Backed up ${count(files.length, 'file')} as ${id}, of which ${count(copied, 'content')} (${mebibytes(copiedBytes)}) were new`,
      );
      if (lost.length > 0) {
        warn(
          `${count(lost.length, 'file')} could not be backed up. Run "svc-platform check" to see what needs them`,
        );
      }
    });
  },
};
