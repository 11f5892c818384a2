// Finds out which of the requested probes can run, with which collector, and why not.
import type { Capability } from '@svc/contracts/agent';
import { isLinuxProcess, type LinuxProcess, type PinnedProcess } from '../target/pin-process.ts';
import { NO_PROCESS } from '../target/pin-target.ts';
import { filesProbe } from './files/files-probe.ts';
import { framesProbe } from './frames/frames-probe.ts';
import { askHelper, type HelperOffer } from './probe-helper.ts';
import type { ProbeId, ProbeKind } from './probe-kind.ts';
import { type ProbePrograms, type Program, readProbePrograms } from './probe-programs.ts';
import { bpfStacks } from './stacks/bpf-stacks.ts';
import { perfCommand, perfObstacle, perfStacks } from './stacks/perf-stacks.ts';
import type { ProbeCommand } from './supervise-probe.ts';

/** A probe that was requested. */
export type ProbeOffer = {
  readonly id: ProbeId;
  readonly capability: Capability;
  /** How to start it. Null if it can't run. */
  readonly start: { readonly kind: ProbeKind; readonly command: ProbeCommand } | null;
};

/** The readers of the helper's output. */
const KINDS: Readonly<Record<ProbeId, ProbeKind>> = {
  frames: framesProbe,
  stacks: bpfStacks,
  files: filesProbe,
};

/** Checks what can be observed of the process, without loading a program. Never rejects. */
export async function offerProbes(
  ids: readonly ProbeId[],
  process: PinnedProcess | null,
  programs: ProbePrograms = readProbePrograms(),
): Promise<ProbeOffer[]> {
  if (ids.length === 0) return [];
  if (process === null) {
    return ids.map((id) => refused(id, NO_PROCESS));
  }
  if (!isLinuxProcess(process)) {
    return ids.map((id) => refused(id, 'Native probes work on Linux only'));
  }
  const helper = await askHelper(process.target.pid, programs.helper);
  return ids.map((id) => {
    const byHelper = offerBpf(id, helper);
    return byHelper.start === null && id === 'stacks'
      ? offerPerf(byHelper.capability.reason ?? '', process, programs.perf)
      : byHelper;
  });
}

function offerBpf(id: ProbeId, { obstacles, command }: HelperOffer): ProbeOffer {
  const kind = KINDS[id];
  const obstacle = obstacles[id];
  if (obstacle !== null) return refused(id, sentence(obstacle));
  return { id, capability: { available: true }, start: { kind, command: command(id) } };
}

/** Stacks by perf instead of BPF. The reason says why BPF can't be used. */
function offerPerf(withoutBpf: string, process: LinuxProcess, program: Program): ProbeOffer {
  const obstacle = perfObstacle(process);
  if (obstacle !== null) return refused('stacks', `${withoutBpf}; and ${obstacle}`);
  const reason = `Sampled by perf, which sees no kernel frames and only your own processes. BPF is not used: ${withoutBpf}`;
  const command = perfCommand(program, process.target.pid);
  return {
    id: 'stacks',
    capability: { available: true, reason },
    start: { kind: perfStacks, command },
  };
}

function refused(id: ProbeId, reason: string): ProbeOffer {
  return { id, capability: { available: false, reason }, start: null };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
