// `svc-platform backups`: lists, verifies and removes the backups in a target.
import { parseArgs } from 'node:util';
import { BackupFault } from '../../backup/backup-fault.ts';
import { openTarget } from '../../backup/open-target.ts';
import { pruneBackups } from '../../backup/prune-backups.ts';
import { listSnapshots, readSnapshot } from '../../backup/snapshot.ts';
import { verifyBackups } from '../../backup/verify-backup.ts';
import { readBackupTarget } from '../../start/backup-target.ts';
import { readSettings } from '../../start/settings.ts';
import type { Command } from '../command.ts';
import { readWords } from '../read-words.ts';
import { interruptible } from './interruptible.ts';
import { count, mebibytes, openOwnSpool, print, readUnseal, warn } from './words.ts';

/** The exit code if a backup is damaged. */
const DAMAGED = 1;

const JSON_OPTION = { json: { type: 'boolean', default: false } } as const;

const COMMANDS: Readonly<Record<string, Command['run']>> = { list, verify, prune };

export const backups: Command = {
  usage: `svc-platform backups list TARGET [--json]
svc-platform backups verify TARGET [ID] [--identity FILE] [--json]
svc-platform backups prune TARGET [--keep-last N] [--keep-days N] [--json]`,
  help: `  list    lists the backups in TARGET, the oldest first
  verify  reads every part of all backups, or of one, and compares its hash. Exits with 1 if one is missing or damaged
  prune   removes the backups that no rule keeps, and the contents that only they need. The newest backup always stays

  --identity FILE  the secret key of age, for an encrypted backup
  --keep-last N    keep the newest N backups
  --keep-days N    keep the backups of the last N days
  --json           print results as JSON lines
`,
  async run(args, environment) {
    const [name = '', ...rest] = args;
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) {
      const fault =
        name === '' ? 'The command is missing' : `There is no command "backups ${name}"`;
      throw new Error(`${fault}. Commands:\n${backups.usage}`);
    }
    await command(rest, environment);
  },
};

async function list(...[args, environment]: Parameters<Command['run']>): Promise<void> {
  const options = { args: [...args], options: JSON_OPTION, allowPositionals: true } as const;
  const { values, positionals } = parseArgs(options);
  const [address = ''] = readWords('backups list', ['TARGET'], positionals);
  using target = await openTarget(readBackupTarget(address, environment), false);
  const ids = await listSnapshots(target);
  if (ids.length === 0 && !values.json) print('The target has no backup');
  for (const id of ids) {
    try {
      const { created_at, files, recipients, version, lost } = await readSnapshot(target, id);
      const bytes = files.reduce((sum, [, , size]) => sum + size, 0);
      const record = {
        ...{ event: 'backup', id, created_at: new Date(created_at).toISOString(), version },
        ...{ files: files.length, bytes, encrypted: recipients !== null, lost: lost.length },
      };
      const encrypted = recipients === null ? 'not encrypted' : 'encrypted';
      const without = lost.length === 0 ? '' : `, without ${count(lost.length, 'file')}`;
      const text = `${id}  ${count(files.length, 'file')}, ${mebibytes(bytes)}, ${encrypted}${without}`;
      print(values.json ? JSON.stringify(record) : text);
    } catch (error) {
      if (!(error instanceof BackupFault)) throw error;
      warn(error.message);
      process.exitCode = DAMAGED;
    }
  }
}

async function verify(...[args, environment]: Parameters<Command['run']>): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...JSON_OPTION, identity: { type: 'string' } },
    allowPositionals: true,
  });
  const [address = '', id] = readWords('backups verify', ['TARGET', 'ID'], positionals, 1);
  const unseal = await readUnseal(values.identity);
  await interruptible('The verification was interrupted', async (signal) => {
    using target = await openTarget(readBackupTarget(address, environment), false);
    const ids = id === undefined ? await listSnapshots(target) : [id];
    const sum = await verifyBackups(target, ids, { unseal, signal, onFault: warn });
    const { snapshots, parts, bytes, faults } = sum;
    if (faults > 0) process.exitCode = DAMAGED;
    const read = `Verified ${count(snapshots, 'backup')} with ${count(parts, 'part')} (${mebibytes(bytes)})`;
    print(
      values.json
        ? JSON.stringify({ event: 'verified', backups: snapshots, parts, bytes, faults })
        : `${read}: ${faults === 0 ? 'no faults' : count(faults, 'fault')}`,
    );
  });
}

async function prune(...[args, environment]: Parameters<Command['run']>): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...JSON_OPTION, 'keep-last': { type: 'string' }, 'keep-days': { type: 'string' } },
    allowPositionals: true,
  });
  const [address = ''] = readWords('backups prune', ['TARGET'], positionals);
  const rules = {
    last: readCount('--keep-last', values['keep-last']),
    days: readCount('--keep-days', values['keep-days']),
  };
  if (rules.last === null && rules.days === null) {
    throw new Error('Say which backups to keep: --keep-last N, --keep-days N, or both');
  }
  await interruptible('The removal was interrupted. Prune again', async (signal) => {
    using target = await openTarget(readBackupTarget(address, environment), true);
    await using spool = openOwnSpool(readSettings(environment));
    const options = { rules, now: Date.now(), signal };
    const { removed, kept, parts, bytes } = await pruneBackups(target, spool, options);
    const text = `Removed ${count(removed.length, 'backup')} and ${count(parts, 'part')} (${mebibytes(bytes)}). ${count(kept.length, 'backup')} left`;
    print(values.json ? JSON.stringify({ event: 'pruned', removed, kept, parts, bytes }) : text);
  });
}

function readCount(option: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw new Error(`Cannot use ${option} "${value}". Allowed: 1 to 99999`);
}
