// Starts the helper program for probes that need root, either directly as root or through `sudo
// -n`.
import { spawn } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '@svc/contracts/caught';
import { PROBE_IDS, type ProbeId } from './probe-kind.ts';
import type { Program } from './probe-programs.ts';
import type { ProbeCommand } from './supervise-probe.ts';

/** The path where `svc probes install` puts the helper. */
export const INSTALLED_HELPER = '/usr/local/libexec/svc-probe';

/** How long the helper may take to report what it can do. */
const CHECK_MS = 5_000;

/** What the helper can observe of one process, and the obstacle to each probe that it can't run. */
export type HelperOffer = {
  readonly obstacles: Readonly<Record<ProbeId, string | null>>;
  command(id: ProbeId): ProbeCommand;
};

/**
 * Asks the helper what it can observe of a process. No program is loaded for this. Never rejects.
 */
export async function askHelper(
  pid: number,
  shipped: Program,
  installed = INSTALLED_HELPER,
): Promise<HelperOffer> {
  const isRoot = process.geteuid?.() === 0;
  // The helper starts itself again, so it needs a file.
  const fault = isRoot && shipped.path !== null ? null : helperFault(installed, shipped.text);
  const command = (mode: string): ProbeCommand =>
    isRoot
      ? helperCommand('/bin/bash', ['-p', shipped.path ?? installed, String(pid), mode], {
          SUDO_UID: '0',
        })
      : helperCommand('sudo', ['-n', '--', installed, String(pid), mode], {});
  const obstacles =
    fault === null ? parseCheck(await printed(command('check'))) : obstaclesBy(() => fault);
  return { obstacles, command };
}

function helperCommand(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ProbeCommand {
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  return { file, args, env: { PATH: path, LC_ALL: 'C', ...env }, announces: true };
}

/**
 * Why a helper must not be started through sudo, or null. Only root may be able to change it, and
 * it must have the text that this agent ships.
 */
export function helperFault(path: string, shipped: string): string | null {
  const again = 'run `sudo svc probes install`';
  try {
    const file = lstatSync(path);
    const folder = lstatSync(dirname(path));
    if (!file.isFile() || !folder.isDirectory()) return `${path} is not a regular file; ${again}`;
    if (file.uid !== 0 || (file.mode & 0o022) !== 0)
      return `${path} can be changed by users other than root; ${again}`;
    if (folder.uid !== 0 || (folder.mode & 0o002) !== 0) {
      return `users other than root can write to ${dirname(path)}`;
    }
    const same = readFileSync(path, 'utf8') === shipped;
    return same ? null : `${path} belongs to another version of svc; ${again}`;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT'
      ? `BPF needs root, and the helper is not installed; ${again}`
      : `${path} can't be read (${code}); ${again}`;
  }
}

type Printed = { readonly out: string; readonly err: string };

function printed({ file, args, env }: ProbeCommand): Promise<Printed> {
  const { promise, resolve } = Promise.withResolvers<Printed>();
  const child = spawn(file, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.on('data', (bytes) => {
    text.out = `${text.out}${bytes}`.slice(0, 4096);
  });
  child.stderr.on('data', (bytes) => {
    text.err = `${text.err}${bytes}`.slice(0, 4096);
  });
  const done = (): void => {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
    resolve(text);
  };
  const timer = setTimeout(() => {
    text.err = `${file} did not answer within ${CHECK_MS / 1000} s`;
    done();
  }, CHECK_MS);
  child.on('error', (error) => {
    text.err = error.message;
    done();
  });
  child.once('close', done);
  return promise;
}

/**
 * Parses the output of `svc-probe PID check`. Any other output, such as an error of sudo, is an
 * obstacle to all probes.
 */
export function parseCheck({ out, err }: Printed): HelperOffer['obstacles'] {
  const lines = out.split('\n');
  const failed = lines.find((line) => line.startsWith('#fail '))?.slice('#fail '.length);
  const silent = failed ?? refusalOf(err);
  const obstacle = (id: ProbeId): string | null => {
    if (lines.includes(`#can ${id}`)) return null;
    const start = `#cannot ${id} `;
    return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? silent;
  };
  return obstaclesBy(obstacle);
}

function obstaclesBy(of: (id: ProbeId) => string | null): HelperOffer['obstacles'] {
  return Object.fromEntries(PROBE_IDS.map((id) => [id, of(id)])) as HelperOffer['obstacles'];
}

function refusalOf(err: string): string {
  if (/^sudo: /m.test(err)) {
    return 'sudo does not start the helper without a password; `svc probes install` prints the line that allows it';
  }
  return (
    err
      .replaceAll(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, 200) || 'the helper did not answer'
  );
}
