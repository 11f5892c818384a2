// A program in a container of its own: other namespaces, a root of its own, a user without privileges. `crun` makes it from a
// configuration of the Open Container Initiative.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../cluster/start-program.ts';

const PATH = '/usr/bin/crun';

/** The user and the group of the program. No user of the machine has this id. */
export const CONTAINER_USER = 64_321;

/** A rule of the filter of system calls. */
export type SystemCallRule = {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  }[];
};

export type Bind = {
  readonly from: string;
  readonly to: string;
  readonly isWritable?: boolean;
};

export type ContainerOptions = {
  readonly name: string;
  /** The folder that becomes the root of the program. It can't be written to. Folders for the mounts are made in it. */
  readonly root: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly user?: number;
  readonly binds: readonly Bind[];
  /** The path of the network's namespace. Default: the network of the test. */
  readonly network?: string;
  /** Folders in memory. Default: `/tmp`. */
  readonly temporary?: readonly string[];
  /** The options of `/proc`. */
  readonly procOptions?: readonly string[];
  /** System calls that no rule allows fail with EPERM. Default: all are allowed. */
  readonly systemCalls?: readonly SystemCallRule[];
  /** The most open files. It is lower if this machine allows no more. Default: 1,024. */
  readonly openFiles?: number;
};

/** The reason why there can be no container here, or null. */
export function containerMissing(): string | null {
  if (!existsSync(PATH)) return 'crun is not installed';
  if (process.getuid?.() !== 0) return 'only root can start a container';
  const refused = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0;
  return refused ? 'kernel: no private namespaces' : null;
}

/** Starts a program, and waits until it is ready. Disposing of it kills it. */
export async function startContainer(
  options: ContainerOptions,
  isReady: () => Promise<boolean>,
): Promise<Program> {
  const { command, remove } = writeBundle(options);
  const { name } = options;
  try {
    const program = await startProgram({ name, command, env: {}, isWrapped: true, isReady });
    return {
      ...program,
      get output() {
        return program.output;
      },
      [Symbol.asyncDispose]: async () => {
        await program[Symbol.asyncDispose]();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Runs a program to its end. */
export function runContainer(options: ContainerOptions): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const { command, remove } = writeBundle(options);
  // `unshare` ignores SIGTERM. The kernel ends it if this process is killed.
  const result = spawnSync('setpriv', ['--pdeathsig', 'KILL', ...command], {
    ...{ encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' },
  });
  remove();
  return result;
}

function writeBundle(options: ContainerOptions): {
  readonly command: readonly string[];
  readonly remove: () => void;
} {
  const bundle = mkdtempSync(join(tmpdir(), 'svc-container-'));
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(configurationOf(options)));
  mkdirSync(join(bundle, 'state'));
  // crun reads the kind of the control groups and uses none. A mixture of both kinds is an error, so it sees the newer one.
  const script = `umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup &&
    exec ${PATH} --root="$0/state" --cgroup-manager=disabled run --bundle="$0" program`;
  return {
    // All processes end with the first one.
    command: ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, bundle],
    remove: () => rmSync(bundle, { recursive: true, force: true }),
  };
}

function configurationOf(options: ContainerOptions): object {
  const { user = CONTAINER_USER, systemCalls, procOptions = [], temporary = ['/tmp'] } = options;
  const openFiles = Math.min(options.openFiles ?? 1024, mostOpenFiles());
  const none = ['bounding', 'effective', 'inheritable', 'permitted', 'ambient'];
  return {
    ociVersion: '1.0.0',
    root: { path: options.root, readonly: true },
    hostname: 'container',
    process: {
      terminal: false,
      user: { uid: user, gid: user },
      args: options.command,
      env: Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
      cwd: options.folder ?? '/',
      noNewPrivileges: true,
      capabilities: Object.fromEntries(none.map((set) => [set, []])),
      rlimits: [{ type: 'RLIMIT_NOFILE', hard: openFiles, soft: openFiles }],
    },
    mounts: [
      mount('/proc', 'proc', ['nosuid', 'noexec', 'nodev', ...procOptions]),
      mount('/dev', 'tmpfs', ['nosuid', 'mode=755', 'size=65536k']),
      mount('/dev/shm', 'tmpfs', ['nosuid', 'noexec', 'nodev', 'mode=1777']),
      ...temporary.map((path) => mount(path, 'tmpfs', ['nosuid', 'nodev', 'mode=1777'])),
      ...options.binds.map(({ from, to, isWritable = false }) => ({
        ...{ destination: to, type: 'bind', source: from },
        options: ['rbind', 'nosuid', 'nodev', isWritable ? 'rw' : 'ro'],
      })),
    ],
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        ...(options.network === undefined ? [] : [{ type: 'network', path: options.network }]),
      ],
      ...(systemCalls !== undefined && {
        seccomp: {
          ...{ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 },
          architectures: [process.arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
          syscalls: systemCalls,
        },
      }),
    },
  };
}

function mostOpenFiles(): number {
  const [, most] =
    /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(most ?? Number.POSITIVE_INFINITY);
}

function mount(destination: string, type: string, options: readonly string[]): object {
  return { destination, type, source: type, options };
}
