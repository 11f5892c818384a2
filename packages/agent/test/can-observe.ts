// Whether BPF works on this machine, for the tests that need it.
import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import type { TestContext } from 'node:test';

/** How long loading a program may take on a busy machine. */
const LOAD_MS = 60_000;

/** Why BPF can't observe here, or null. An obstacle of the kernel begins with `kernel: `. */
function observeObstacle(): string | null {
  if (process.platform !== 'linux') return 'kernel: it is not Linux';
  if (process.getuid?.() !== 0) return 'kernel: only root may load BPF';
  if (readlinkSync('/proc/self/ns/pid') !== 'pid:[4026531836]') {
    return 'kernel: BPF sees no PID of this namespace';
  }
  const program = 'profile:hz:99 { exit(); }';
  const { error, status, stderr } = spawnSync('bpftrace', ['-e', program], {
    encoding: 'utf8',
    timeout: LOAD_MS,
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    return 'bpftrace is not installed';
  }
  return status === 0 ? null : `kernel: bpftrace can't sample (${stderr.trim().slice(0, 200)})`;
}

/** Skips the test if BPF can't observe, and then returns true. */
export function skippedWithoutBpf(t: TestContext): boolean {
  const obstacle = observeObstacle();
  if (obstacle !== null) t.skip(obstacle);
  return obstacle !== null;
}
