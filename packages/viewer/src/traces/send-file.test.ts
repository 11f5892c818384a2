import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { TRACE_NAME_HEADER } from '@svc/contracts/agent';
import { infoWith } from '../../test/make-info.ts';
import { statusWith, summaryWith } from '../../test/make-status.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import { notices } from '../state/notices.ts';
import { agentFiles } from './agent-files.ts';
import { connectFiles, openFile } from './open-file.ts';
import { mainTrace } from './open-traces.ts';
import { isSending, wasSentByPage } from './send-file.ts';

connectFiles(agentFiles);
enterToken('T'.repeat(43));

let sent = 0;

beforeEach(() => {
  agent.requests.length = 0;
  agent.answer = () => Response.json({ trace: summaryWith({ id: `sent-${++sent}` }) });
  page.asked.length = 0;
  page.answers = {
    open: ({ origin: { id, name } }) =>
      infoWith({ id, name, origin: 'file', format: name.endsWith('.vpt') ? 'vpt' : 'folded' }),
    convert: () => new Blob(['as vpt']),
  };
  status.value = statusWith();
  connection.value = 'live';
  mainTrace.value = null;
  notices.value = [];
});

const names = (): (string | null)[] =>
  agent.requests.map(({ headers }) => headers.get(TRACE_NAME_HEADER));
const texts = (): string[] => notices.value.map(({ tone, text }) => `${tone}: ${text}`);

async function open(name: string, text = 'x'): Promise<void> {
  await openFile(new File([text], name));
  await settle();
}

test('a folded file is converted in a separate worker, and sent to the agent under its name', async () => {
  const { promise, resolve } = Promise.withResolvers<Blob>();
  page.answers.convert = () => promise;
  await open('größe.folded', 'a;b 1\n');
  assert.equal(mainTrace.value?.name, 'größe.folded', 'it is shown first');
  assert.deepEqual([page.workers, agent.requests], [2, []]);
  resolve(new Blob(['as vpt']));
  await settle();
  assert.equal(page.workers, 1, 'the separate worker has ended');
  const [request, ...more] = agent.requests;
  assert.ok(request !== undefined && request.body instanceof Blob);
  assert.equal(more.length, 0);
  assert.equal(`${request.method} ${request.address}`, 'POST /api/trace');
  assert.equal(decodeURIComponent(names()[0] ?? ''), 'größe.folded');
  assert.equal(await request.body.text(), 'as vpt');
  assert.deepEqual(texts(), []);
});

test('a .vpt file is sent as it is', async () => {
  const file = new File(['the bytes'], 'a.vpt');
  await openFile(file);
  await settle();
  assert.equal(agent.requests[0]?.body, file);
  assert.deepEqual(
    page.asked.map(({ name }) => name),
    ['open'],
  );
});

test('the answer has the id of the sent file, and replaces the trace in the status', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  await open('a.vpt');
  assert.deepEqual([isSending.value, wasSentByPage('mine')], [true, false]);
  resolve(Response.json({ trace: summaryWith({ id: 'mine' }) }));
  await settle();
  assert.deepEqual([isSending.value, wasSentByPage('mine')], [false, true]);
  assert.equal(wasSentByPage('other'), false);
  assert.equal(status.value?.trace?.id, 'mine');
});

test('without a connected agent nothing is sent and no notice is shown', async () => {
  for (const how of ['no_token', 'connecting', 'lost', 'refused', 'ended'] as const) {
    connection.value = how;
    await open('a.folded');
    assert.deepEqual([agent.requests, texts(), page.workers], [[], [], 1], how);
  }
  connection.value = 'polling';
  await open('a.vpt');
  assert.equal(agent.requests.length, 1);
});

test('of several files only the one that is still shown is converted and sent', async () => {
  const files = ['first.folded', 'second.folded'].map((name) => new File(['1'], name));
  await Promise.all(files.map(openFile));
  await settle();
  assert.deepEqual(names(), ['second.folded']);
  const converted = page.asked.filter(({ name }) => name === 'convert');
  assert.deepEqual(converted, [{ name: 'convert', args: { file: files[1] } }]);
});

test('a file is sent after the previous one has been sent', async () => {
  const { answer } = agent;
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  await open('first.vpt');
  await open('second.vpt');
  assert.equal(agent.requests.length, 1);
  agent.answer = answer;
  resolve(Response.json({ trace: summaryWith({ id: 'first' }) }));
  await settle();
  assert.deepEqual(names(), ['first.vpt', 'second.vpt']);
  assert.equal(wasSentByPage('first'), true, 'also after the second one');
});

test('a file that was replaced during its conversion is not sent', async () => {
  const { promise, resolve } = Promise.withResolvers<Blob>();
  page.answers.convert = () => promise;
  await open('first.folded');
  mainTrace.value = infoWith({ id: 'another' });
  resolve(new Blob(['late']));
  await settle();
  assert.deepEqual(agent.requests, []);
});

test('a file that the agent does not accept stays on the page, with a notice', async () => {
  status.value = statusWith({ limits: { ...statusWith().limits, import_bytes: 5 } });
  await open('a.folded');
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
  await open('a.folded');
  assert.deepEqual(texts(), ['warn: Shown in this page only: Bad record (line 3, column 1)']);
  assert.deepEqual([mainTrace.value?.name, isSending.value], ['a.folded', false]);
  agent.answer = () => refuse('storage_full', 507, 'The disk is full');
  notices.value = [];
  await open('a.vpt');
  assert.deepEqual(texts(), ['warn: Shown in this page only: The disk is full']);
});

test('a failed conversion is reported, and its worker ends', async () => {
  page.answers.convert = () => {
    throw new Refusal('failed', 'The file is gone');
  };
  await open('a.folded');
  assert.deepEqual(texts(), ['warn: Shown in this page only: Error: The file is gone']);
  assert.deepEqual([agent.requests, page.workers], [[], 1]);
});

test('the error for a file that is no longer shown is not reported', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  await open('a.vpt');
  mainTrace.value = infoWith({ id: 'capture' });
  resolve(refuse('capturing', 409));
  await settle();
  assert.deepEqual(texts(), []);
});
