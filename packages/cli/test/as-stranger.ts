// Running `svc` as a user who is neither root nor the owner of anything.
import { spawnSync } from 'node:child_process';
import { SVC } from './svc.ts';

/** The user nobody of every Linux system. */
const STRANGER = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
/**
 * May also read any file, so that a checkout in somebody's private folder can be started; writing needs more.
 * Without that bit access(2), by which Node looks whether a file exists, leaves the capability out.
 */
const READS_ALL = [
  ['--securebits', '+no_setuid_fixup'],
  ['--inh-caps', '-all,+dac_read_search'],
  ['--ambient-caps', '-all,+dac_read_search'],
].flat();

/**
 * Arguments of `setpriv` under which a stranger can start `svc` from this checkout; the command follows them. Where no
 * such stranger can be made, the reason to skip the test.
 */
export function asStranger(): { readonly args: readonly string[] } | { readonly skip: string } {
  if (process.getuid?.() !== 0) return { skip: 'kernel: only root can start svc as another user' };
  for (const args of [STRANGER, [...STRANGER, ...READS_ALL]]) {
    const probe = spawnSync('setpriv', [...args, process.execPath, SVC, '--version'], { cwd: '/' });
    if (probe.status === 0) return { args };
  }
  return { skip: 'kernel: no other user may read this checkout' };
}
