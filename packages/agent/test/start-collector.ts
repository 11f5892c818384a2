// Runs a shell script in place of the collector of a native probe.
import type { TraceRecord } from '@svc/trace';
import type { ProbeContext, ProbeKind } from '../src/probes/probe-kind.ts';
import { type ProbePatience, superviseProbe } from '../src/probes/supervise-probe.ts';
import type { LinuxProcess } from '../src/target/pin-process.ts';
import { within } from './within.ts';

const PATIENT: ProbePatience = { readyMs: 60_000, silentMs: 60_000, stopMs: 60_000 };

type CollectorOptions = {
  readonly patience?: Partial<ProbePatience>;
  /** Replaces parts of the probe, for example its reader. */
  readonly kind?: Partial<ProbeKind>;
  readonly announces?: boolean;
};

/** Starts a script as a collector and records what its reader receives. */
export function startCollector(
  script: string,
  { patience, kind: more, announces = true }: CollectorOptions = {},
) {
  const reported: string[] = [];
  const records: TraceRecord[] = [];
  const target: Pick<LinuxProcess, 'exited'> = { exited: () => state.targetGone };
  const state = { targetGone: false };
  const kind: ProbeKind = {
    id: 'stacks',
    open: () => ({
      ready: (t) => reported.push(`ready ${t}`),
      line: (text) => reported.push(`line ${text}`),
      tick: (t) => reported.push(`tick ${t}`),
      end: (t) => void reported.push(`end ${t}`),
    }),
    ...more,
  };
  const context: ProbeContext = {
    process: target as LinuxProcess,
    frameThreads: new Set(),
    append: (record) => records.push(record),
    // The scripts print small numbers, which stay as they are. The time of the real clock is 999.
    toTraceMs: (ns) => (ns >= 1e6 ? 999 : ns),
  };
  const changed = { wake: () => {} };
  const command = {
    file: '/bin/bash',
    args: ['--norc', '-c', script],
    env: { PATH: process.env['PATH'] ?? '' },
    announces,
  };
  const running = superviseProbe({
    kind,
    command,
    context,
    onChange: () => changed.wake(),
    patience: { ...PATIENT, ...patience },
  });
  const becomes = async (wanted: string): Promise<void> => {
    while (running.probe.state !== wanted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      changed.wake = resolve;
      await within(promise, `the state ${wanted}`);
    }
  };
  return { running, reported, records, state, becomes };
}
