// `svc probes install`: copies the program that root runs for `dashboard --probes`, and prints the line for sudoers.

import { packagedPrograms } from '../../agent/agent-files.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

/** User names that sudoers accepts without quoting. */
const PLAIN_USER = /^[a-z_][a-z0-9_-]*$/i;

export const installProbesCommand = defineCommand({
  name: 'install',
  summary: 'Install the program that root runs for dashboard --probes',
  description: `BPF needs root, and svc should not run as root. This command copies one small program to /usr/local/libexec/svc-probe, owned by root, and prints a line for sudoers. The program accepts a PID and a mode only. It observes only processes of the user who starts it, and exits with its caller. No user may start it until you add the line to sudoers.

Run this command again after each update of svc, because svc does not use a program of another version. To uninstall, delete the program and the line.`,
  examples: [
    ['sudo env "PATH=$PATH" svc probes install', 'install the program and print the line'],
  ],
  document: 'probes-install',
  async run({ io, output }) {
    const { installHelper } = await import('@svc/agent/probes');
    const { path, sudoers } = install(() =>
      installHelper(packagedPrograms().probePrograms?.helper),
    );
    const user = callingUser(io);
    const line = sudoers(user ?? 'USER');
    output.result({ path, sudoers: line }, (paint) => [
      `Copied the program to ${paint('bold', path)}. It belongs to root.`,
      '',
      `To let ${user ?? 'a user'} observe their own processes, run sudo visudo -f /etc/sudoers.d/svc-probe and add this line:`,
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

/** The user who ran sudo, in the syntax of sudoers. Null for root. */
function callingUser({ env }: Io): string | null {
  const name = env['SUDO_USER'] ?? 'root';
  const id = env['SUDO_UID'] ?? '';
  if (name === 'root') return null;
  if (PLAIN_USER.test(name)) return name;
  return /^\d+$/.test(id) ? `#${id}` : null;
}
