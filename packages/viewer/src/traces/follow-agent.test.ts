import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Status } from '@svc/contracts/agent';
import { infoWith } from '../../test/make-info.ts';
import { statusWith, summaryWith } from '../../test/make-status.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import type { TraceInfo } from '../client/trace-calls.ts';
import { notices } from '../state/notices.ts';
import { agentFiles } from './agent-files.ts';
import { followAgentTrace } from './follow-agent.ts';
import { connectFiles, openFile } from './open-file.ts';
import { mainTrace, opening, refusal, traceId } from './open-traces.ts';

let recordings = 0;
let id = '';
let bytes = 0;

connectFiles(agentFiles);
enterToken('T'.repeat(43));
followAgentTrace();

beforeEach(async () => {
  id = `recording-${++recordings}`;
  agent.requests.length = 0;
  notices.value = [];
  refusal.value = null;
  connection.value = 'live';
  page.answers = {
    open: ({ origin }) =>
      infoWith({ id: origin.id, name: origin.name, origin: origin.kind, bytes }),
    grow: () => infoWith({ id, bytes }),
  };
  await hear(1000);
  opened = page.asked.splice(0);
});

/** Reports that the agent's trace has this many bytes. */
async function hear(
  held: number,
  changes: Partial<NonNullable<Status['trace']>> = {},
  more: Partial<Status> = {},
): Promise<void> {
  bytes = held;
  const trace = summaryWith({ id, bytes: held, ...changes });
  status.value = statusWith({ state: 'capturing', trace, ...more });
  await settle();
}

/** The page's calls when the recording of a test began. */
let opened: typeof page.asked = [];

/** The calls to the worker since the last check. */
const asked = (): unknown[] =>
  page.asked.splice(0).map(({ name, args }) => [name, Reflect.get(Object(args), 'growing')]);

test('the agent’s trace is opened, and fetched again only when it has grown', async () => {
  const origin = {
    kind: 'agent',
    id,
    name: 'game.vpt',
    token: 'T'.repeat(43),
    growing: true,
  };
  assert.deepEqual(opened, [{ name: 'open', args: { slot: 'main', origin } }]);
  status.value = statusWith();
  await settle();
  assert.deepEqual(asked(), []);
  await hear(1000);
  assert.deepEqual(asked(), []);
  await hear(1500);
  assert.deepEqual(asked(), [['grow', true]]);
  assert.equal(mainTrace.value?.bytes, 1500);
  await hear(1600, {}, { state: 'inactive' });
  assert.deepEqual(asked(), [['grow', false]]);
});

test('a recording that is renamed at its end is the same trace', async () => {
  const renamed = { name: 'b.vpt', path: '/data/b.vpt', partial: false };
  await hear(1200, renamed, { state: 'ended' });
  assert.deepEqual(asked(), [['grow', false]]);
});

test('a trace with another id is opened, unless the agent has ended', async () => {
  await hear(1000, { id: 'b' });
  assert.deepEqual(asked(), [['open', undefined]]);
  assert.equal(traceId.value, 'b');
  await hear(2000, { id: 'c' }, { state: 'ended' });
  assert.deepEqual(asked(), []);
});

test('requests run one at a time, and a status that arrives meanwhile is not lost', async () => {
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.grow = () => promise;
  await hear(1100);
  await hear(1200);
  await hear(1300);
  assert.deepEqual(asked(), [['grow', true]]);
  page.answers.grow = () => infoWith({ id, bytes: 1300 });
  resolve(infoWith({ id, bytes: 1100 }));
  await settle();
  assert.deepEqual(asked(), [['grow', true]]);
  assert.equal(mainTrace.value?.bytes, 1300);
});

test('a file that the user opened stays while the agent’s trace grows', async () => {
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.grow = () => promise;
  await hear(1100);
  mainTrace.value = infoWith({ id: 'mine', origin: 'file' });
  resolve(infoWith({ id, bytes: 1100 }));
  await settle();
  assert.equal(traceId.value, 'mine');
});

