import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { infoWith } from '../../test/make-info.ts';
import { statusWith } from '../../test/make-status.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { status } from '../client/session.ts';
import type { TraceInfo } from '../client/trace-calls.ts';
import { momentRange, selection, view } from '../state/address.ts';
import { notices } from '../state/notices.ts';
import {
  closeOther,
  followsAgent,
  has,
  isChosenView,
  mainTrace,
  opening,
  openTrace,
  otherTrace,
  refusal,
  traceId,
} from './open-traces.ts';

beforeEach(() => {
  mainTrace.value = null;
  otherTrace.value = null;
  refusal.value = null;
  selection.value = null;
  momentRange.value = null;
  view.value = 'overview';
  notices.value = [];
  page.asked.length = 0;
  page.answers = { close: () => null };
});

const origin = (name: string) =>
  ({ kind: 'file', id: 'file-1', file: new File(['12345'], name), name }) as const;

function openAs(info: Partial<TraceInfo>, slot: 'main' | 'other' = 'main'): Promise<unknown> {
  page.answers.open = () => infoWith({ origin: 'file', ...info });
  return openTrace(slot, origin(info.name ?? 'game.vpt'));
}

test('an opened trace is shown in its slot', async () => {
  assert.equal(await openAs({ name: 'a.vpt', counts: { frames: 2, stacks: 0 } }), null);
  assert.deepEqual([mainTrace.value?.name, otherTrace.value, opening.value], ['a.vpt', null, null]);
  assert.deepEqual([has('frames'), has('stacks'), has('marks')], [true, false, false]);
  assert.equal(followsAgent.value, false);
  assert.equal(await openAs({ name: 'b.vpt' }, 'other'), null);
  assert.deepEqual([mainTrace.value?.name, otherTrace.value?.name], ['a.vpt', 'b.vpt']);
  closeOther();
  assert.equal(otherTrace.value, null);
  assert.deepEqual(page.asked.at(-1), { name: 'close', args: { slot: 'other' } });
  mainTrace.value = infoWith({ origin: 'agent' });
  assert.equal(followsAgent.value, true);
});

test('the page shows its progress while it opens a trace', async () => {
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  let report = (_done: number, _total: number | null): void => undefined;
  page.answers.open = (_, { progress }) => {
    report = progress;
    return promise;
  };
  const opened = openTrace('main', origin('a.vpt'));
  const shownProgress = () => [opening.value?.name, opening.value?.done, opening.value?.total];
  assert.deepEqual(shownProgress(), ['a.vpt', 0, 5]);
  report(3, null);
  assert.deepEqual(shownProgress(), ['a.vpt', 3, 5]);
  report(4, 9);
  assert.deepEqual(shownProgress(), ['a.vpt', 4, 9]);
  resolve(infoWith());
  assert.equal(await opened, null);
  assert.equal(opening.value, null);
});

test('a rejected trace leaves the previous one open, and the reason stays until another opens', async () => {
  await openAs({ name: 'a.vpt' });
  page.answers.open = () => {
    throw new Refusal('invalid_record', 'Line 2 is no record');
  };
  const fault = {
    code: 'invalid_record',
    message: 'Line 2 is no record',
    line: null,
    column: null,
  };
  assert.deepEqual(await openTrace('main', origin('bad.vpt')), fault);
  assert.equal(mainTrace.value?.name, 'a.vpt');
  assert.deepEqual(refusal.value, { name: 'bad.vpt', fault });
  assert.deepEqual([opening.value, notices.value], [null, []]);
  await openAs({ name: 'b.vpt' });
  assert.equal(refusal.value, null);
});

test('opening another trace cancels the first, which then changes nothing', async () => {
  const stopped: string[] = [];
  page.answers.open = ({ origin: { name } }, { cancelled }) =>
    new Promise((_resolve, reject) => {
      cancelled.addEventListener('abort', () => {
        stopped.push(name);
        reject(new Refusal('aborted', 'Cancelled'));
      });
    });
  const first = openTrace('main', origin('first.vpt'));
  await settle();
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.open = () => promise;
  const second = openTrace('main', origin('second.vpt'));
  assert.equal((await first)?.code, 'aborted');
  assert.deepEqual(stopped, ['first.vpt']);
  assert.equal(opening.value?.name, 'second.vpt');
  assert.equal(refusal.value, null, 'a cancelled open is not an error');
  assert.deepEqual(
    notices.value.map(({ tone, text }) => [tone, text]),
    [['info', 'Stopped opening first.vpt.']],
  );
  resolve(infoWith({ name: 'second.vpt' }));
  assert.equal(await second, null);
  assert.equal(mainTrace.value?.name, 'second.vpt');
});

