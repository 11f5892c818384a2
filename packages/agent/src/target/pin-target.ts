// Pins a process in the way of the system.
import { StartError } from '../start-error.ts';
import { macosSampler } from './other-systems/macos-sampler.ts';
import { pinBySampler } from './other-systems/pin-by-sampler.ts';
import type { Sampler } from './other-systems/sampler.ts';
import { windowsSampler } from './other-systems/windows-sampler.ts';
import { type PinnedProcess, pinProcess } from './pin-process.ts';

const SAMPLERS: Readonly<Record<string, Sampler>> = { darwin: macosSampler, win32: windowsSampler };

/** Whether processes can be watched on a system. */
export function canWatch(platform: string): boolean {
  return platform === 'linux' || Object.hasOwn(SAMPLERS, platform);
}

/**
 * Opens a process. Rejects with StartError: `no_such_process`, `process_forbidden`, `capture_unsupported`, or with the reason of an aborted
 * `signal`.
 */
export async function pinTarget(pid: number, signal?: AbortSignal): Promise<PinnedProcess> {
  const { platform } = process;
  if (platform === 'linux') return pinProcess(pid);
  const sampler = SAMPLERS[platform];
  if (sampler !== undefined) return await pinBySampler(pid, sampler, signal);
  throw new StartError(
    'capture_unsupported',
    `Cannot watch process ${pid}: capture works on Linux, macOS and Windows; opening traces works here too`,
  );
}
