// Run by root, then as the given user: asks the helper, or perf, for the stacks of a process and
// reports the result. Everything is loaded before root is given up, because that user may not read
// this checkout.
import { once } from 'node:events';
import type { TraceRecord } from '@svc/trace';
import { monotonicNs } from '../src/probes/monotonic-ns.ts';
import { offerProbes } from '../src/probes/offer-probes.ts';
import { readProbePrograms } from '../src/probes/probe-programs.ts';
import { superviseProbe } from '../src/probes/supervise-probe.ts';
import type { LinuxProcess } from '../src/target/pin-process.ts';
import { stacksOf, weightOf, weightUnder } from './recorded-stacks.ts';

const [user = '', pid = ''] = process.argv.slice(2);
const programs = readProbePrograms();
process.setgroups?.([]);
process.setgid?.(Number(user));
process.setuid?.(Number(user));

// A process that has given up root can't pin a process, because the kernel hides it from itself
// until the next exec.
const target: LinuxProcess = {
  target: { pid: Number(pid), name: 'shares', started_at: '' },
  folder: `/proc/${pid}`,
  pssDenied: null,
  read: () => null,
  exited: () => false,
  release: () => {},
};
const [offer] = await offerProbes(['stacks'], target, programs);
console.log(JSON.stringify(offer?.capability));
if (offer?.start != null) {
  const records: TraceRecord[] = [];
  const startNs = monotonicNs();
  const changed = new EventTarget();
  const context = {
    process: target,
    append: (record: TraceRecord) => {
      records.push(record);
      changed.dispatchEvent(new Event('change'));
    },
    frameThreads: new Set<number>(),
    toTraceMs: (ns: number) => Math.max(0, (ns - startNs) / 1e6),
  };
  const { kind, command } = offer.start;
  const running = superviseProbe({
    kind,
    command,
    context,
    onChange: () => changed.dispatchEvent(new Event('change')),
  });
  // It runs until it is killed. The tests read its output.
  for (;;) {
    await once(changed, 'change');
    const stacks = stacksOf(records);
    const reported = { probe: running.probe, samples: weightOf(stacks) };
    console.log(JSON.stringify({ ...reported, update: weightUnder(stacks, /^update$/) }));
  }
}
