// svc key with a real Secret Service (gnome-keyring in its own D-Bus session), and without one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noKeyring, UNLOCK_KEYRING } from '../../../scripts/unlock-keyring.ts';
import { until } from '../../../scripts/until.ts';
import { bareEnvironment, runSvc, SVC, temporaryFolder } from './svc.ts';

const KEY = 'sk-test-0123456789-of-the-cli';

/** A bus that starts no service. */
const BARE_BUS = `<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`;

/** Runs shell lines in their own D-Bus session, with `svc` as a command. */
function inSession(
  folder: string,
  lines: readonly string[],
  bus: readonly string[] = [],
): { status: number | null; out: string } {
  const runtime = join(folder, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const script = `set -e\nsvc() { "$NODE" "$SVC" "$@"; }\n${lines.join('\n')}`;
  const run = spawnSync('dbus-run-session', [...bus, '--', 'bash', '-c', script], {
    env: bareEnvironment(folder, { XDG_RUNTIME_DIR: runtime, NODE: process.execPath, SVC, KEY }),
    encoding: 'utf8',
    timeout: 200_000,
  });
  return { status: run.status, out: `${run.stdout}${run.stderr}` };
}

/** All the text below a folder. Reads it again if the keyring's daemon removes its sockets meanwhile. */
async function textBelow(folder: string): Promise<string> {
  const read = (): string | Error => {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isFile())
        .map((path) => readFileSync(path, 'latin1'))
        .join('\n');
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const text = await until(read, (value) => !(value instanceof Error), 'the folder can be read');
  return String(text);
}

test('svc key set, status and remove with a real keyring show no key, and the environment takes precedence', {
  skip: noKeyring,
}, async (t) => {
  const folder = temporaryFolder(t);
  const ran = inSession(folder, [
    UNLOCK_KEYRING,
    'printf "%s\\n" "$KEY" | svc key set --provider anthropic -',
    'printf %s "$KEY-other" | svc key set --json',
    'echo STATUS; svc key status --json; echo END',
    'printf %s "$KEY" | ANTHROPIC_API_KEY=sk-env svc key set --provider anthropic -',
    'ANTHROPIC_API_KEY=sk-env svc key remove --provider anthropic',
    'svc key remove --provider google',
    'printf %s "$KEY" | svc key set --provider custom -',
    'echo AFTER; svc key status',
  ]);
  assert.equal(ran.status, 0, ran.out);
  assert.ok(!ran.out.includes(KEY), 'a key is never shown');
  assert.match(ran.out, /Stored the key for anthropic in the keyring\./);
  assert.match(ran.out, /"provider": "openai",\s+"stored": true/);
  const status = JSON.parse(/STATUS\n([\s\S]*)END/.exec(ran.out)?.[1] ?? '');
  assert.deepEqual(status.keyring, { available: true });
  const kept = status.providers.filter(({ key }: { key: string }) => key === 'keyring');
  assert.deepEqual(
    kept.map(({ id }: { id: string }) => id),
    ['openai', 'anthropic'],
  );
  assert.match(ran.out, /warning: The environment has a key for anthropic, too/);
  assert.match(ran.out, /warning: The environment still has a key for anthropic/);
  assert.match(ran.out, /AFTER[\s\S]*openai +in the keyring[\s\S]*anthropic +none/);
  assert.match(ran.out, /AFTER[\s\S]*custom +in the keyring/);
  assert.ok(!(await textBelow(folder)).includes(KEY), 'no file holds it in clear');
});

test('svc key with a bus without a keyring reports it, and stores nothing', {
  skip: noKeyring,
}, async (t) => {
  const folder = temporaryFolder(t);
  const config = join(folder, 'bus.conf');
  writeFileSync(config, BARE_BUS);
  const lines = [
    'printf %s "$KEY" | svc key set --provider openai - || echo "SET=$?"',
    'svc key remove --provider openai || echo "REMOVE=$?"',
    'svc key status; echo "STATUS=$?"',
  ];
  const ran = inSession(folder, lines, [`--config-file=${config}`]);
  assert.match(ran.out, /SET=1[\s\S]*REMOVE=1[\s\S]*openai +none[\s\S]*STATUS=0/, ran.out);
  assert.match(ran.out, /svc: No usable keyring \(Secret Service\) was found\./);
  assert.match(ran.out, /No keyring: /);
  assert.ok(!(await textBelow(folder)).includes(KEY));
});

test('svc key without a D-Bus session exits with 1 and the reason for set and remove, and status shows the reason', async (t) => {
  const set = await runSvc(t, ['key', 'set', '--provider', 'openai', '-', '--json'], {
    input: KEY,
  });
  assert.equal(set.code, 1);
  assert.equal(JSON.parse(set.stdout).error.code, 'keyring_unavailable');
  assert.match(set.stderr, /^svc: There is no D-Bus session/);
  assert.ok(!`${set.stdout}${set.stderr}`.includes(KEY));
  assert.equal((await runSvc(t, ['key', 'remove'])).code, 1);
  const env = { GEMINI_API_KEY: 'x', SVC_PROVIDER_KEY: 'y' };
  const status = await runSvc(t, ['key', 'status', '--json'], { env });
  assert.equal(status.code, 0);
  const { keyring, providers } = JSON.parse(status.stdout);
  assert.equal(keyring.available, false);
  assert.match(keyring.reason, /D-Bus/);
  const google = providers.find(({ id }: { id: string }) => id === 'google');
  assert.equal(google.key, 'env');
  assert.deepEqual(providers.at(-1), { id: 'custom', key: 'env', host: null });
  const url = ['--provider-url', 'https://models.example/v1'];
  const named = await runSvc(t, ['key', 'status', '--json', ...url], { env });
  const custom = JSON.parse(named.stdout).providers.at(-1);
  assert.deepEqual(custom, { id: 'custom', key: 'env', host: 'models.example' });
});

test('svc key set rejects a key on the command line with the reason, and a text that is not a key', async (t) => {
  for (const args of [
    ['key', 'set', '--provider', 'openai', KEY],
    ['key', 'set', KEY],
  ]) {
    const { code, stdout, stderr } = await runSvc(t, args, { input: KEY });
    assert.equal(code, 2);
    assert.match(stderr, /ps\).*history/);
    assert.ok(!`${stdout}${stderr}`.includes(KEY), 'and does not repeat it');
  }
  for (const input of ['', ' \n', 'two words', 'línea', 'x'.repeat(4097), 'x'.repeat(70_000)]) {
    const { code, stderr } = await runSvc(t, ['key', 'set', '-'], { input });
    assert.equal(code, 7, stderr);
    assert.match(stderr, /key/);
  }
  const unknown = await runSvc(t, ['key', 'set', '--provider', 'nobody', '-'], { input: KEY });
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /openai/);
});
