// The units of the operator's guide. systemd is not the first process of the machines that run tests, so their commands run in
// containers with the same restrictions, as far as these can do the same.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startOutsideProvider } from '@svc/platform/testing';
import { ROOT } from '../../scripts/workspaces.ts';
import { nginxMissing } from '../cluster/start-nginx.ts';
import { answersOk, findFreePorts } from '../cluster/start-program.ts';
import { codeBlocks } from './code-blocks.ts';
import { type Confined, confineUnit } from './confine-unit.ts';
import { GUIDE_FILES, guideFile } from './guide-file.ts';
import { publishGame, sendTo, settingsFor } from './publish-game.ts';
import { readEnvironmentFile, readUnit, serviceValue, type Unit } from './read-unit.ts';
import {
  CONTAINER_USER,
  type ContainerOptions,
  containerMissing,
  runContainer,
  startContainer,
} from './start-container.ts';

const GUIDE = join(GUIDE_FILES, 'systemd');
const SERVICES = [
  guideFile('systemd/svc-platform-backup.service'),
  guideFile('systemd/svc-platform.service'),
  guideFile('systemd/svc-web.service'),
].map((path) => basename(path));
const UNITS = [...SERVICES, basename(guideFile('systemd/svc-platform-backup.timer'))];
/** The settings that the units read, by their places on a machine. */
const SETTINGS: Readonly<Record<string, string>> = {
  '/etc/svc/platform.env': guideFile('systemd/platform.env'),
  '/etc/svc/web.env': guideFile('systemd/web.env'),
};
const SECRETS = guideFile('systemd/svc-platform.service.d/secrets.conf');
/** The most exposure that a unit may have, in tenths: systemd's scale ends at 10. */
const MOST_EXPOSURE = 20;

const missing = spawnSync('systemd-analyze', ['--version']).status !== 0;
const skip = missing && 'systemd-analyze is not installed';
const skipRun = skip || (containerMissing() ?? false);

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-systemd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/** A root with the units, those of the system that they name, and files in place of the programs. */
function rootWithUnits(t: TestContext): string {
  const root = temporaryFolder(t);
  cpSync(GUIDE, join(root, 'etc/systemd/system'), { recursive: true });
  cpSync('/usr/lib/systemd/system', join(root, 'usr/lib/systemd/system'), { recursive: true });
  mkdirSync(join(root, 'usr/bin'));
  for (const name of ['svc-platform', 'svc-web']) {
    writeFileSync(join(root, 'usr/bin', name), '#!/bin/sh\n', { mode: 0o755 });
  }
  return root;
}

function verify(root: string): string {
  const args = ['verify', '--man=no', `--root=${root}`, ...UNITS];
  const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return `${status} ${stderr}`;
}

test('systemd accepts every unit and the settings that are added to one', { skip }, (t) => {
  const root = rootWithUnits(t);
  assert.equal(verify(root), '0 ');
  const added = join(root, 'etc/systemd/system/svc-platform.service.d/secrets.conf');
  writeFileSync(added, '[Service]\nLoadCredentials=A:/a\n');
  assert.match(verify(root), /Unknown key 'LoadCredentials' in section \[Service\]/);
});

for (const service of SERVICES) {
  test(`the exposure of ${service} is low`, { skip }, () => {
    const args = ['security', '--offline=true', `--threshold=${MOST_EXPOSURE}`];
    const { status, stdout } = spawnSync('systemd-analyze', [...args, join(GUIDE, service)], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  });
}

test('systemd waits longer for the end of a server than the server takes', () => {
  for (const service of ['svc-platform.service', 'svc-web.service']) {
    const unit = readUnit(join(GUIDE, service));
    const drain = Number(environmentIn(unit)['SVC_DRAIN_SECONDS']);
    assert.ok(Number(serviceValue(unit, 'TimeoutStopSec')) > drain, service);
  }
});

test('the users of the units are in the file for systemd-sysusers', { skip }, (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'etc'));
  const args = [`--root=${root}`, guideFile('systemd/sysusers.conf')];
  const { status, stderr } = spawnSync('systemd-sysusers', args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const users = spawnSync('cut', ['-d:', '-f1', join(root, 'etc/passwd')], { encoding: 'utf8' });
  const named = SERVICES.map((service) => serviceValue(readUnit(join(GUIDE, service)), 'User'));
  assert.deepEqual(users.stdout.trim().split('\n').toSorted(), [...new Set(named)].toSorted());
});

