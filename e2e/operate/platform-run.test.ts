// svc-platform-run of the guide, which runs a command as the unit runs the server. systemd is not the first process of the machines
// that run tests, so other programs take the place of systemctl, systemd-run and id.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openPlatform } from '@svc/platform/testing';
import { ROOT } from '../../scripts/workspaces.ts';
import { guideFile } from './guide-file.ts';

const SCRIPT = guideFile('systemd/svc-platform-run');
const MAIN = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const UNIT = [
  guideFile('systemd/svc-platform.service'),
  guideFile('systemd/svc-platform.service.d/secrets.conf'),
]
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

type Options = {
  /** What `systemctl cat` prints. Default: the unit of the guide with its secrets. */
  readonly unit?: string;
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What systemd-run does after it has recorded its arguments. Default: it exits with 7. */
  readonly ending?: string;
  /** Uses systemd-run of the machine. */
  readonly isReal?: boolean;
};

/** Runs the script. `started` has the arguments of systemd-run, or null if it was not started. */
function run(t: TestContext, args: readonly string[], options: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-platform-run-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const { unit = UNIT, uid = 0, env = {}, ending = 'exit 7', isReal = false } = options;
  const programs: Record<string, string> = {
    id: `case $1 in -u) echo ${uid} ;; -un) echo root ;; esac`,
    systemctl: `case $1 in cat) ${unit === '' ? 'exit 1' : `cat '${folder}/unit'`} ;; *) echo "$*"; [ ! -f '${folder}/pid' ] || kill "$(cat '${folder}/pid')" ;; esac`,
    'svc-platform': 'exit 1',
    ...(!isReal && { 'systemd-run': `cd '${folder}'; printf '%s\\0' "$@" >started; ${ending}` }),
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  writeFileSync(join(folder, 'unit'), unit);
  writeFileSync(join(folder, 'started'), '');
  // The real one must not reach a systemd of the machine.
  const wrap = isReal && process.getuid?.() === 0 ? ['setpriv', ...NOBODY] : [];
  const [first = '', ...rest] = [...wrap, 'sh', SCRIPT, ...args];
  const { status, stdout, stderr } = spawnSync(first, rest, {
    encoding: 'utf8',
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${folder}/none`,
      ...env,
    },
  });
  const started = readFileSync(join(folder, 'started'), 'utf8').split('\0').slice(0, -1);
  return { status, stdout, stderr, started: started.length === 0 ? null : started };
}

test('systemd-run gets the user, the settings and the secrets of the unit, the caller, and the arguments unchanged', (t) => {
  const words = ['admin', 'game', 'take-down', 'moon-hop', '--reason', 'It\'s "bad" \\ *\n', ''];
  const { status, started } = run(t, words, { env: { SUDO_USER: 'ada' } });
  assert.equal(status, 7);
  const [, name = ''] = /^--unit=(svc-platform-run-\d+)$/.exec(started?.[4] ?? '') ?? [];
  const secret = (one: string): string => `--property=LoadCredential=${one}:/etc/svc/${one}`;
  assert.deepEqual(started, [
    ...['--pipe', '--wait', '--quiet', '--collect', `--unit=${name}`],
    '--property=User=svc-platform',
    '--property=EnvironmentFile=/etc/svc/platform.env',
    '--property=Environment=SVC_DRAIN_SECONDS=30',
    '--property=Environment=SVC_DATA_DIR=/var/lib/svc-platform',
    '--property=UMask=0077',
    ...['SVC_DATABASE_URL', 'SVC_SMTP_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map(
      secret,
    ),
    `--property=Environment=SVC_SETTINGS_DIR=/run/credentials/${name}.service`,
    ...['--setenv=SUDO_USER=ada', '--', 'svc-platform', ...words],
  ]);
});

test('the unit is read as systemd reads it: comments, lines that continue, optional files, percent signs', (t) => {
  const unit = [
    ...[
      '[Service]',
      '# A comment does not continue \\',
      'LoadCredential=a:/a',
      'Environment=A=1 \\',
    ],
    ...[
      '; a comment in between',
      '  "B=2 3"',
      '#User=root',
      'User = games',
      'SupplementaryGroups=mail',
    ],
    ...[
      'EnvironmentFile=/a.env',
      'EnvironmentFile=-/b.env',
      'Environment=C=5%%d D=%d',
      'UMask=0077 \\',
    ],
  ].join('\n');
  const { started } = run(t, ['check', '$5 or $HOME'], { unit });
  const name = started?.[4]?.replace('--unit=', '');
  assert.deepEqual(started?.slice(5), [
    ...['--property=LoadCredential=a:/a', '--property=Environment=A=1    "B=2 3"'],
    ...['--property=User=games', '--property=SupplementaryGroups=mail'],
    ...['--property=EnvironmentFile=/a.env', '--property=EnvironmentFile=-/b.env'],
    `--property=Environment=C=5%d D=/run/credentials/${name}.service`,
    '--property=UMask=0077 \\',
    // systemd replaces $NAME in arguments.
    ...['--setenv=SUDO_USER=root', '--', 'svc-platform', 'check', '$$5 or $$HOME'],
  ]);
});

test('without root, a command or the unit, the script says so and starts nothing', (t) => {
  const cases: [expected: RegExp, status: number, args: string[], options: Options][] = [
    [/only root can read the settings of the server\. Use sudo\.$/, 1, ['check'], { uid: 1000 }],
    [/^Usage: sudo svc-platform-run COMMAND/, 2, [], {}],
    [/^Usage: sudo svc-platform-run COMMAND/, 2, ['--port', '1'], {}],
    [/there is no svc-platform\.service\. Install it first/, 1, ['check'], { unit: '' }],
    [/names no User=/, 1, ['check'], { unit: '# Unit svc-platform.service is masked.' }],
    [/names no User=/, 1, ['check'], { unit: '[Service]\nUser=games\nUser=' }],
    [/a specifier other than %d/, 1, ['check'], { unit: 'User=a\nEnvironment=A=%S/b' }],
  ];
  for (const [expected, status, args, options] of cases) {
    const result = run(t, args, options);
    assert.match(result.stderr.trim(), expected);
    assert.deepEqual([result.status, result.started], [status, null]);
  }
});

test('a signal that ends systemd-run also ends the command', (t) => {
  const { status, stdout, started } = run(t, ['check'], { ending: 'kill -INT $PPID; exit 130' });
  const [, name] = started?.[4]?.split('=') ?? [];
  assert.deepEqual([status, stdout], [130, `stop ${name}.service\n`]);
});

test('a signal for the script alone ends the command', (t) => {
  const ending = 'echo $$ >pid; kill -TERM $PPID; exec sleep 600';
  const { status, stdout } = run(t, ['check'], { ending });
  assert.equal(status, 130);
  assert.match(stdout, /^stop svc-platform-run-\d+\.service\n$/);
});

test('systemd-run accepts the options, and a unit the properties', {
  skip: spawnSync('systemd-run', ['--version']).status !== 0 && 'systemd-run is not installed',
}, (t) => {
  const { status, stderr } = run(t, ['check', '--repair'], { isReal: true });
  assert.equal(status, 1);
  assert.match(stderr, /^(?:System has not been booted|Failed to (?:connect to|create) bus)/);
  // It reads the properties only when it has reached systemd.
  const { started } = run(t, ['check']);
  const properties = (started ?? []).flatMap(
    (one) => one.match(/^--property=(.*)$/)?.slice(1) ?? [],
  );
  const folder = mkdtempSync(join(tmpdir(), 'svc-platform-run-unit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const verify = (lines: readonly string[]): string => {
    const unit = join(folder, 'command.service');
    writeFileSync(unit, ['[Service]', 'ExecStart=/bin/true', ...lines, ''].join('\n'));
    return spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' }).stderr;
  };
  assert.equal(properties.length, 10);
  assert.equal(verify(properties), '');
  assert.match(verify(['Users=nobody']), /Unknown key/);
});

test('the audit trail names the account that called sudo', async (t) => {
  await using platform = await openPlatform();
  const { uid } = await platform.person('Eve');
  const words = ['admin', 'user', 'suspend', uid, '--reason', 'It costs $5'];
  const { started } = run(t, words, { env: { SUDO_USER: 'ada' } });
  const args = started ?? [];
  // As systemd does it, but with the folder of the test.
  const [setting = ''] = args.filter((one) => one.startsWith('--setenv='));
  const [name = '', value = ''] = setting.replace('--setenv=', '').split('=');
  const command = args.slice(args.indexOf('--') + 2).map((one) => one.replaceAll('$$', '$'));
  const start = (given: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, ...given], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', SVC_DATA_DIR: platform.dataDir, [name]: value },
    });
  const { status, stderr } = start(command);
  assert.equal(status, 0, stderr);
  const record = JSON.parse(start(['admin', 'audit', '--json', '--limit', '1']).stdout);
  assert.equal(record.actor.name, `ada as ${userInfo().username}`);
  assert.match(JSON.stringify(record), /It costs \$5/);
});
