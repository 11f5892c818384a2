import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probe, Status } from '@svc/contracts/agent';
import { probeNote, startNote } from './probe-note.ts';

const TARGET = { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' };

function statusWith(
  capability: Status['capabilities']['files'],
  more: Partial<Status> = {},
  probe: Probe['state'] = 'running',
  reason?: string,
): Status {
  const capabilities = { files: capability } as Status['capabilities'];
  const probes: Probe[] = [{ id: 'files', state: probe, ...(reason !== undefined && { reason }) }];
  return { state: 'capturing', target: TARGET, capabilities, probes, ...more } as Status;
}

test('probeNote states why a probe cannot run', () => {
  const status = statusWith({ available: false, reason: 'bpftrace is not installed' });
  assert.equal(
    probeNote('files', status),
    'The files probe of this session does not run. Bpftrace is not installed.',
  );
});

test('probeNote states what a running probe is waiting for', () => {
  const available = { available: true };
  assert.match(probeNote('files', statusWith(available, { state: 'inactive' })) ?? '', /Start/);
  assert.match(probeNote('files', statusWith(available, {}, 'starting')) ?? '', /is starting/);
  assert.match(probeNote('files', statusWith(available)) ?? '', /runs, and has recorded no file/);
});

test('probeNote states what a running probe reports of itself', () => {
  const status = statusWith({ available: true }, {}, 'running', 'The program has no window');
  assert.equal(
    probeNote('files', status),
    'The files probe of this session runs. The program has no window.',
  );
  const failed = statusWith({ available: true }, {}, 'failed', 'The collector has ended.');
  assert.equal(
    probeNote('files', failed),
    'The files probe of this session has failed. The collector has ended.',
  );
});

test('probeNote returns null without a live process', () => {
  const available = { available: true };
  assert.equal(probeNote('files', null), null);
  assert.equal(probeNote('files', statusWith(available, { target: null })), null);
  assert.equal(probeNote('files', statusWith(available, { state: 'ended' })), null);
});

test('startNote lists what Start measures, including the requested probes', () => {
  const noteOf = (...probes: Probe[]): ReturnType<typeof startNote> =>
    startNote(statusWith({ available: true }, { state: 'inactive', probes }));
  const off = (id: string): Probe => ({ id, state: 'off' });
  assert.deepEqual(noteOf(off('process'), off('pss')), {
    measures: 'CPU, RSS and PSS are read once a second',
    unavailable: [],
  });
  assert.equal(
    noteOf(off('pss'), off('stacks')).measures,
    'CPU, RSS and PSS are read once a second and stacks are sampled',
  );
  const all = noteOf(
    { id: 'pss', state: 'unavailable', reason: 'denied' },
    off('frames'),
    off('stacks'),
    off('files'),
  );
  assert.equal(
    all.measures,
    'CPU and RSS are read once a second, frames are timed, stacks are sampled and the files it opens, reads and maps are recorded',
  );
  assert.deepEqual(all.unavailable, ['No PSS: Denied.']);
  assert.deepEqual(noteOf(off('pss'), off('follow')), {
    measures:
      'CPU, RSS and PSS are read once a second and the trace that the program writes itself is merged',
    unavailable: [],
  });
  const refused: Probe = { id: 'stacks', state: 'unavailable', reason: 'bpftrace is missing.' };
  assert.deepEqual(noteOf(off('pss'), refused), {
    measures: 'CPU, RSS and PSS are read once a second',
    unavailable: ['No stacks: Bpftrace is missing.'],
  });
});
