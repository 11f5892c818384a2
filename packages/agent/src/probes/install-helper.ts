// `@svc/agent/probes`: installs the one program that root runs, in a place that only root can
// change.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { INSTALLED_HELPER } from './probe-helper.ts';
import { type Program, readProbePrograms } from './probe-programs.ts';

export type InstalledHelper = {
  readonly path: string;
  /** The line for sudoers that allows a user to start it without a password. */
  sudoers(user: string): string;
};

/** Why the helper can't be installed. The message is for the user. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
  readonly code: 'not_root' | 'unsafe_folder';

  constructor(code: InstallError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Installs the helper or replaces an older one. The file belongs to root and only root can write to
 * it. Throws InstallError, or Node's error if the file system refuses.
 */
export function installHelper(
  { text }: Program = readProbePrograms().helper,
  path: string = INSTALLED_HELPER,
): InstalledHelper {
  if (process.geteuid?.() !== 0) {
    throw new InstallError('not_root', `Cannot write ${path}: only root can.`);
  }
  const made = mkdirSync(dirname(path), { recursive: true });
  if (made !== undefined) chmodSync(dirname(path), 0o755);
  refuseOpenFolders(dirname(path));
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  // Nobody else can open it before it has its final mode.
  writeFileSync(fresh, text, { flag: 'wx', mode: 0o700 });
  chownSync(fresh, 0, 0);
  chmodSync(fresh, 0o755);
  renameSync(fresh, path);
  return { path, sudoers: (user) => `${user} ALL=(root) NOPASSWD: ${path}` };
}

/**
 * Throws if another user could write to a parent folder, because that user could replace the
 * program that root runs.
 */
function refuseOpenFolders(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid !== 0 || (mode & 0o002) !== 0) {
    throw new InstallError(
      'unsafe_folder',
      `Cannot install: users other than root can write to ${folder}.`,
    );
  }
  if (folder !== '/') refuseOpenFolders(dirname(folder));
}