test('the page returns to a recording that is replaced after the user opened a file', async () => {
  mainTrace.value = infoWith({ id: 'mine', origin: 'file' });
  await hear(1100);
  assert.deepEqual(asked(), [['open', undefined]]);
});

test('an error of the connection is ignored, and an error of the trace stops following, with a notice', async () => {
  for (const code of ['agent', 'failed', 'aborted'] as const) {
    page.answers.grow = () => {
      throw new Refusal(code, 'passing');
    };
    await hear(bytes + 100);
    assert.deepEqual(asked(), [['grow', true]], code);
    assert.deepEqual(notices.value, []);
  }
  page.answers.grow = () => {
    throw new Refusal('too_big', 'It has 5 GiB');
  };
  await hear(2000);
  asked();
  assert.equal(mainTrace.value?.bytes, 1000);
  assert.deepEqual(
    notices.value.map(({ tone, text }) => [tone, text]),
    [
      [
        'warn',
        'This page no longer follows the running capture. It has 5 GiB. The recording continues.',
      ],
    ],
  );
  await hear(3000);
  assert.deepEqual(asked(), [], 'the invalid part is not read again');
  await hear(500, { id: 'next' });
  assert.equal(page.asked[0]?.name, 'open', 'another recording is followed again');
});

test('a trace that could not be opened is tried again when the agent reports it again', async () => {
  const open = page.answers.open;
  page.answers.open = () => {
    throw new Refusal('agent', 'gone');
  };
  id = 'late';
  await hear(1000);
  assert.equal(asked().length, 1);
  Object.assign(page.answers, { open });
  await hear(1000);
  assert.equal(asked().length, 1);
  assert.equal(traceId.value, 'late');
});

test('a trace that this page cannot hold is not opened again', async () => {
  page.answers.open = () => {
    throw new Refusal('too_big', 'It has 5 GiB');
  };
  await hear(1000, { id: 'big' });
  assert.equal(asked().length, 1);
  assert.equal(refusal.value?.fault.message, 'It has 5 GiB');
  await hear(2000, { id: 'big' });
  assert.deepEqual(asked(), []);
});

test('a status from before the last one changes nothing', async () => {
  await hear(900);
  assert.deepEqual(asked(), []);
});

/** Opens a file, and sends it to an agent that answers when the test says so. */
async function openSlowly(name: string): Promise<(answer: Response) => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  const before = agent.requests.length;
  status.value = statusWith();
  assert.equal(await openFile(new File(['x'], name)), true);
  await settle();
  assert.equal(agent.requests.length, before + 1, 'the file is being sent');
  asked();
  return async (answer) => {
    resolve(answer);
    await settle();
  };
}

const imported = (id: string) => ({ id, origin: 'import', path: null }) as const;
const accepted = (id: string): Response => Response.json({ trace: summaryWith(imported(id)) });
const inactive = { state: 'inactive' } as const;

test('a file that this page sent is not opened again, whether its status arrives before or after the answer', async () => {
  for (const early of [true, false]) {
    const sent = `sent-${early}`;
    const answer = await openSlowly('mine.vpt');
    const shown = traceId.value;
    if (early) await hear(6, imported(sent), inactive);
    assert.deepEqual(asked(), []);
    await answer(accepted(sent));
    for (let times = 0; times < 2; times++) await hear(6, imported(sent), inactive);
    assert.deepEqual([asked(), traceId.value], [[], shown]);
  }
});

test('a trace that another client imported replaces the file, also if it was imported before the page’s own file', async () => {
  const answer = await openSlowly('mine.vpt');
  const shown = traceId.value;
  await hear(6, imported('another'), inactive);
  assert.deepEqual(asked(), [], 'the agent has not answered yet');
  await answer(accepted('mine'));
  assert.deepEqual([asked(), traceId.value], [[], shown], 'the user’s own file replaced it');
  await hear(6, imported('third'), inactive);
  assert.deepEqual([asked(), traceId.value], [[['open', undefined]], 'third']);
});