test('late progress of a cancelled open is not shown', async () => {
  let late = (_done: number, _total: number | null): void => undefined;
  page.answers.open = (_, { progress }) => {
    late = progress;
    return new Promise(() => undefined);
  };
  void openTrace('main', origin('first.vpt'));
  await settle();
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.open = () => promise;
  const second = openTrace('main', origin('second.vpt'));
  late(4, 4);
  assert.deepEqual([opening.value?.name, opening.value?.done], ['second.vpt', 0]);
  resolve(infoWith());
  await second;
});

test('a selection stays for the first trace and while a trace grows, and is cleared for another trace', async () => {
  selection.value = { from: 100, to: 200 };
  await openAs({ id: '1' });
  assert.deepEqual(selection.value, { from: 100, to: 200 }, 'from the address, for the first');
  await openAs({ id: '1', bytes: 9999 });
  assert.deepEqual(selection.value, { from: 100, to: 200 });
  await openAs({ id: '2' }, 'other');
  assert.deepEqual(selection.value, { from: 100, to: 200 });
  await openAs({ id: '3' });
  assert.equal(selection.value, null, 'another trace of the same name');
  selection.value = { from: 100, to: 200 };
  await openAs({ id: '3', durationMs: 100 });
  assert.equal(selection.value, null, 'the range is after the end');
});

test('traceId is the id of the main trace, and empty without one', () => {
  assert.equal(traceId.value, '');
  mainTrace.value = infoWith({ id: '1', revision: 2 });
  assert.equal(traceId.value, '1');
});

test('a trace without times opens in Stacks and one with two weights in Compare, unless another view is chosen', async () => {
  const shown = async (info: Partial<TraceInfo>, on: typeof view.value = 'timeline') => {
    view.value = on;
    await openAs(info);
    return view.value;
  };
  assert.equal(await shown({ counts: { stacks: 3 } }), 'stacks');
  assert.equal(await shown({ counts: { stacks: 3, end: 1 } }), 'stacks');
  assert.equal(await shown({ counts: { stacks: 3, frames: 1 } }), 'timeline');
  assert.equal(await shown({ counts: {} }), 'timeline');
  assert.equal(await shown({ counts: { stacks: 3 } }, 'assets'), 'assets');
  assert.equal(await shown({ counts: { stacks: 3 }, twoWeights: true }), 'compare');
  assert.equal(await shown({ counts: { stacks: 3 } }, 'overview'), 'stacks');
  assert.equal(await shown({ counts: { stacks: 3, frames: 1 } }, 'overview'), 'overview');
  assert.equal(await shown({ counts: { stacks: 3 }, twoWeights: true }, 'overview'), 'compare');
  assert.equal(await shown({ counts: { stacks: 3 }, twoWeights: true }, 'stacks'), 'stacks');
});

test('a capture that runs opens in Timeline, and the agent’s finished trace in Overview', async () => {
  for (const [state, expected] of [
    ['capturing', 'timeline'],
    ['inactive', 'overview'],
  ] as const) {
    status.value = statusWith({ state });
    view.value = 'overview';
    await openAs({ id: state, origin: 'agent', counts: { process: 1 } });
    assert.equal(view.value, expected);
  }
  status.value = statusWith({ state: 'capturing' });
  view.value = 'overview';
  await openAs({ id: 'file', origin: 'file', counts: { process: 1 } });
  assert.equal(view.value, 'overview');
  status.value = null;
});

test('a view that was chosen for one trace is not kept for the next, and a view that the user chose is', async () => {
  const shown = async (id: string, counts: TraceInfo['counts']) => {
    await openAs({ id, counts });
    return view.value;
  };
  assert.equal(await shown('1', { stacks: 3 }), 'stacks');
  assert.equal(await shown('2', { frames: 3 }), 'overview');
  view.value = 'frames';
  assert.equal(await shown('3', { frames: 3 }), 'frames');
  view.value = 'overview';
  await openAs({ id: '4', counts: { stacks: 3 }, twoWeights: true });
  assert.deepEqual([view.value, isChosenView()], ['compare', false]);
  assert.equal(await shown('5', { frames: 3 }), 'overview');
  view.value = 'compare';
  assert.equal(isChosenView(), true);
});

test('a moment after the end of a trace is not shown, and the user learns why', async () => {
  momentRange.value = { from: 900, to: 950 };
  await openAs({ id: '1', durationMs: 1000 });
  assert.deepEqual(momentRange.value, { from: 900, to: 950 });
  momentRange.value = { from: 1001, to: 1100 };
  await openAs({ id: '1', durationMs: 1000 });
  assert.equal(momentRange.value, null);
  assert.match(notices.value.at(-1)?.text ?? '', /after the end of this trace/);
});

test('another trace closes the moment', async () => {
  await openAs({ id: '1', durationMs: 1000 });
  momentRange.value = { from: 1, to: 2 };
  await openAs({ id: '2', durationMs: 1000 });
  assert.equal(momentRange.value, null);
});
