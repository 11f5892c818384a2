// Starts an unlocked Secret Service for tests of the keyring.
import { spawnSync } from 'node:child_process';

const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** The reason why tests can't start a keyring on this machine; false if they can. */
export const noKeyring: string | false =
  isInstalled('dbus-run-session') && isInstalled('gnome-keyring-daemon')
    ? false
    : 'gnome-keyring and dbus are not installed';

/**
 * Shell commands for a D-Bus session that start an unlocked gnome-keyring and wait up to a minute until it is on the bus.
 * With an earlier request, the bus would start a second keyring, which is locked.
 */
export const UNLOCK_KEYRING = `
printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
for _ in $(seq 600); do
  if dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true'; then break; fi
  sleep 0.1
done
`;