test('if the agent refuses the file, a trace that another client imported meanwhile is opened', async () => {
  const answer = await openSlowly('mine.vpt');
  await hear(6, imported('theirs'), inactive);
  await answer(refuse('work_in_progress', 409));
  assert.deepEqual([asked(), traceId.value], [[['open', undefined]], 'theirs']);
});

test('the own file is opened from the agent if another client’s trace was opened over it meanwhile', async () => {
  const conversion = Promise.withResolvers<Blob>();
  const theirs = Promise.withResolvers<TraceInfo>();
  const { open } = page.answers;
  page.answers.convert = () => conversion.promise;
  page.answers.open = ({ origin: { id } }) =>
    id === 'theirs' ? theirs.promise : infoWith({ id, origin: 'file', format: 'folded' });
  status.value = statusWith();
  await openFile(new File(['a;b 1'], 'mine.folded'));
  await hear(6, imported('theirs'), inactive);
  agent.answer = () => accepted('mine');
  conversion.resolve(new Blob(['as vpt']));
  await settle();
  assert.equal(agent.requests.length, 1, 'the file is still shown, so it is sent');
  Object.assign(page.answers, { open });
  asked();
  theirs.resolve(infoWith({ id: 'theirs' }));
  await settle();
  assert.deepEqual([asked(), traceId.value], [[['open', undefined]], 'mine']);
});

test('of two files the second stays: the status of the first does not replace it, also if the agent refuses the second', async () => {
  for (const second of [accepted('b'), refuse('storage_full', 507)]) {
    const answer = await openSlowly('first.vpt');
    const { promise, resolve } = Promise.withResolvers<Response>();
    agent.answer = () => promise;
    await openFile(new File(['x'], 'second.vpt'));
    const shown = traceId.value;
    asked();
    await answer(accepted('a'));
    await hear(6, imported('a'), inactive);
    resolve(second);
    await settle();
    await hear(6, imported('a'), inactive);
    assert.deepEqual([asked(), traceId.value], [[], shown]);
  }
});

test('a capture that starts while a file is being sent is opened at once, and the refusal of the file is not reported', async () => {
  const answer = await openSlowly('mine.vpt');
  await hear(100, { id: 'capture' });
  assert.deepEqual([asked(), traceId.value], [[['open', undefined]], 'capture']);
  await answer(refuse('capturing', 409));
  assert.deepEqual([asked(), notices.value], [[], []]);
});

test('a capture that starts after the file was accepted stays, although the answer arrives later', async () => {
  const answer = await openSlowly('mine.vpt');
  await hear(100, { id: 'capture' });
  asked();
  await answer(accepted('mine'));
  assert.deepEqual([asked(), traceId.value], [[], 'capture']);
});

test('a trace whose opening the user cancels is not opened again', async () => {
  page.answers.open = (_, { cancelled }) =>
    new Promise((_resolve, reject) => {
      cancelled.addEventListener('abort', () => reject(new Refusal('aborted', 'Cancelled')));
    });
  const before = traceId.value;
  await hear(6, imported('large'), inactive);
  assert.equal(asked().length, 1);
  opening.value?.cancel.abort();
  await hear(6, imported('large'), inactive);
  assert.deepEqual([asked(), traceId.value], [[], before]);
});

test('a file that is opened while the agent’s trace is being opened stays', async () => {
  const { open } = page.answers;
  page.answers.open = (_, { cancelled }) =>
    new Promise((_resolve, reject) => {
      cancelled.addEventListener('abort', () => reject(new Refusal('aborted', 'Cancelled')));
    });
  await hear(6, imported('large'), inactive);
  await hear(6, imported('large'), inactive);
  Object.assign(page.answers, { open });
  agent.answer = () => refuse('storage_full', 507);
  asked();
  assert.equal(await openFile(new File(['x'], 'mine.vpt')), true);
  const shown = traceId.value;
  await hear(6, imported('large'), inactive);
  assert.deepEqual([asked(), traceId.value], [[['open', undefined]], shown]);
});
