// What a person is told where a view is empty that a native probe of this session could fill. Pure.
import type { Status } from '@svc/contracts/agent';

const WHEN_IDLE = {
  stacks: 'has met no sample yet: a process that waits uses no CPU and shows no stacks',
  files: 'has seen no file opened, read or mapped yet',
} as const;

/** How the probe of a live session fares, in a sentence; null where there is no process to watch, or the session is over. */
export function probeNote(id: 'stacks' | 'files', status: Status | null): string | null {
  if (status === null || status.target === null || status.state === 'ended') return null;
  const { available, reason } = status.capabilities[id];
  const name = `The ${id} probe of this session`;
  if (!available) return `${name} does not run. ${sentence(reason ?? 'No reason was told')}`;
  if (status.state === 'inactive') return `${name} is ready: press Start.`;
  const state = status.probes.find((probe) => probe.id === id)?.state;
  if (state === 'starting') return `${name} is starting, which takes a few seconds.`;
  return `${name} runs, and ${WHEN_IDLE[id]}.`;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
