// Sentences about a session's native probes, for the page before Start and for empty views. Pure.
import type { Status } from '@svc/contracts/agent';

const WHEN_IDLE = {
  frames: 'has recorded no frame yet',
  stacks: 'has no sample yet: a waiting process uses no CPU and has no stacks',
  files: 'has recorded no file yet',
} as const;

/**
 * Describes the state of a probe in a live session. Returns null if there is no process, or the session has ended.
 */
export function probeNote(id: keyof typeof WHEN_IDLE, status: Status | null): string | null {
  if (status === null || status.target === null || status.state === 'ended') return null;
  const { available, reason } = status.capabilities[id];
  const name = `The ${id} probe of this session`;
  if (!available) return `${name} does not run. ${sentence(reason ?? 'No reason was reported')}`;
  if (status.state === 'inactive') return `${name} is ready: press Start.`;
  const { state, reason: note } = status.probes.find((probe) => probe.id === id) ?? {};
  if (state === 'failed')
    return `${name} has failed. ${sentence(note ?? 'No reason was reported')}`;
  if (note !== undefined) return `${name} runs. ${sentence(note)}`;
  if (state === 'starting') return `${name} is starting, which takes a few seconds.`;
  return `${name} runs, and ${WHEN_IDLE[id]}.`;
}

/** Describes what Start will measure, and which requested measurements are unavailable, with their reasons. */
export function startNote(status: Status): { measures: string; unavailable: string[] } {
  const of = (id: string): Status['probes'][number] | undefined =>
    status.probes.find((probe) => probe.id === id);
  const runs = (id: string): boolean => of(id) !== undefined && of(id)?.state !== 'unavailable';
  const numbers = of('pss')?.state === 'unavailable' ? 'CPU and RSS' : 'CPU, RSS and PSS';
  const probes = [
    ...(runs('frames') ? ['frames are timed'] : []),
    ...(runs('stacks') ? ['stacks are sampled'] : []),
    ...(runs('files') ? ['the files it opens, reads and maps are recorded'] : []),
    ...(runs('follow') ? ['the trace that the program writes itself is merged'] : []),
  ];
  const last = probes.pop();
  const parts = [`${numbers} are read once a second`, ...probes];
  return {
    measures: last === undefined ? `${parts[0]}` : `${parts.join(', ')} and ${last}`,
    unavailable: status.probes
      .filter(({ state }) => state === 'unavailable')
      .map(
        ({ id, reason }) =>
          `No ${NAMES[id] ?? id}: ${sentence(reason ?? 'no reason was reported')}`,
      ),
  };
}

const NAMES: Readonly<Record<string, string>> = { pss: 'PSS', follow: 'trace of the game' };

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
