// What a person is told of a session's native probes: before Start, and where a view is empty that one could fill. Pure.
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

/** What will be measured once Start is pressed, as a sentence, and what was asked for and can not be, each with its reason. */
export function startNote(status: Status): { measures: string; unavailable: string[] } {
  const of = (id: string): Status['probes'][number] | undefined =>
    status.probes.find((probe) => probe.id === id);
  const runs = (id: string): boolean => of(id) !== undefined && of(id)?.state !== 'unavailable';
  const numbers = of('pss')?.state === 'unavailable' ? 'CPU and RSS' : 'CPU, RSS and PSS';
  const probes = [
    ...(runs('stacks') ? ['stacks are sampled'] : []),
    ...(runs('files') ? ['the files it opens, reads and maps are noted'] : []),
  ];
  const last = probes.pop();
  const parts = [`${numbers} are read once a second`, ...probes];
  return {
    measures: last === undefined ? `${parts[0]}` : `${parts.join(', ')} and ${last}`,
    unavailable: status.probes
      .filter(({ state }) => state === 'unavailable')
      .map(
        ({ id, reason }) =>
          `No ${id === 'pss' ? 'PSS' : id}: ${sentence(reason ?? 'no reason was told')}`,
      ),
  };
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
