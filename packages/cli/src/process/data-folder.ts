// The folder for the data of this user.
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Io } from './io.ts';

/** `$XDG_DATA_HOME/svc`, or `~/.local/share/svc`. */
export function findDataFolder({ env }: Pick<Io, 'env'>): string {
  const configured = env['XDG_DATA_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const base = isAbsolute(configured)
    ? configured
    : // Without HOME in the environment, the home folder that the system has for this user.
      join(isAbsolute(home) ? home : userInfo().homedir, '.local', 'share');
  return join(base, 'svc');
}
