// The rules of the supervisor that no single output shows: what a tick renews, what a collector
// inherits, and which complaint explains its end.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { startCollector } from '../../test/start-collector.ts';
import { within } from '../../test/within.ts';

/** A file that does not exist yet, and the shell line that waits for it. */
function gateOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-collector-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'gate');
  return {
    path,
    passed: `until [ -e ${path} ]; do sleep 0.02; done`,
    open: () => writeFileSync(path, ''),
  };
}

test('superviseProbe: the limit of bytes applies to each second, not to the whole capture', async () => {
  const second = 'dd if=/dev/zero bs=1M count=35 status=none; echo';
  const { running, reported, becomes } = startCollector(
    `echo "#ready 1"; ${second}; echo "#tick 2"; ${second}; echo "#tick 3"; cat`,
  );
  await becomes('running');
  await until(
    () => reported,
    (words) => words.includes('tick 3'),
    'the second tick is read',
  );
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(running.probe, { id: 'stacks', state: 'off' });
});

test('superviseProbe: each tick renews the time in which the next one must come', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const gate = gateOf(t);
  const { running, reported, becomes } = startCollector(
    `echo "#ready 1"; ${gate.passed}; echo "#tick 2"; cat`,
    { patience: { silentMs: 10_000 } },
  );
  await becomes('running');
  t.mock.timers.tick(9_999);
  gate.open();
  await until(
    () => reported,
    (words) => words.includes('tick 2'),
    'the tick is read',
  );
  t.mock.timers.tick(9_999);
  assert.equal(running.probe.state, 'running');
  t.mock.timers.tick(1);
  assert.equal(running.probe.reason, 'The collector of stacks printed nothing for 10 s');
});

test('superviseProbe: a tick after the end of the input does not extend the time for the exit', async () => {
  const { running, becomes } = startCollector(
    'echo "#ready 1"; cat; echo "#tick 2"; exec sleep 3',
    { patience: { stopMs: 500 } },
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.match(running.probe.reason ?? '', /did not stop within 0.5 s$/);
});

test('superviseProbe: a collector that waits runs, is not silent, and says what it waits for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waits: string[] = [];
  const kind = {
    open: () => ({
      waiting: (what: string) => void waits.push(what),
      ready: () => waits.splice(0),
      line() {},
      tick() {},
      end() {},
      note: () => waits.at(-1) ?? null,
    }),
  };
  const gates = [gateOf(t), gateOf(t)] as const;
  const { running, becomes } = startCollector(
    `echo "#waiting for a library"; ${gates[0].passed}; echo "#waiting for a frame"; ${gates[1].passed}; echo "#ready 1"; cat`,
    { kind, patience: { readyMs: 10_000, silentMs: 10_000 } },
  );
  const noteIs = (note: string | undefined) =>
    until(
      () => running.probe.reason,
      (reason) => reason === note,
      `the note ${note}`,
    );
  await becomes('running');
  await noteIs('for a library');
  t.mock.timers.tick(9_999);
  gates[0].open();
  await noteIs('for a frame');
  t.mock.timers.tick(9_999);
  gates[1].open();
  await noteIs(undefined);
  assert.deepEqual(running.probe, { id: 'stacks', state: 'running' });
  await within(running.stop(), 'the collector to stop');
});

test('superviseProbe: a collector that ends a round must become ready again', async () => {
  const { running, becomes } = startCollector('echo "#ready 1"; echo "#end 2"; cat', {
    patience: { readyMs: 100 },
  });
  await becomes('failed');
  assert.match(running.probe.reason ?? '', /was not ready (again )?for 0.1 s$/);
});

