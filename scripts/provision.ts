// Installs missing programs that the tests need from Debian packages, as root or with sudo without a password.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { findBrowser } from './find-browser.ts';

/** A requirement of the tests: a check whether it is installed, and the Debian packages that contain it. */
type Need = {
  readonly what: string;
  readonly packages: readonly string[];
  readonly present: () => boolean;
};

const NEEDS: readonly Need[] = [
  {
    what: 'a browser',
    packages: ['chromium', 'fonts-dejavu-core'],
    present: () => findBrowser() !== null,
  },
  {
    what: 'network namespaces',
    packages: ['iproute2', 'util-linux'],
    present: () => onPath('ip') && onPath('unshare'),
  },
  {
    what: 'archive tools',
    packages: ['zip', 'unzip', 'p7zip-full', 'libarchive-tools', 'python3', 'git'],
    present: () => ['zip', 'unzip', '7z', 'bsdtar', 'python3', 'git'].every(onPath),
  },
  {
    what: 'PostgreSQL',
    packages: ['postgresql'],
    present: () => globSync('/usr/lib/postgresql/*/bin/initdb').length > 0,
  },
  {
    what: 'an object store',
    packages: ['ceph-mon', 'ceph-osd', 'radosgw'],
    present: () => ['ceph-mon', 'ceph-osd', 'radosgw'].every(onPath),
  },
  { what: 'a proxy', packages: ['nginx-light'], present: () => onPath('nginx') },
  {
    what: 'another clock',
    packages: ['faketime'],
    present: () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').length > 0,
  },
  {
    what: 'a keyring',
    packages: ['gnome-keyring', 'dbus'],
    present: () => onPath('gnome-keyring-daemon') && onPath('dbus-run-session'),
  },
  {
    what: 'native probes',
    packages: ['bpftrace', 'linux-perf', 'sudo', 'gcc', 'libc6-dev'],
    present: () => ['bpftrace', 'perf', 'sudo', 'cc'].every(onPath),
  },
  { what: 'a terminal driver', packages: ['tmux'], present: () => onPath('tmux') },
  {
    what: 'shells',
    packages: ['bash', 'zsh', 'fish'],
    present: () => onPath('zsh') && onPath('fish'),
  },
];

/**
 * Installs all missing requirements. If this is not possible, it prints a message and continues: the tests that need
 * them are skipped, and with `CI=true` a skipped test is a failure.
 */
export function provision(): void {
  const missing = NEEDS.filter((need) => !need.present());
  if (missing.length === 0) return;
  const names = missing.map((need) => need.what).join(', ');
  if (!existsSync('/usr/bin/apt-get')) {
    console.log(`Not installed: ${names}. The tests that need them will be skipped.`);
    return;
  }
  console.log(`Installing for the tests: ${names}`);
  const packages = missing.flatMap((need) => need.packages);
  if (!installPackages(packages)) {
    console.log(`Cannot install ${packages.join(' ')}. The tests that need them will be skipped.`);
  }
}

/** Installs Debian packages. Returns false if this is not permitted or fails. */
export function installPackages(packages: readonly string[]): boolean {
  return (
    existsSync('/usr/bin/apt-get') &&
    aptGet(['update']) &&
    aptGet(['install', '-y', '--no-install-recommends', ...packages])
  );
}

function aptGet(args: readonly string[]): boolean {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [command = '', ...rest] = [...asRoot, 'apt-get', '-q', ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

function onPath(command: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':').concat('/usr/sbin', '/sbin');
  return folders.some((folder) => existsSync(`${folder}/${command}`));
}

if (import.meta.main) provision();
