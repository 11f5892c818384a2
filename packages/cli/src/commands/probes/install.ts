// `svc probes install`: copies the program that root runs for `dashboard --probes`, and tells the line for sudoers.

import { bundledPrograms } from '../../agent/agent-files.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

/** Names that sudoers takes as they are. */
const PLAIN_USER = /^[a-z_][a-z0-9_-]*$/i;

export const installProbesCommand = defineCommand<Record<never, never>>({
  name: 'install',
  summary: 'Copy the program that root runs for dashboard --probes, and print the line for sudoers',
  description: `BPF needs root; svc does not. The one program that does is copied to /usr/local/libexec/svc-probe, owned by root. It takes a PID and a mode and nothing else, observes only processes of the user who calls it, and ends with its caller. Nobody may start it before you add the printed line to sudoers yourself.

Run it again after an update of svc: a program of another version is not used. To take everything back, delete that file and the line.`,
  examples: [['sudo env "PATH=$PATH" svc probes install', 'install, and see the line']],
  async run({ io, output }) {
    const { installHelper } = await import('@svc/agent/probes');
    const { path, sudoers } = install(() => installHelper(bundledPrograms().probePrograms));
    const user = callingUser(io);
    const line = sudoers(user ?? 'USER');
    output.result({ path, sudoers: line }, (paint) => [
      `Copied ${paint('bold', path)}; it is root's alone.`,
      '',
      `To let ${user ?? 'a user'} observe their own processes, add this line by sudo visudo -f /etc/sudoers.d/svc-probe:`,
      '',
      `  ${paint('bold', line)}`,
    ]);
  },
});

function install<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InstallError') throw error;
    const code = 'code' in error ? String(error.code) : '';
    const hint = 'sudo env "PATH=$PATH" svc probes install';
    throw new ExitError(EXIT.forbidden, code, error.message, code === 'not_root' ? { hint } : {});
  }
}

/** Who called sudo, as sudoers names them; null for root itself. */
function callingUser({ env }: Io): string | null {
  const name = env['SUDO_USER'] ?? 'root';
  const id = env['SUDO_UID'] ?? '';
  if (name === 'root') return null;
  if (PLAIN_USER.test(name)) return name;
  return /^\d+$/.test(id) ? `#${id}` : null;
}
