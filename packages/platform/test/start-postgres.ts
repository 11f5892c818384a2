// A temporary PostgreSQL from this machine's packages, on a Unix socket in its own folder.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

export type Postgres = Disposable & {
  /** Address of a database from which others can be created. */
  readonly url: string;
  /** Path of the Unix socket. */
  readonly socket: string;
  /** Ends the server. It ends its connections and removes its socket. `immediate`: as if it were killed. */
  stop(mode?: 'fast' | 'immediate'): void;
  /** Starts the server again after `stop`. */
  start(): void;
};

/** Creates an empty database. Returns its address, with the given host and port if there are any. */
export async function newDatabase(
  server: string,
  proxy?: { readonly port: number },
): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  if (proxy === undefined) return server.replace('/postgres?', `/${name}?`);
  return `postgres://app@127.0.0.1:${proxy.port}/${name}`;
}

/** Runs a statement on a connection of its own, and returns its rows. */
export async function queryDatabase(
  databaseUrl: string,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

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
  const start = (): void =>
    void run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', 'start');
  const stop = (mode: 'fast' | 'immediate'): void =>
    void run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop');
  start();
  return {
    url: `postgres://app@localhost/postgres?host=${encodeURIComponent(folder)}`,
    socket: join(folder, '.s.PGSQL.5432'),
    start,
    stop: (mode = 'fast') => stop(mode),
    [Symbol.dispose]() {
      stop('immediate');
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
