// A temporary PostgreSQL from this machine's packages, on a Unix socket in its own folder.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Postgres = Disposable & {
  /** Address of a database from which others can be created. */
  readonly url: string;
};

/** The reason why PostgreSQL is not available, or null. */
export function postgresMissing(): string | null {
  return findPrograms() === null ? 'PostgreSQL is not installed' : null;
}

/** Starts PostgreSQL without durability, for the duration of the test. */
export function startPostgres(): Postgres {
  const programs = findPrograms();
  if (programs === null) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-'));
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? ownerOf('postgres') : null;
  if (user !== null) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const run = (name: string, ...args: string[]): string => {
    const command = [join(programs, name), ...args];
    const [first = '', ...rest] = asRoot
      ? ['runuser', '-u', 'postgres', '--', ...command]
      : command;
    const { status, stdout, stderr } = spawnSync(first, rest, { encoding: 'utf8', cwd: folder });
    if (status !== 0) throw new Error(`Cannot run ${name}: ${stdout}${stderr}`);
    return stdout;
  };
  const data = join(folder, 'data');
  run(
    'initdb',
    '-D',
    data,
    '-U',
    'app',
    '--auth=trust',
    '--no-sync',
    '--locale=C.UTF-8',
    '--encoding=UTF8',
  );
  const settings = {
    listen_addresses: "''",
    unix_socket_directories: `'${folder}'`,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''));
  run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', 'start');
  return {
    url: `postgres://app@localhost/postgres?host=${encodeURIComponent(folder)}`,
    [Symbol.dispose]() {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPrograms(): string | null {
  const [initdb] = globSync('/usr/lib/postgresql/*/bin/initdb').sort().reverse();
  return initdb === undefined ? null : dirname(initdb);
}

function ownerOf(name: string): { uid: number; gid: number } {
  const { stdout } = spawnSync('id', ['-u', name], { encoding: 'utf8' });
  const group = spawnSync('id', ['-g', name], { encoding: 'utf8' });
  const uid = Number(stdout.trim());
  if (!Number.isInteger(uid) || stdout.trim() === '') throw new Error(`No user "${name}"`);
  return { uid, gid: Number(group.stdout.trim()) };
}
