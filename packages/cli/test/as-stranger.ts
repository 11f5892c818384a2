// Runs `svc` as a user who is not root and owns no file.
import { spawnSync } from 'node:child_process';
import { SVC } from './svc.ts';

/** The user `nobody` of every Linux system. */
const STRANGER = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
/**
 * The user may also read every file, so that a checkout in a private folder can be started. Writing needs more.
 * Without that bit, access(2) ignores the capability, and Node uses it to check whether a file exists.
 */
const READS_ALL = [
  ['--securebits', '+no_setuid_fixup'],
  ['--inh-caps', '-all,+dac_read_search'],
  ['--ambient-caps', '-all,+dac_read_search'],
].flat();

/**
 * Arguments of `setpriv` that let this user start `svc` from this checkout. The command follows them. If such a user
 * is not possible, the reason to skip the test.
 */
export function asStranger(): { readonly args: readonly string[] } | { readonly skip: string } {
  if (process.getuid?.() !== 0) return { skip: 'kernel: only root can start svc as another user' };
  for (const args of [STRANGER, [...STRANGER, ...READS_ALL]]) {
    const probe = spawnSync('setpriv', [...args, process.execPath, SVC, '--version'], { cwd: '/' });
    if (probe.status === 0) return { args };
  }
  return { skip: 'kernel: no other user may read this checkout' };
}
