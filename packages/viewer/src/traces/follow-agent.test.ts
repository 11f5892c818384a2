import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Status } from '@svc/contracts/agent';
import { until } from '../../../../scripts/until.ts';
import { infoWith } from '../../test/make-info.ts';
import { statusWith, summaryWith } from '../../test/make-status.ts';
import { agent } from '../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import type { TraceInfo } from '../client/trace-calls.ts';
import { notices } from '../state/notices.ts';
import { followAgentTrace } from './follow-agent.ts';
import { openFile } from './open-file.ts';
import { mainTrace, openedFile, refusal } from './open-traces.ts';

let recordings = 0;
let name = '';
let bytes = 0;

followAgentTrace();

beforeEach(async () => {
  name = `run${++recordings}.vpt`;
  notices.value = [];
  refusal.value = null;
  openedFile.value = null;
  page.answers = {
    open: ({ origin }) => infoWith({ name: origin.name, bytes }),
    grow: () => infoWith({ name, bytes }),
  };
  await hear(1000);
  opened = page.asked.splice(0);
});

/** Reports that the agent's trace has this many bytes. */
async function hear(
  held: number,
  trace: Partial<NonNullable<Status['trace']>> = {},
  more: Partial<Status> = {},
): Promise<void> {
  bytes = held;
  const summary = summaryWith({ name, bytes: held, path: `/data/${name}.partial`, ...trace });
  status.value = statusWith({ state: 'capturing', trace: summary, ...more });
  await settle();
}

/** The page's calls when the recording of a test began. */
let opened: typeof page.asked = [];

/** The calls to the worker since the last check. */
const asked = (): unknown[] =>
  page.asked.splice(0).map(({ name, args }) => [name, Reflect.get(Object(args), 'growing')]);

test('the agent’s trace is opened, and fetched again only when it has grown', async () => {
  const origin = { kind: 'agent', token: '', name, growing: true };
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

test('a recording keeps its identity when its file is renamed at the end', async () => {
  await hear(1200, { path: `/data/${name}`, partial: false }, { state: 'ended' });
  assert.deepEqual(asked(), [['grow', false]]);
});

test('another trace of the agent is opened, unless the agent has ended', async () => {
  for (const other of [
    { name: 'b.vpt' },
    { path: '/data/b.vpt' },
    { started_at: '2026-02-02T00:00:00.000Z' },
    { origin: 'import' as const },
  ]) {
    await hear(1000);
    asked();
    await hear(2000, other);
    assert.deepEqual(asked(), [['open', undefined]], JSON.stringify(other));
  }
  await hear(1000);
  asked();
  await hear(2000, { name: 'b.vpt' }, { state: 'ended' });
  assert.deepEqual(asked(), []);
});

test('requests run one at a time, and a status that arrives meanwhile is not lost', async () => {
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.grow = () => promise;
  await hear(1100);
  await hear(1200);
  await hear(1300);
  assert.deepEqual(asked(), [['grow', true]]);
  page.answers.grow = () => infoWith({ bytes: 1300 });
  resolve(infoWith({ bytes: 1100 }));
  await settle();
  assert.deepEqual(asked(), [['grow', true]]);
  assert.equal(mainTrace.value?.bytes, 1300);
});

test('a file that the user opened stays while the agent’s trace grows', async () => {
  const { promise, resolve } = Promise.withResolvers<TraceInfo>();
  page.answers.grow = () => promise;
  await hear(1100);
  mainTrace.value = infoWith({ name: 'mine.vpt', origin: 'file' });
  resolve(infoWith({ bytes: 1100 }));
  await settle();
  assert.equal(mainTrace.value?.name, 'mine.vpt');
});

test('the page returns to a recording that is replaced after the user opened a file', async () => {
  mainTrace.value = infoWith({ name: 'mine.vpt', origin: 'file' });
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
  await hear(500, { name: 'next.vpt' });
  assert.equal(page.asked[0]?.name, 'open', 'another recording is followed again');
});

test('a trace that could not be opened is tried again when the agent reports it again', async () => {
  const open = page.answers.open;
  page.answers.open = () => {
    throw new Refusal('agent', 'gone');
  };
  name = 'late.vpt';
  await hear(1000);
  assert.equal(asked().length, 1);
  Object.assign(page.answers, { open });
  await hear(1000);
  assert.equal(asked().length, 1);
  assert.equal(mainTrace.value?.name, 'late.vpt');
});

test('a trace that is shorter than before is another one', async () => {
  await hear(900);
  assert.deepEqual(asked(), [['open', undefined]]);
});

test('a file that this page sent is not opened again, and one from another page is', async (t) => {
  enterToken('T'.repeat(43));
  t.after(() => {
    agent.requests.length = 0;
  });
  agent.answer = () => Response.json({ trace: summaryWith() });
  page.answers.vpt = () => new Blob(['as vpt']);
  const file = new File(['a;b 1\n'], 'mine.folded');
  status.value = statusWith();
  connection.value = 'live';
  assert.equal(await openFile(file), true);
  await until(
    () => agent.requests.length,
    (sent) => sent === 1,
    'the file is sent',
  );
  asked();
  const imported = { name: 'mine.folded', origin: 'import', path: null } as const;
  await hear(6, imported, { state: 'inactive' });
  assert.deepEqual([asked(), openedFile.value], [[], file]);
  await hear(6, { ...imported, started_at: null }, { state: 'inactive' });
  assert.deepEqual(asked(), [['open', undefined]]);
  assert.equal(openedFile.value, null);
});
