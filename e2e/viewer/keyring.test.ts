// Stores a provider's key from the page in gnome-keyring in a separate D-Bus session.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { noKeyring, UNLOCK_KEYRING } from '../../scripts/unlock-keyring.ts';
import { noBrowser } from './open-viewer.ts';

const PROGRAM = join(import.meta.dirname, 'keyring-program.ts');
const SESSION = `${UNLOCK_KEYRING} exec "$0" "$@"`;

test('a key is stored in the keyring, found, never shown, and removed', {
  skip: noBrowser || noKeyring,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-keyring-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  const runtime = join(folder, 'run');
  for (const path of [home, runtime]) await mkdir(path, { mode: 0o700 });
  const { DISPLAY: _, WAYLAND_DISPLAY: __, DBUS_SESSION_BUS_ADDRESS: ___, ...env } = process.env;
  const session = spawn(
    'dbus-run-session',
    ['--', 'bash', '-c', SESSION, process.execPath, PROGRAM],
    {
      env: { ...env, HOME: home, XDG_RUNTIME_DIR: runtime },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let out = '';
  for (const stream of [session.stdout, session.stderr]) {
    stream.on('data', (text) => {
      out += text;
    });
  }
  const [status] = await once(session, 'close');
  assert.equal(status, 0, out);
  assert.match(out, /^all held$/m);
});
