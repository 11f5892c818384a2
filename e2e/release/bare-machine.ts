// A Debian without Node, npm, compilers or a network: a folder, and processes whose root it is.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BARE_SYSTEM } from '../../scripts/provision.ts';

/** A user without privileges. */
const USER = 1000;
export const HOME = '/home/dev';
/** What changes while packages are installed and removed. */
const STATE_OF_DPKG = ['/var/lib/dpkg/', '/var/log/', '/var/cache/'];

type Started = {
  /** As the machine counts. */
  readonly pid: string;
  /** Waits for the next line of standard output. */
  readonly line: () => Promise<string>;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
};

export type BareMachine = AsyncDisposable & {
  /** Runs a shell script as root, or as the user, in the home of the user. Returns its output. Throws if it fails. */
  run(script: string, as: 'root' | 'user'): string;
  /** Starts a command of a shell as the user. It ends with the machine, if not before. */
  start(command: string): Promise<Started>;
  /** Runs `visitor-program.ts` in the network of the machine. Returns what it prints. */
  visit(...args: readonly string[]): string;
  /** All files of the machine except the state of dpkg: what each is, by its path. */
  files(): ReadonlyMap<string, string>;
};

/** The reason why there can be no such machine here, or null. */
export function bareMachineMissing(): string | null {
  if (!existsSync(BARE_SYSTEM)) return 'there is no archive of a bare system';
  if (process.getuid?.() !== 0) return 'only root can start a bare system';
  const refused =
    spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status !== 0;
  return refused ? 'kernel: no private namespaces' : null;
}

/** Starts a machine that has the files of the release in `/release`. */
export async function startBareMachine(release: string): Promise<BareMachine> {
  await using starting = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'svc-bare-'));
  starting.defer(() => rmSync(root, { recursive: true, force: true }));
  const unpack = ['-xf', BARE_SYSTEM, '-C', root, '--exclude=./dev/*'];
  assert.equal(spawnSync('tar', unpack, { stdio: 'inherit' }).status, 0);
  cpSync(release, join(root, 'release'), { recursive: true });
  mkdirSync(join(root, HOME), { recursive: true });
  chownSync(join(root, HOME), USER, USER);
  const first = await startFirstProcess(root);
  starting.defer(first.stop);
  const held = starting.move();

  const enter = (script: string, as: 'root' | 'user'): string[] => [
    ...['--target', String(first.pid), '--mount', '--net', '--pid', 'chroot', root],
    ...(as === 'root'
      ? []
      : ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs']),
    ...['env', '--ignore-environment', `--chdir=${HOME}`, `HOME=${HOME}`, 'LC_ALL=C.UTF-8'],
    ...['SVC_BROWSER=none', `PATH=${HOME}/bin:/usr/sbin:/usr/bin:/sbin:/bin`, 'sh', '-euc', script],
  ];
  return {
    run(script, as) {
      const { status, stdout, stderr } = spawnSync('nsenter', enter(script, as), {
        encoding: 'utf8',
      });
      assert.equal(status, 0, `${script}\n${stdout}${stderr}`);
      return stdout;
    },
    async start(command) {
      const child = spawn('nsenter', enter(`echo $$; exec ${command}`, 'user'), {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let faults = '';
      child.stderr.on('data', (chunk) => (faults += String(chunk)));
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const line = async (): Promise<string> => {
        const { value, done } = await lines.next();
        assert.ok(done !== true, `${command} ended: ${faults}`);
        return value;
      };
      const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
      return { pid: await line(), line, child, exited };
    },
    visit(...args) {
      const visitor = join(import.meta.dirname, 'visitor-program.ts');
      const { status, stdout, stderr } = spawnSync(
        'nsenter',
        ['--target', String(first.pid), '--net', process.execPath, visitor, ...args],
        { encoding: 'utf8' },
      );
      assert.equal(status, 0, stderr);
      return stdout;
    },
    files: () => describeFiles(root),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Starts the process that keeps the namespaces. When it ends, every process of the machine ends. */
async function startFirstProcess(
  root: string,
): Promise<{ pid: number; stop: () => Promise<void> }> {
  const setup = [
    'ip link set lo up',
    'mount -t proc proc "$0/proc"',
    'mount --rbind /dev "$0/dev"',
    'mount -t tmpfs tmpfs "$0/run"',
    'echo ready',
    'exec sleep infinity',
  ].join(' && ');
  const flags = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
  const child = spawn('unshare', [...flags, 'sh', '-c', setup, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const [ready] = await Promise.race([
    new Promise<string[]>((resolve) =>
      createInterface(child.stdout).once('line', (line) => resolve([line])),
    ),
    exited.then(() => []),
  ]);
  assert.equal(ready, 'ready', 'the machine starts');
  const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  return {
    pid,
    stop: () => {
      child.kill('SIGKILL');
      return exited.then(() => undefined);
    },
  };
}

function describeFiles(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    for (const name of readdirSync(join(root, path)).sort()) {
      const inside = `${path}/${name}`;
      if (STATE_OF_DPKG.some((folder) => inside.startsWith(folder))) continue;
      const stats = lstatSync(join(root, inside));
      const mode = stats.mode.toString(8);
      if (stats.isDirectory()) {
        found.set(inside, mode);
        visit(inside);
      } else if (stats.isSymbolicLink()) {
        found.set(inside, `${mode} ${readlinkSync(join(root, inside))}`);
      } else if (stats.isFile()) {
        const bytes = readFileSync(join(root, inside));
        found.set(inside, `${mode} ${createHash('sha256').update(bytes).digest('hex')}`);
      }
    }
  };
  visit('');
  return found;
}
