// The supervisor with collectors that misbehave: shell scripts in place of the real ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCollector } from '../../test/start-collector.ts';
import { within } from '../../test/within.ts';
import type { LinuxProcess } from '../target/pin-process.ts';
import type { ProbeContext, ProbeKind } from './probe-kind.ts';
import { superviseProbe } from './supervise-probe.ts';

const LOST = { type: 'loss', t: 999, reason: 'probe_lost', probe: 'stacks' };

test('superviseProbe passes on ready, lines, ticks, and the last batch after the input has ended', async () => {
  const { running, reported, records, becomes } = startCollector(
    'echo "#ready 1"; echo a; echo "#tick 2"; echo b; cat; echo "#end 3"; echo last; echo -n torn',
  );
  assert.equal(running.probe.state, 'starting');
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(reported, [
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

test('superviseProbe: a collector that restarts loses the time in between, but no lines of its rounds', async () => {
  const { running, reported, records, becomes } = startCollector(
    'echo "#ready 1"; echo a; echo "#end 2"; echo b; echo "#ready 5"; echo c; cat; echo "#end 6"; echo d',
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(reported, [
    'ready 1',
    'line a',
    'line b',
    'tick 2',
    'ready 5',
    'line c',
    'line d',
    'end 6',
  ]);
  const loss = { type: 'loss', reason: 'probe_restarted', probe: 'stacks', t: 2, duration_ms: 3 };
  assert.deepEqual(records, [loss]);
});

test('superviseProbe: a collector that reports why it fails, and then ends', async () => {
  const { running, reported, records, becomes } = startCollector(
    'echo "#fail the process is not yours"; exit 1',
  );
  await becomes('failed');
  assert.deepEqual(running.probe, {
    id: 'stacks',
    state: 'failed',
    reason: 'The collector of stacks has ended (status 1): the process is not yours',
  });
  assert.deepEqual([reported, records], [['end 999'], [LOST]]);
  await within(running.stop(), 'the collector to stop');
});

test('superviseProbe: a collector that dies is recorded as a loss, with its last complaint as the reason', async () => {
  const { running, records, reported, becomes } = startCollector(
    'echo "#ready 1"; echo a; printf "ERROR: no more\\x1b[31m memory\\n" >&2; kill -9 $$',
  );
  await becomes('failed');
  assert.equal(
    running.probe.reason,
    'The collector of stacks has ended (SIGKILL): no more [31m memory',
  );
  assert.deepEqual([reported, records], [['ready 1', 'line a', 'end 999'], [LOST]]);
});

test('superviseProbe: the exit of the target is not a loss', async () => {
  const { running, records, state, becomes } = startCollector('echo "#ready 1"; read -r _');
  await becomes('running');
  state.targetGone = true;
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual([running.probe.state, records], ['off', []]);
});

test('superviseProbe: a collector that never becomes ready has failed', async () => {
  const { running, records, becomes } = startCollector('cat', { patience: { readyMs: 50 } });
  await becomes('failed');
  assert.equal(running.probe.reason, 'The collector of stacks was not ready for 0.05 s');
  assert.deepEqual(records, [LOST]);
});

test('superviseProbe: a collector that becomes silent has failed', async () => {
  const { running, becomes } = startCollector('echo "#ready 1"; cat', {
    patience: { silentMs: 50 },
  });
  await becomes('failed');
  assert.equal(running.probe.reason, 'The collector of stacks printed nothing for 0.05 s');
});

test('superviseProbe: a collector that does not stop is abandoned', async () => {
  const { running, records, becomes } = startCollector('echo "#ready 1"; cat; exec sleep 3', {
    patience: { stopMs: 50 },
  });
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.match(running.probe.reason ?? '', /did not stop within 0.05 s$/);
  assert.deepEqual(records, [LOST]);
});

test('superviseProbe: a collector that prints too much is ended', async () => {
  const { running, becomes } = startCollector('echo "#ready 1"; exec cat /dev/zero');
  await becomes('failed');
  assert.match(running.probe.reason ?? '', /printed too much in one second$/);
});

test('superviseProbe: an error in the reader ends only the probe', async () => {
  const { running, becomes } = startCollector('echo "#ready 1"; echo a; cat', {
    kind: {
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
  });
  await becomes('failed');
  assert.match(running.probe.reason ?? '', /could not be read \(not this\)$/);
});

test('superviseProbe: events that the kernel dropped are recorded as a loss', async () => {
  const { running, records, becomes } = startCollector(
    'echo "Lost 12 events" >&2; echo "#ready 1"; cat',
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(records, [
    { type: 'loss', t: 999, reason: 'buffer_full', probe: 'stacks', count: 12 },
  ]);
});

test('superviseProbe: a missing program is reported', async () => {
  const kind: ProbeKind = { id: 'files', open: () => ({ line() {}, tick() {}, end() {} }) };
  const process = { exited: () => false } as LinuxProcess;
  const context: ProbeContext = {
    process,
    frameThreads: new Set(),
    append: () => {},
    toTraceMs: () => 0,
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const command = { file: '/nowhere/bpftrace', args: [], env: {}, announces: true };
  const running = superviseProbe({ kind, command, context, onChange: resolve });
  await within(promise, 'the refusal');
  assert.match(
    running.probe.reason ?? '',
    /^The collector of files could not be started \(.*ENOENT/,
  );
  await within(running.stop(), 'the collector to stop');
});
