// Signatures with the keys of the person who makes the release.
import { spawnSync } from 'node:child_process';

/** The namespace of the signature. ssh-keygen asks for it when it verifies. */
const NAMESPACE = 'svc-release';

/** Signs a file with an SSH key. Writes `FILE.sig`. Throws if ssh-keygen fails. */
export function signWithSshKey(file: string, key: string): void {
  run('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', NAMESPACE, file]);
}

/** Runs a program that signs an executable in its place: `PROGRAM SYSTEM FILE`. Throws if it fails. */
export function signExecutable(program: string, system: string, file: string): void {
  run(program, [system, file]);
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new Error(`${program} ${args.join(' ')} failed: ${reason}`);
}
