// Which of the probes that a person asked for can run here, by which collector, and why not where they can't.
import type { Capability } from '@svc/contracts/agent';
import type { PinnedProcess } from '../target/pin-process.ts';
import { filesProbe } from './files/files-probe.ts';
import { askHelper, type HelperOffer } from './probe-helper.ts';
import type { ProbeId, ProbeKind } from './probe-kind.ts';
import { probePrograms } from './probe-programs.ts';
import { bpfStacks } from './stacks/bpf-stacks.ts';
import { perfCommand, perfObstacle, perfStacks } from './stacks/perf-stacks.ts';
import type { ProbeCommand } from './supervise-probe.ts';

/** A probe that was asked for. */
export type ProbeOffer = {
  readonly id: ProbeId;
  readonly capability: Capability;
  /** How to start it; null where it can't be. */
  readonly start: { readonly kind: ProbeKind; readonly command: ProbeCommand } | null;
};

/** What reads the lines of the helper's modes. */
const KINDS: Readonly<Record<ProbeId, ProbeKind>> = {
  stacks: bpfStacks,
  files: filesProbe,
};

/** Finds out what can be observed of the process; loads nothing. Never rejects. `folder` is where a bundle keeps the programs. */
export async function offerProbes(
  ids: readonly ProbeId[],
  process: PinnedProcess | null,
  folder: string | undefined,
): Promise<ProbeOffer[]> {
  if (ids.length === 0) return [];
  if (process === null) {
    return ids.map((id) => refused(id, 'No process was authorized: start with --pid PID'));
  }
  const programs = probePrograms(folder);
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

/** Stacks by perf, in the place of BPF; told with what stands against BPF. */
function offerPerf(withoutBpf: string, process: PinnedProcess, program: string): ProbeOffer {
  const obstacle = perfObstacle(process);
  if (obstacle !== null) return refused('stacks', `${withoutBpf}; and ${obstacle}`);
  const reason = `By perf, which sees no kernel frames and nothing of other users. Without BPF: ${withoutBpf}`;
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