test('superviseProbe: the first complaint since the last tick explains the end', async (t) => {
  const heard: string[] = [];
  const gate = gateOf(t);
  const kind = {
    open: () => ({
      line() {},
      tick() {},
      end() {},
      complaint: (text: string) => {
        heard.push(text);
        return text.startsWith('expected');
      },
    }),
  };
  const { running, becomes } = startCollector(
    `echo "#ready 1"; echo "of the second before" >&2; ${gate.passed}; echo "#tick 2"
    printf '%s\\n' "expected, as always" "" "WARNING: RLIMIT_MEMLOCK is low" "out of memory" "and then" >&2; sleep 0.2; exit 4`,
    { kind },
  );
  await until(
    () => heard,
    ({ length }) => length === 1,
    'the first complaint is read',
  );
  gate.open();
  await becomes('failed');
  assert.equal(running.probe.reason, 'The collector of stacks has ended (status 4): out of memory');
});

test('superviseProbe: a complaint is shortened to 200 characters', async () => {
  const { running, becomes } = startCollector(`printf '%0500d\\n' 0 >&2; exit 1`);
  await becomes('failed');
  const [, complaint] = (running.probe.reason ?? '').split(': ');
  assert.equal(complaint, '0'.repeat(200));
});

test('superviseProbe: a line of the collector with an invalid time is ignored', async () => {
  const { running, reported, becomes } = startCollector(
    'echo "#ready soon"; echo "#tick x"; echo "#other 1"; echo "#ready 1"; cat',
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(
    reported.filter((word) => !word.startsWith('end')),
    ['ready 1'],
  );
});

test('superviseProbe: a collector that announces nothing runs from its first second on, and all its lines are read', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { running, reported, records } = startCollector('echo "#ready 1"; echo a; cat', {
    announces: false,
  });
  await until(
    () => reported.length,
    (count) => count === 2,
    'the lines are read',
  );
  assert.equal(running.probe.state, 'starting');
  t.mock.timers.tick(1_000);
  assert.equal(running.probe.state, 'running');
  t.mock.timers.tick(1_000);
  await within(running.stop(), 'the collector to stop');
  t.mock.timers.tick(5_000);
  assert.deepEqual(reported, [
    'line #ready 1',
    'line a',
    'ready 999',
    'tick 999',
    'tick 999',
    'end 999',
  ]);
  assert.deepEqual(records, []);
});

test('superviseProbe: a collector that ends because its target has exited has not failed', async (t) => {
  const gate = gateOf(t);
  const { running, records, state, becomes } = startCollector(`echo "#ready 1"; ${gate.passed}`);
  await becomes('running');
  state.targetGone = true;
  gate.open();
  await becomes('off');
  assert.deepEqual([running.probe, records], [{ id: 'stacks', state: 'off' }, []]);
});

test('superviseProbe: a collector that is given up loses its input, so that it ends', async (t) => {
  const gate = gateOf(t);
  const { running, becomes } = startCollector(`cat; : >${gate.path}`, {
    patience: { readyMs: 50 },
  });
  await becomes('failed');
  await until(
    () => existsSync(gate.path),
    (ended) => ended,
    'its input has ended',
  );
  await within(running.stop(), 'the collector to stop');
});

test('superviseProbe: the stop waits for the records that its reader still writes', async () => {
  const written: string[] = [];
  const kind = {
    open: () => ({
      line() {},
      tick() {},
      end: async () => {
        await new Promise(setImmediate);
        written.push('the rest');
      },
    }),
  };
  const { running, becomes } = startCollector('echo "#ready 1"; cat', { kind });
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(written, ['the rest']);
});

test('superviseProbe: a collector inherits no environment', async (t) => {
  process.env['SVC_TEST_SECRET'] = 'sk-1';
  t.after(() => delete process.env['SVC_TEST_SECRET']);
  const { running, reported, becomes } = startCollector(
    'echo "#ready 1"; echo "secret:$SVC_TEST_SECRET"; cat',
  );
  await becomes('running');
  await within(running.stop(), 'the collector to stop');
  assert.deepEqual(reported.slice(0, 2), ['ready 1', 'line secret:']);
});
