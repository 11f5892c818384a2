// Keys in a real Secret Service (gnome-keyring in a separate D-Bus session), in a locked one, and
// without one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noKeyring, UNLOCK_KEYRING } from '../../../scripts/unlock-keyring.ts';
import { agentOptions, temporaryFolder } from './harness.ts';

const PROGRAM = join(import.meta.dirname, 'keyring-program.ts');

/** A bus that starts no service. */
const BARE = `<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`;

/** Runs the program in a separate session. `before` is the shell line that starts a keyring. */
function inSession(mode: string, before: string): { status: number | null; out: string } {
  using folder = temporaryFolder();
  const home = join(folder.path, 'home');
  const runtime = join(folder.path, 'run');
  for (const path of [home, runtime]) mkdirSync(path, { mode: 0o700 });
  const config = join(folder.path, 'bus.conf');
  writeFileSync(config, BARE);
  const bus = mode === 'absent' ? [`--config-file=${config}`] : [];
  const script = `${before} exec "$0" "$@"`;
  const args = [process.execPath, PROGRAM, mode, JSON.stringify(agentOptions(folder.path))];
  const { DISPLAY: _, WAYLAND_DISPLAY: __, DBUS_SESSION_BUS_ADDRESS: ___, ...env } = process.env;
  const run = spawnSync('dbus-run-session', [...bus, '--', 'bash', '-c', script, ...args], {
    env: { ...env, HOME: home, XDG_RUNTIME_DIR: runtime },
    encoding: 'utf8',
    timeout: 200_000,
  });
  return { status: run.status, out: `${run.stdout}${run.stderr}` };
}

for (const [mode, before] of Object.entries({
  unlocked: UNLOCK_KEYRING,
  locked: UNLOCK_KEYRING,
  stalled: UNLOCK_KEYRING,
  empty: '',
  absent: '',
})) {
  test(`keys with a keyring that is ${mode}`, { skip: noKeyring }, () => {
    const { status, out } = inSession(mode, before);
    assert.equal(status, 0, out);
    assert.match(out, new RegExp(`^${mode}: all held$`, 'm'));
  });
}
