// The supervisor against collectors that do what collectors should not: shell scripts in the place of the real ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import { within } from '../../test/within.ts';
import type { PinnedProcess } from '../target/pin-process.ts';
import type { ProbeContext, ProbeKind } from './probe-kind.ts';
import { type ProbePatience, superviseProbe } from './supervise-probe.ts';

const PATIENT: ProbePatience = { readyMs: 60_000, silentMs: 60_000, stopMs: 60_000 };

/** Starts a script as a collector and keeps what its reader is told. */
function collect(
  script: string,
  patience: Partial<ProbePatience> = {},
  more: Partial<ProbeKind> = {},
) {
  const told: string[] = [];
  const records: TraceRecord[] = [];
  const target: Pick<PinnedProcess, 'exited'> = { exited: () => state.targetGone };
  const state = { targetGone: false };
  const kind: ProbeKind = {
    id: 'stacks',
    open: () => ({
      ready: (t) => told.push(`ready ${t}`),
      line: (text) => told.push(`line ${text}`),
      tick: (t) => told.push(`tick ${t}`),
      end: (t) => void told.push(`end ${t}`),
    }),
    ...more,
  };
  const context: ProbeContext = {
    process: target as PinnedProcess,
    append: (record) => records.push(record),
    toTraceMs: (ns) => (ns < 1e6 ? ns : 999),
  };
  const changed = { wake: () => {} };
  const command = {
    file: '/bin/bash',
    args: ['--norc', '-c', script],
    env: { PATH: process.env['PATH'] ?? '' },
    announces: true,
  };
  const running = superviseProbe(kind, command, context, () => changed.wake(), {
    ...PATIENT,
    ...patience,
  });
  const becomes = async (wanted: string): Promise<void> => {
    while (running.probe.state !== wanted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      changed.wake = resolve;
      await within(promise, `the state ${wanted}`);
    }
  };
  return { running, told, records, state, becomes };
}

const LOST = { type: 'loss', t: 999, reason: 'probe_lost', probe: 'stacks' };

test('superviseProbe: ready, lines, ticks, and the last batch after its input has ended', async () => {
  const { running, told, records, becomes } = collect(
    'echo "#ready 1"; echo a; echo "#tick 2"; echo b; cat; echo "#end 3"; echo last; echo -n torn',
  );
  assert.equal(running.probe.state, 'starting');
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(told, [
    'ready 1',
    'line a',
    'tick 2',
    'line b',
    'line last',
    'line torn',
    'end 3',
  ]);
  assert.deepEqual([running.probe, records], [{ id: 'stacks', state: 'off' }, []]);
});

test('superviseProbe: one that begins anew loses what was in between, and nothing of the rounds', async () => {
  const { running, told, records, becomes } = collect(
    'echo "#ready 1"; echo a; echo "#end 2"; echo b; echo "#ready 5"; echo c; cat; echo "#end 6"; echo d',
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(told, [
    'ready 1',
    'line a',
    'line b',
    'tick 2',
    'ready 5',
    'line c',
    'line d',
    'end 6',
  ]);
  assert.deepEqual(records, [{ type: 'loss', t: 999, reason: 'probe_restarted', probe: 'stacks' }]);
});

test('superviseProbe: one that says why it fails, and then ends', async () => {
  const { running, told, records, becomes } = collect(
    'echo "#fail the process is not yours"; exit 1',
  );
  await becomes('failed');
  assert.deepEqual(running.probe, {
    id: 'stacks',
    state: 'failed',
    reason: 'The collector of stacks has ended (status 1): the process is not yours',
  });
  assert.deepEqual([told, records], [['end 999'], [LOST]]);
  await within(running.stop(), 'the collector to stop');
});

test('superviseProbe: one that dies in the middle is a loss with the reason it gave', async () => {
  const { running, records, told, becomes } = collect(
    'echo "#ready 1"; echo a; printf "ERROR: no more\\x1b[31m memory\\n" >&2; kill -9 $$',
  );
  await becomes('failed');
  assert.equal(
    running.probe.reason,
    'The collector of stacks has ended (SIGKILL): no more [31m memory',
  );
  assert.deepEqual([told, records], [['ready 1', 'line a', 'end 999'], [LOST]]);
});

test('superviseProbe: the end of the target is no loss', async () => {
  const { running, records, state, becomes } = collect('echo "#ready 1"; read -r _');
  await becomes('running');
  state.targetGone = true;
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual([running.probe.state, records], ['off', []]);
});

test('superviseProbe: one that is never ready', async () => {
  const { running, records, becomes } = collect('cat', { readyMs: 50 });
  await becomes('failed');
  assert.equal(running.probe.reason, 'The collector of stacks was not ready for 0.05 s');
  assert.deepEqual(records, [LOST]);
});

test('superviseProbe: one that falls silent after it was ready', async () => {
  const { running, becomes } = collect('echo "#ready 1"; cat', { silentMs: 50 });
  await becomes('failed');
  assert.equal(running.probe.reason, 'The collector of stacks printed nothing for 0.05 s');
});

test('superviseProbe: one that does not stop is let go', async () => {
  const { running, records, becomes } = collect('echo "#ready 1"; cat; exec sleep 3', {
    stopMs: 50,
  });
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.match(running.probe.reason ?? '', /did not stop within 0.05 s$/);
  assert.deepEqual(records, [LOST]);
});

test('superviseProbe: one that floods is ended', async () => {
  const { running, becomes } = collect('echo "#ready 1"; exec cat /dev/zero');
  await becomes('failed');
  assert.match(running.probe.reason ?? '', /printed too much in one second$/);
});

test('superviseProbe: a fault of the reader is the end of the probe alone', async () => {
  const { running, becomes } = collect(
    'echo "#ready 1"; echo a; cat',
    {},
    {
      open: () => ({
        line: () => {
          throw new Error('not this');
        },
        tick: () => {},
        end: () => {
          throw new Error('nor this');
        },
      }),
    },
  );
  await becomes('failed');
  assert.match(running.probe.reason ?? '', /could not be read \(not this\)$/);
});

test('superviseProbe: events that the kernel dropped are told as a loss', async () => {
  const { running, records, becomes } = collect('echo "Lost 12 events" >&2; echo "#ready 1"; cat');
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(records, [
    { type: 'loss', t: 999, reason: 'buffer_full', probe: 'stacks', count: 12 },
  ]);
});

test('superviseProbe: a program that is not there', async () => {
  const kind: ProbeKind = { id: 'files', open: () => ({ line() {}, tick() {}, end() {} }) };
  const process = { exited: () => false } as PinnedProcess;
  const context: ProbeContext = { process, append: () => {}, toTraceMs: () => 0 };
  const { promise, resolve } = Promise.withResolvers<void>();
  const command = { file: '/nowhere/bpftrace', args: [], env: {}, announces: true };
  const running = superviseProbe(kind, command, context, resolve);
  await within(promise, 'the refusal');
  assert.match(
    running.probe.reason ?? '',
    /^The collector of files could not be started \(.*ENOENT/,
  );
  await within(running.stop(), 'the collector to stop');
});
