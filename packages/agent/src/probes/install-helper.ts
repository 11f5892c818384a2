// Copies the one program that root runs to where only root can change it. What a command needs of the probes without a session.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { INSTALLED_HELPER } from './probe-helper.ts';
import { probePrograms } from './probe-programs.ts';

export type InstalledHelper = {
  readonly path: string;
  /** The line for sudoers that lets a user start it without a password. */
  sudoers(user: string): string;
};

/** Why the helper can't be installed, in one sentence. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
  readonly code: 'not_root' | 'unsafe_folder';

  constructor(code: InstallError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Installs the helper, or a newer one in its place, owned by root and written by nobody else. `folder` is where a bundle
 * keeps the programs. Throws InstallError, or Node's error where the file system refuses.
 */
export function installHelper(folder?: string, path: string = INSTALLED_HELPER): InstalledHelper {
  if (process.geteuid?.() !== 0) {
    throw new InstallError('not_root', `Cannot write ${path}: only root may.`);
  }
  const made = mkdirSync(dirname(path), { recursive: true });
  if (made !== undefined) chmodSync(dirname(path), 0o755);
  refuseOpenFolders(dirname(path));
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  copyFileSync(probePrograms(folder).helper, fresh);
  chownSync(fresh, 0, 0);
  chmodSync(fresh, 0o755);
  renameSync(fresh, path);
  return { path, sudoers: (user) => `${user} ALL=(root) NOPASSWD: ${path}` };
}

/** Whoever may write to a folder above could put another program there, which root would then run. */
function refuseOpenFolders(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid !== 0 || (mode & 0o002) !== 0) {
    throw new InstallError('unsafe_folder', `Cannot install: ${folder} is not root's alone.`);
  }
  if (folder !== '/') refuseOpenFolders(dirname(folder));
}
