// Installs missing programs that the tests need from Debian packages, as root or with sudo without a password. For the long lane it also
// makes a bare system, downloads packages for other systems, and installs VitePress.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBrowser } from './find-browser.ts';
import { installVitePress, isVitePressInstalled } from './vitepress.ts';
import { ROOT } from './workspaces.ts';

/** A requirement of the tests: a check whether it is installed, and the Debian packages that contain it. */
type Need = {
  readonly what: string;
  readonly packages: readonly string[];
  readonly present: () => boolean;
  /** Makes what no package contains, after the packages are installed. Returns false if this fails. */
  readonly make?: () => boolean;
};

/** The archive of a Debian with only the essential packages and what Node's program needs. */
export const BARE_SYSTEM: string = join(ROOT, 'node_modules/.cache/svc/bare-debian.tar');

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
  {
    what: 'proxies',
    packages: ['nginx-light', 'caddy'],
    present: () => onPath('nginx') && onPath('caddy'),
  },
  {
    what: 'containers and units of systemd',
    packages: ['buildah', 'crun', 'docker-compose', 'systemd'],
    present: () => ['buildah', 'crun', 'docker-compose', 'systemd-analyze'].every(onPath),
  },
  {
    what: 'a virus scanner',
    packages: ['clamav-daemon', 'clamdscan'],
    present: () => onPath('clamd') && onPath('clamdscan'),
  },
  {
    what: 'monitoring',
    packages: ['prometheus', 'prometheus-alertmanager'],
    present: () => ['prometheus', 'promtool', 'amtool'].every(onPath),
  },
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
  {
    what: 'OpenGL without a screen',
    packages: ['xvfb', 'libsdl2-2.0-0', 'libegl1'],
    present: () =>
      onPath('Xvfb') &&
      ['libSDL2-2.0', 'libEGL'].every((name) => globSync(`/usr/lib/*/${name}.so.*`).length > 0),
  },
  {
    what: 'a program that downloads',
    packages: ['curl'],
    present: () => onPath('curl') || onPath('wget'),
  },
  {
    what: 'SSH keys',
    packages: ['openssh-client'],
    present: () => onPath('ssh-keygen'),
  },
  { what: 'file encryption', packages: ['age'], present: () => onPath('age') },
  { what: 'a terminal driver', packages: ['tmux'], present: () => onPath('tmux') },
  {
    what: 'shells',
    packages: ['bash', 'zsh', 'fish'],
    present: () => onPath('zsh') && onPath('fish'),
  },
];

/** What the servers contain beside Node. */
const IMAGE_LIBRARIES = ['x64', 'arm64'].flatMap((processor) => [
  `@img/sharp-linux-${processor}`,
  `@img/sharp-libvips-linux-${processor}`,
]);

/** Programs that check what a release contains. Their packages have the same names. */
const CHECKERS = [
  ...['lintian', 'makepkg', 'mandoc', 'openssl', 'osslsigncode', 'ruby', 'shellcheck'],
];

/** Debian's folder of games is on the path of users only. */
const NEVERBALL = '/usr/games/neverball';

/** What only the long lane needs. */
const LONG_NEEDS: readonly Need[] = [
  {
    what: 'compilers of C++, for Windows, and of Rust',
    packages: ['g++', 'clang', 'gcc-mingw-w64-x86-64-win32', 'rustc'],
    present: () => ['g++', 'clang', 'x86_64-w64-mingw32-gcc', 'rustc'].every(onPath),
  },
  {
    what: 'checkers of packages',
    packages: CHECKERS,
    present: () => CHECKERS.every(onPath),
  },
  {
    what: 'games',
    packages: ['mesa-utils', 'mangohud', 'love', 'neverball'],
    present: () => ['glxgears', 'mangohud', 'love'].every(onPath) && existsSync(NEVERBALL),
  },
  {
    what: 'C#',
    packages: ['mono-mcs', 'mono-runtime'],
    present: () => ['mcs', 'mono'].every(onPath),
  },
  {
    what: 'a bare system',
    packages: ['mmdebstrap'],
    present: () => existsSync(BARE_SYSTEM),
    make: makeBareSystem,
  },
  {
    what: 'packages for other systems',
    packages: [],
    present: () =>
      packagesOfOtherSystems().every((one) => npm('pack', '--dry-run', '--offline', one)),
    make: () =>
      npm('cache', 'add', '--prefer-offline', '--fetch-retries=1', ...packagesOfOtherSystems()),
  },
  {
    what: 'VitePress',
    packages: [],
    present: isVitePressInstalled,
    make: installVitePress,
  },
];

/**
 * Installs all missing requirements. If this is not possible, it prints a message and continues: the tests that need
 * them are skipped, and with `CI=true` a skipped test is a failure.
 */
export function provision({ long = false }: { readonly long?: boolean } = {}): void {
  const needs = long ? [...NEEDS, ...LONG_NEEDS] : NEEDS;
  const missing = needs.filter((need) => !need.present());
  if (missing.length === 0) return;
  const names = missing.map((need) => need.what).join(', ');
  if (!existsSync('/usr/bin/apt-get')) {
    console.log(`Not installed: ${names}. The tests that need them will be skipped.`);
    return;
  }
  console.log(`Installing for the tests: ${names}`);
  const packages = missing.flatMap((need) => need.packages);
  if (packages.length > 0 && !installPackages(packages)) {
    console.log(`Cannot install ${packages.join(' ')}. The tests that need them will be skipped.`);
  }
  for (const { what, make } of missing) {
    if (make?.() === false) {
      console.log(`Cannot make ${what}. The tests that need it will be skipped.`);
    }
  }
}

function makeBareSystem(): boolean {
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  mkdirSync(dirname(BARE_SYSTEM), { recursive: true });
  const partial = BARE_SYSTEM.replace('.tar', `.${process.pid}.tar`);
  const { status } = spawnSync(
    'mmdebstrap',
    ['--quiet', '--variant=essential', '--include=libstdc++6', codename ?? 'stable', partial],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status === 0) renameSync(partial, BARE_SYSTEM);
  return status === 0;
}

/** What a release contains for other systems and npm did not install here, as `name@version`. */
function packagesOfOtherSystems(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return [...Object.keys(packages[''].optionalDependencies), ...IMAGE_LIBRARIES]
    .filter((name) => !existsSync(join(ROOT, 'node_modules', name)))
    .map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
}

function npm(...args: readonly string[]): boolean {
  return spawnSync('npm', args, { cwd: ROOT, stdio: 'ignore' }).status === 0;
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