test('the folder of the backups is made by systemd-tmpfiles for the user of the backup', () => {
  const unit = readUnit(join(GUIDE, 'svc-platform-backup.service'));
  const user = serviceValue(unit, 'User');
  const [folder = ''] = unit.get('Service.ReadWritePaths') ?? [];
  const lines = spawnSync('cat', [guideFile('systemd/tmpfiles.conf')], { encoding: 'utf8' }).stdout;
  assert.ok(lines.includes(`d ${folder} 0700 ${user} ${user}\n`));
  for (const command of unit.get('Service.ExecStart') ?? []) {
    assert.ok(command.split(' ').includes(folder), command);
  }
});

/** The commands of the guide that install the units, in a shell whose `/etc` and `/var` are empty and vanish with it. */
function installAsInTheGuide(check: string): string {
  const page = readFileSync(join(ROOT, 'docs/run-it.md'), 'utf8');
  const [, users = '', units = ''] = codeBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
  const script = `mount -t tmpfs tmpfs /etc && mount -t tmpfs tmpfs /var && mount -t tmpfs tmpfs /usr/local && cd "$0"
    echo root:x:0:0::/root:/bin/sh >/etc/passwd
    mkdir -p /etc/sysusers.d /etc/tmpfiles.d /etc/systemd/system /usr/local/sbin
    sudo() { "$@"; }
    systemctl() { echo "systemctl $*"; }
    ${users}\n${units}\n${check}`;
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-euc', script, GUIDE],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

test('the commands of the guide install the users, the folders, the settings and the units', {
  skip: skipRun,
}, () => {
  const list =
    'find /etc/svc /etc/systemd/system /usr/local/sbin /var/backups -printf "%m %u %p\\n" | sort -k3';
  assert.deepEqual(installAsInTheGuide(list).trim().split('\n'), [
    'systemctl daemon-reload',
    'systemctl enable --now svc-platform svc-web svc-platform-backup.timer',
    '700 root /etc/svc',
    '600 root /etc/svc/SVC_WEB_SECRET',
    '600 root /etc/svc/platform.env',
    '600 root /etc/svc/web.env',
    '755 root /etc/systemd/system',
    ...UNITS.toSorted().map((unit) => `644 root /etc/systemd/system/${unit}`),
    '755 root /usr/local/sbin',
    '755 root /usr/local/sbin/svc-platform-run',
    '755 root /var/backups',
    '700 svc-platform /var/backups/svc',
  ]);
  const secret = installAsInTheGuide('cat /etc/svc/SVC_WEB_SECRET').split('\n').at(-2);
  assert.match(secret ?? '', /^[0-9a-f]{64}$/);
});

/** The commands of the guide that install the proxy, with the configuration that Debian's package has. */
function proxyAsInTheGuide(): { readonly status: number | null; readonly printed: string } {
  const page = readFileSync(join(ROOT, 'docs/run-it.md'), 'utf8');
  const block = codeBlocks(page).find(({ text }) => text.includes('/etc/nginx/conf.d/svc.conf'));
  const commands = (block?.text ?? 'exit 1')
    .replace('sudo apt install nginx\n', '')
    .replace('/usr/share/doc/svc-server/examples', join(ROOT, 'docs/operations'));
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a';
  const script = `mkdir -p /mnt && mount -t tmpfs tmpfs /mnt && cp -r /etc/nginx /etc/ssl /etc/passwd /etc/group /mnt
    mount -t tmpfs tmpfs /etc && cp -r /mnt/* /etc && mount -t tmpfs tmpfs /var && mount -t tmpfs tmpfs /run
    rm -rf /etc/nginx/conf.d/* /etc/nginx/sites-enabled/* /etc/nginx/modules-enabled/*
    mkdir -p /var/log/nginx /var/lib/nginx /run/secrets
    sudo() { "$@"; }
    ${commands}
    openssl ${request} -keyout /run/secrets/tls_key -out /run/secrets/tls_certificate 2>/run/errors
    nginx -t`;
  // The network has no addresses but its own 127.0.0.1, as a machine of an operator has not those of the guide.
  const wrap = ['--mount', '--net', 'sh', '-euc', script];
  const { status, stdout, stderr } = spawnSync('unshare', wrap, { encoding: 'utf8' });
  return { status, printed: stdout + stderr };
}

test("the commands of the guide install the proxy, and nginx accepts it with Debian's settings", {
  skip: skipRun || (nginxMissing() ?? false),
}, () => {
  const { status, printed } = proxyAsInTheGuide();
  assert.equal(status, 0, printed);
  assert.match(printed, /test is successful/);
});

function environmentIn(unit: Unit): Record<string, string> {
  const pairs = (unit.get('Service.Environment') ?? []).map((pair) => pair.split('='));
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}

/** The containers of a service: its program, and others with the same restrictions. */
function open(t: TestContext, service: string, credentials: Readonly<Record<string, string>> = {}) {
  const unit = readUnit(join(GUIDE, service));
  const withSecrets =
    service === 'svc-web.service' || credentials['SVC_DATABASE_URL'] !== undefined;
  const all: Unit =
    withSecrets && service !== 'svc-web.service' ? merge(unit, readUnit(SECRETS)) : unit;
  const folder = temporaryFolder(t);
  const folderOf = (path: string): string => {
    const place = join(folder, path.replaceAll('/', '_'));
    mkdirSync(place, { recursive: true, mode: 0o700 });
    chownSync(place, CONTAINER_USER, CONTAINER_USER);
    return place;
  };
  mkdirSync(join(folder, 'root'));
  const confined: Confined = confineUnit(all, { root: join(folder, 'root'), folderOf });
  const loaded = folderOf('credentials');
  for (const line of all.get('Service.LoadCredential') ?? []) {
    const [name = ''] = line.split(':');
    const value = credentials[name];
    // As in the guide: the lines of secrets that do not exist are removed.
    if (value === undefined) continue;
    writeFileSync(join(loaded, name), value);
    chownSync(join(loaded, name), CONTAINER_USER, CONTAINER_USER);
  }
  const file = SETTINGS[serviceValue(all, 'EnvironmentFile')] ?? assert.fail('unknown settings');
  const env = { ...environmentIn(all), ...readEnvironmentFile(file), PATH: '/usr/bin:/bin' };
  const to = '/run/credentials';
  const settings = Object.entries(env).map(([name, value]) => [name, value.replace('%d', to)]);
  return {
    unit: all,
    container: (command: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      ({
        name: service,
        ...confined,
        command,
        env: { ...Object.fromEntries(settings), ...more },
        binds: [...confined.binds, { from: loaded, to }],
      }) satisfies ContainerOptions,
  };
}

function merge(unit: Unit, added: Unit): Unit {
  const keys = new Set([...unit.keys(), ...added.keys()]);
  return new Map(
    [...keys].map((key) => [key, [...(unit.get(key) ?? []), ...(added.get(key) ?? [])]]),
  );
}

/** The words of a command, with the program from source. */
function programOf(command: string): string[] {
  const [program = '', ...args] = command.split(' ');
  const main = join(ROOT, 'packages', program.replace('svc-', ''), 'bin', `${program}.mjs`);
  return [process.execPath, '--disable-sigusr1', main, ...args];
}

/** The command of `ExecStart=`, with the program from source and another port. */
function commandOf(unit: Unit, port: number): string[] {
  const words = programOf(serviceValue(unit, 'ExecStart'));
  const at = words.indexOf('--port') + 1;
  assert.ok(at > 0, 'the command names its port');
  return words.with(at, String(port));
}

const SECRET = { SVC_WEB_SECRET: '0123456789abcdef0123456789abcdef\n' };

test('the command of svc-platform.service publishes and plays a game with the restrictions of the unit, and ends on SIGTERM', {
  skip: skipRun,
}, async (t) => {
  await using provider = await startOutsideProvider();
  const { unit, container } = open(t, 'svc-platform.service');
  const [port = 0, metrics = 0] = await findFreePorts(2);
  const options = container(commandOf(unit, port), {
    ...settingsFor(provider),
    SVC_METRICS_PORT: String(metrics),
  });
  const address = `http://127.0.0.1:${port}/livez`;
  await using program = await startContainer(options, () => answersOk(address));
  assert.ok(await answersOk(`http://127.0.0.1:${metrics}/metrics`));
  await publishGame(sendTo(port), provider);
  await program.restart();
  assert.doesNotMatch(program.output, /"level":"(?:warn|error)"/);
});

test('the command of svc-web.service serves with the restrictions of the unit, and ends on SIGTERM', {
  skip: skipRun,
}, async (t) => {
  const { unit, container } = open(t, 'svc-web.service', SECRET);
  const [port = 0, metrics = 0] = await findFreePorts(2);
  const options = container(commandOf(unit, port), { SVC_METRICS_PORT: String(metrics) });
  const address = `http://127.0.0.1:${port}/livez`;
  await using program = await startContainer(options, () => answersOk(address));
  assert.ok(await answersOk(`http://127.0.0.1:${metrics}/metrics`));
  await program.restart();
  assert.doesNotMatch(program.output, /"level":"(?:warn|error)"/);
});

test('the commands of the backup make one with the restrictions of the unit', {
  skip: skipRun,
}, async (t) => {
  const { unit, container } = open(t, 'svc-platform-backup.service');
  const server = open(t, 'svc-platform.service');
  const [port = 0] = await findFreePorts(1);
  const binds = container([]).binds;
  const options = { ...server.container(commandOf(server.unit, port)), binds };
  {
    // It makes the database.
    const address = `http://127.0.0.1:${port}/livez`;
    await using _server = await startContainer(options, () => answersOk(address));
  }
  const printed = (unit.get('Service.ExecStart') ?? []).map((command) => {
    const { status, stdout, stderr } = runContainer(container(programOf(command)));
    assert.equal(status, 0, stdout + stderr);
    return stdout;
  });
  assert.equal(printed.length, 2);
  const list = programOf('svc-platform backups list /var/backups/svc --json');
  assert.equal(runContainer(container(list)).stdout.trim().split('\n').length, 1);
});

/** Tries what the restrictions forbid. Prints what was possible, and facts of the process. */
const PROBE = `
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const attempt = (work) => { try { work(); return 'possible'; } catch (error) { return error.code ?? error.message; } };
const status = fs.readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1];
console.log(JSON.stringify({
  uid: process.getuid(), effective: field('CapEff'), bounding: field('CapBnd'), seccomp: field('Seccomp'), gains: field('NoNewPrivs'),
  usr: attempt(() => fs.writeFileSync('/usr/x', '')), etc: attempt(() => fs.writeFileSync('/etc/x', '')),
  lib: attempt(() => fs.writeFileSync('/var/lib/x', '')), own: attempt(() => fs.writeFileSync('/var/lib/svc-platform/x', '')),
  tmp: fs.readdirSync('/tmp').filter((name) => !process.execPath.startsWith('/tmp/' + name)), home: fs.readdirSync('/home'),
  kernel: attempt(() => fs.readFileSync('/proc/sys/kernel/ostype')), disks: fs.readdirSync('/dev').filter((name) => /^[sv]d|^mem/.test(name)),
  namespace: spawnSync('unshare', ['--user', 'true'], { encoding: 'utf8' }).stderr.trim(),
  netlink: attempt(() => require('node:os').networkInterfaces()),
}));`;

test('the restrictions hold: nothing but the own folders and /tmp is writable, without privileges and foreign sockets', {
  skip: skipRun,
}, (t) => {
  const { container } = open(t, 'svc-platform.service');
  const { stdout, stderr } = runContainer(container([process.execPath, '-e', PROBE]));
  assert.equal(stderr, '');
  assert.deepEqual(JSON.parse(stdout), {
    ...{ uid: CONTAINER_USER, effective: '0000000000000000', bounding: '0000000000000000' },
    ...{ seccomp: '2', gains: '1', usr: 'EROFS', etc: 'EROFS', lib: 'EROFS', own: 'possible' },
    ...{ tmp: [], home: [], kernel: 'ENOENT', disks: [] },
    namespace: 'unshare: unshare failed: Operation not permitted',
    netlink: 'ERR_SYSTEM_ERROR',
  });
});

test('a secret of the added settings reaches the program', { skip: skipRun }, (t) => {
  const credentials = { SVC_DATABASE_URL: 'mysql://not-this-one' };
  const { unit, container } = open(t, 'svc-platform.service', credentials);
  const { status, stderr } = runContainer(container(commandOf(unit, 0)));
  assert.deepEqual(
    [status, stderr],
    [1, 'Cannot start with these settings:\n  SVC_DATABASE_URL: must be a postgres:// address\n'],
  );
});
