// The copy of a trace that survives a crash of the tab: what is kept and deleted. Without storage it does nothing.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { discardLeftOver, type LeftOver, leftOver, makeSpool } from '../src/spool.ts';
import { FakeIndexedDb } from './fake-indexed-db.ts';
import { setGlobal } from './recorded.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Waits for all pending requests, each of which needs a task. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((done) => setImmediate(done));
}

/** The value of a promise, which must resolve in time. */
function soon<T>(promise: Promise<T>): Promise<T> {
  const late = settled().then(() => assert.fail('it waits for ever'));
  return Promise.race([promise, late]);
}

function setUp(t: TestContext): FakeIndexedDb {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000 });
  const base = new FakeIndexedDb();
  setGlobal(t, 'indexedDB', base);
  return base;
}

/** The start and text of each trace. */
const read = (traces: readonly LeftOver[]): Promise<(readonly [number, string])[]> =>
  Promise.all(traces.map(async ({ startedAt, trace }) => [startedAt, await trace.text()] as const));

test('a spool returns the stored lines in order, newest recording first', async (t) => {
  const db = setUp(t);
  assert.deepEqual(await leftOver(), []);
  const first = makeSpool();
  first.append(bytes('header 1\n'));
  first.append(bytes('line a\n'));
  first.append(bytes('line b\n'));
  await settled();
  t.mock.timers.tick(500);
  const second = makeSpool();
  second.append(bytes('header 2\n'));
  first.append(bytes('line c\n'));
  await settled();
  assert.deepEqual(await read(await leftOver()), [
    [1_500, 'header 2\n'],
    [1_000, 'header 1\nline a\nline b\nline c\n'],
  ]);
  assert.deepEqual(await leftOver('another'), []);
  assert.deepEqual(
    db.opened.map(({ closed }) => closed),
    [true, false, false, true, true],
    'who only reads lets go again',
  );
  for (const [mode, options] of db.opened[1]?.transactions.map(Object) ?? []) {
    assert.deepEqual([mode, options], ['readwrite', { durability: 'relaxed' }]);
  }
});

test('three recordings are kept besides the running one, and the oldest is deleted first', async (t) => {
  setUp(t);
  for (let number = 1; number <= 5; number++) {
    makeSpool().append(bytes(`header ${number}\n`));
    await settled();
    t.mock.timers.tick(1_000);
  }
  const kept = async (): Promise<string[]> =>
    (await read(await leftOver())).map(([, text]) => text);
  assert.deepEqual(await kept(), ['header 5\n', 'header 4\n', 'header 3\n', 'header 2\n']);
  makeSpool();
  await settled();
  assert.deepEqual(await kept(), ['header 5\n', 'header 4\n', 'header 3\n']);
});

test('the oldest lines are deleted until enough bytes are free, but never the header', async (t) => {
  setUp(t);
  const spool = makeSpool();
  const text = async (): Promise<string | undefined> => {
    await settled();
    return (await read(await leftOver()))[0]?.[1];
  };
  for (const line of ['header\n', 'aaa\n', 'bbb\n', 'ccc\n', 'ddd\n']) spool.append(bytes(line));
  assert.equal(await text(), 'header\naaa\nbbb\nccc\nddd\n');
  spool.dropOldest(0);
  assert.equal(await text(), 'header\naaa\nbbb\nccc\nddd\n');
  spool.dropOldest(4);
  assert.equal(await text(), 'header\nbbb\nccc\nddd\n');
  spool.dropOldest(5);
  assert.equal(await text(), 'header\nddd\n');
  spool.dropOldest(1_000);
  assert.equal(await text(), 'header\n');
  spool.append(bytes('eee\n'));
  assert.equal(await text(), 'header\neee\n');
});

test('a line that is dropped before it is stored is deleted as soon as it is stored', async (t) => {
  setUp(t);
  const spool = makeSpool();
  spool.append(bytes('header\n'));
  spool.append(bytes('aaa\n'));
  spool.dropOldest(4);
  spool.append(bytes('bbb\n'));
  await settled();
  assert.deepEqual(await read(await leftOver()), [[1_000, 'header\nbbb\n']]);
});

test('all stored recordings can be discarded', async (t) => {
  const db = setUp(t);
  makeSpool().append(bytes('header\n'));
  makeSpool('another').append(bytes('other\n'));
  await settled();
  await soon(discardLeftOver());
  assert.deepEqual(await leftOver(), []);
  assert.equal((await leftOver('another')).length, 1);
  assert.equal(db.opened[2]?.closed, true);
});

test('a spool closes its database when the game deletes it, and is silent from then on', async (t) => {
  const db = setUp(t);
  const spool = makeSpool();
  spool.append(bytes('header\n'));
  await settled();
  const [base] = db.opened;
  base?.onversionchange?.();
  assert.equal(base?.closed, true);
  spool.append(bytes('aaa\n'));
  spool.dropOldest(4);
  await settled();
  assert.deepEqual(await read(await leftOver()), [[1_000, 'header\n']]);
});

test('a spool stores the bytes as they were when they were appended', async (t) => {
  setUp(t);
  const spool = makeSpool();
  const lines = bytes('header\n');
  spool.append(lines);
  lines.fill(0);
  await settled();
  assert.deepEqual(await read(await leftOver()), [[1_000, 'header\n']]);
});

test('a failed request or transaction throws no error, and nothing waits for it', async (t) => {
  const rejected: unknown[] = [];
  const hear = (fault: unknown) => rejected.push(fault);
  process.on('unhandledRejection', hear);
  t.after(() => process.off('unhandledRejection', hear));
  const db = setUp(t);
  for (const fault of ['request', 'transaction', 'abort'] as const) {
    db.requestFault = fault;
    const spool = makeSpool();
    spool.append(bytes('header\n'));
    spool.dropOldest(4);
    await settled();
    if (fault === 'request') assert.deepEqual(await soon(leftOver()), []);
    else await soon(discardLeftOver());
  }
  assert.deepEqual(rejected, []);
});

test('without storage a spool does nothing and throws no error', async (t) => {
  const rejected: unknown[] = [];
  const hear = (fault: unknown) => rejected.push(fault);
  process.on('unhandledRejection', hear);
  t.after(() => process.off('unhandledRejection', hear));
  const db = setUp(t);
  const broken = {
    open(): never {
      throw new Error('not allowed here');
    },
  };
  for (const [fault, factory] of [
    ['error', db],
    ['blocked', db],
    [null, broken],
    [null, undefined],
  ] as const) {
    setGlobal(t, 'indexedDB', factory);
    db.fault = fault;
    makeSpool();
    const spool = makeSpool();
    spool.append(bytes('header\n'));
    spool.dropOldest(4);
    await settled();
    assert.deepEqual(await soon(leftOver()), []);
    await soon(discardLeftOver());
  }
  assert.deepEqual(rejected, []);
});
