// For tests of the keyring: a Secret Service of their own, unlocked.
import { spawnSync } from 'node:child_process';

const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** Why no test can have a keyring of its own here; false where it can. */
export const noKeyring: string | false =
  isInstalled('dbus-run-session') && isInstalled('gnome-keyring-daemon')
    ? false
    : 'gnome-keyring and dbus are not installed';

/**
 * Shell lines for a D-Bus session: they start an unlocked gnome-keyring and wait up to a minute until it is on the bus. A
 * request before that would make the bus start a second keyring, which is locked.
 */
export const UNLOCK_KEYRING = `
printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
for _ in $(seq 600); do
  if dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true'; then break; fi
  sleep 0.1
done
`;
