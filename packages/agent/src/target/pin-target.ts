// Pins a process in the way of the system.
import { StartError } from '../start-error.ts';
import { macosSampler } from './other-systems/macos-sampler.ts';
import { pinBySampler } from './other-systems/pin-by-sampler.ts';
import type { Sampler } from './other-systems/sampler.ts';
import { windowsSampler } from './other-systems/windows-sampler.ts';
import { type PinnedProcess, pinProcess } from './pin-process.ts';

/** Why nothing can be recorded if no process was chosen. */
export const NO_PROCESS =
  'No process was authorized: start with --pid PID, --name NAME or -- PROGRAM';

const SAMPLERS: Readonly<Record<string, Sampler>> = { darwin: macosSampler, win32: windowsSampler };

/** Whether processes can be watched on a system. */
export function canWatch(platform: string): boolean {
  return platform === 'linux' || Object.hasOwn(SAMPLERS, platform);
}

export type PinOptions = {
  readonly name?: string;
  /** When the process that was chosen started, in ticks of the kernel. Another process with its id is not opened. */
  readonly startTicks?: number | null;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Opens a process. With a name, the process keeps it: a program that waits for its start is still a shell. Rejects with StartError: `no_such_process`, `process_forbidden`, `capture_unsupported`, or with the reason of an aborted
 * `signal`.
 */
export async function pinTarget(
  pid: number,
  { name, startTicks = null, signal }: PinOptions = {},
): Promise<PinnedProcess> {
  const pinned = await pin(pid, startTicks, signal);
  return name === undefined ? pinned : underName(pinned, name);
}

async function pin(
  pid: number,
  startTicks: number | null,
  signal?: AbortSignal,
): Promise<PinnedProcess> {
  const { platform } = process;
  if (platform === 'linux') return pinProcess(pid, startTicks);
  const sampler = SAMPLERS[platform];
  if (sampler !== undefined) return await pinBySampler(pid, sampler, signal);
  throw new StartError(
    'capture_unsupported',
    `Cannot watch process ${pid}: capture works on Linux, macOS and Windows; opening traces works here too`,
  );
}

function underName(process: PinnedProcess, name: string): PinnedProcess {
  return {
    get target() {
      return { ...process.target, name };
    },
    folder: process.folder,
    pssDenied: process.pssDenied,
    read: () => process.read(),
    exited: () => process.exited(),
    release: () => process.release(),
  };
}
