import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { TRACE_NAME_HEADER } from '@svc/contracts/agent';
import { infoWith } from '../../test/make-info.ts';
import { statusWith, summaryWith } from '../../test/make-status.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import { notices } from '../state/notices.ts';
import { openFile, openOther, wasSentByPage } from './open-file.ts';
import { mainTrace, openedFile, otherTrace, refusal } from './open-traces.ts';

enterToken('T'.repeat(43));

beforeEach((t) => {
  // The page waits for a quiet worker before it sends a file.
  (t as TestContext).mock.timers.enable({ apis: ['setTimeout'] });
  agent.requests.length = 0;
  agent.answer = () => Response.json({ trace: summaryWith() });
  page.asked.length = 0;
  page.answers = {
    open: ({ origin }) => infoWith({ name: origin.name, origin: 'file' }),
    vpt: () => new Blob(['as vpt']),
  };
  status.value = statusWith();
  connection.value = 'live';
  mainTrace.value = null;
  otherTrace.value = null;
  openedFile.value = null;
  refusal.value = null;
  notices.value = [];
});

/** Runs the page until nothing is pending. */
async function pass(t: TestContext, ms = 1000): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await settle();
    t.mock.timers.tick(50);
  }
  await settle();
}

const texts = (): string[] => notices.value.map(({ tone, text }) => `${tone}: ${text}`);

test('a file is shown first, and then sent to the agent as .vpt under its name', async (t) => {
  const file = new File(['a;b 1\n'], 'größe.folded');
  assert.equal(await openFile(file), true);
  assert.deepEqual([mainTrace.value?.name, openedFile.value], ['größe.folded', file]);
  assert.equal(agent.requests.length, 0, 'it is drawn first');
  await pass(t);
  const [request, ...more] = agent.requests;
  assert.ok(request !== undefined && request.body instanceof Blob);
  assert.equal(more.length, 0);
  assert.equal(`${request.method} ${request.address}`, 'POST /api/trace');
  assert.equal(decodeURIComponent(request.headers.get(TRACE_NAME_HEADER) ?? ''), 'größe.folded');
  assert.equal(await request.body.text(), 'as vpt');
  assert.deepEqual(texts(), []);
  assert.equal(wasSentByPage('größe.folded', 7), false);
  assert.equal(wasSentByPage('größe.folded', 6), true);
  assert.equal(wasSentByPage('größe.folded', 6), false, 'once for each time');
});

test('a file cannot replace a running capture, and the page says so', async (t) => {
  status.value = statusWith({ state: 'capturing' });
  assert.equal(await openFile(new File(['x'], 'a.vpt')), false);
  await pass(t);
  assert.deepEqual([page.asked, agent.requests, openedFile.value], [[], [], null]);
  assert.equal(refusal.value?.name, 'a.vpt');
  assert.match(refusal.value?.fault.message ?? '', /^A capture is running\. End it/);
  assert.equal(await openOther(new File(['x'], 'b.vpt')), true);
  assert.equal(otherTrace.value?.name, 'b.vpt');
});

test('a rejected file and a file for comparison are not sent to the agent', async (t) => {
  page.answers.open = () => {
    throw new Refusal('invalid_record', 'no trace');
  };
  assert.equal(await openFile(new File(['x'], 'a.vpt')), false);
  page.answers.open = ({ origin }) => infoWith({ name: origin.name });
  await openOther(new File(['x'], 'b.vpt'));
  await pass(t);
  assert.deepEqual([agent.requests, openedFile.value], [[], null]);
});

test('without a connected agent nothing is sent and no notice is shown', async (t) => {
  for (const how of ['no_token', 'connecting', 'lost', 'refused', 'ended'] as const) {
    connection.value = how;
    assert.equal(await openFile(new File(['x'], 'a.vpt')), true);
    await pass(t);
    assert.deepEqual([agent.requests, texts()], [[], []], how);
  }
  connection.value = 'polling';
  await openFile(new File(['x'], 'a.vpt'));
  await pass(t);
  assert.equal(agent.requests.length, 1);
});

test('of several files only the one that is still shown is sent', async (t) => {
  await openFile(new File(['1'], 'first.vpt'));
  await openFile(new File(['2'], 'second.vpt'));
  await pass(t);
  assert.deepEqual(
    agent.requests.map(({ headers }) => headers.get(TRACE_NAME_HEADER)),
    ['second.vpt'],
  );
});

test('a file is sent after the previous one has been sent', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  await openFile(new File(['1'], 'first.vpt'));
  await pass(t);
  await openFile(new File(['2'], 'second.vpt'));
  await pass(t);
  assert.equal(agent.requests.length, 1);
  resolve(Response.json({ trace: summaryWith() }));
  await pass(t);
  assert.equal(agent.requests[1]?.headers.get(TRACE_NAME_HEADER), 'second.vpt');
});

test('a file that was replaced during its conversion is not sent', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Blob>();
  page.answers.vpt = () => promise;
  await openFile(new File(['1'], 'first.vpt'));
  await pass(t);
  openedFile.value = null;
  resolve(new Blob(['late']));
  await pass(t);
  assert.deepEqual(agent.requests, []);
});

test('a file that the agent does not accept stays on the page, with a notice', async (t) => {
  status.value = statusWith({ limits: { ...statusWith().limits, import_bytes: 5 } });
  await openFile(new File(['x'], 'a.vpt'));
  await pass(t);
  assert.deepEqual(texts(), [
    'warn: Shown in this page only: as .vpt the file has 6 B, and the agent accepts at most 5 B.',
  ]);
  assert.deepEqual(agent.requests, []);
  status.value = statusWith({ limits: { ...statusWith().limits, import_bytes: 6 } });
  agent.answer = () =>
    Response.json(
      { error: { code: 'invalid_trace', message: 'Bad record', line: 3 } },
      { status: 422 },
    );
  notices.value = [];
  await openFile(new File(['x'], 'a.vpt'));
  await pass(t);
  assert.deepEqual(texts(), ['warn: Shown in this page only: Bad record (line 3, column 1)']);
  assert.equal(mainTrace.value?.name, 'a.vpt');
  agent.answer = () => refuse('storage_full', 507, 'The disk is full');
  notices.value = [];
  await openFile(new File(['x'], 'a.vpt'));
  await pass(t);
  assert.deepEqual(texts(), ['warn: Shown in this page only: The disk is full']);
});
