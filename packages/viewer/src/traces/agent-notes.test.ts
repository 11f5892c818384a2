import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Status } from '@svc/contracts/agent';
import { infoWith } from '../../test/make-info.ts';
import { statusWith, summaryWith } from '../../test/make-status.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import { page, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import { notices } from '../state/notices.ts';
import { agentFiles } from './agent-files.ts';
import { sendNotesToAgent } from './agent-notes.ts';
import { followAgentTrace } from './follow-agent.ts';
import { connectFiles, openFile } from './open-file.ts';
import { mainTrace } from './open-traces.ts';
import { answerReplacement, replacement } from './replacement.ts';
import { changeNote, discardNotes, wouldLoseNotes } from './trace-notes.ts';

connectFiles(agentFiles);
enterToken('T'.repeat(43));
followAgentTrace();
sendNotesToAgent();

let traces = 0;
let id = '';
let revision = 0;

beforeEach(async () => {
  id = `trace-${++traces}`;
  revision = 0;
  discardNotes();
  replacement.value = null;
  agent.requests.length = 0;
  agent.answer = answerNotes;
  page.answers = {
    open: ({ origin }) => infoWith({ id: origin.id, origin: origin.kind }),
    grow: () => infoWith({ id }),
  };
  connection.value = 'live';
  notices.value = [];
  await hear();
  page.asked.length = 0;
});

const about = (): NonNullable<Status['trace']> =>
  summaryWith({ id, origin: 'file', notes_revision: revision, path: '/tmp/game.vpt' });

async function hear(): Promise<void> {
  status.value = statusWith({ trace: about() });
  await settle();
}

function answerNotes(): Response {
  revision++;
  return Response.json({ trace: about() });
}

/** The texts of the notes of each request. */
const sent = (): string[][] =>
  agent.requests.map(({ body }) =>
    JSON.parse(String(body)).notes.map(({ text }: { text: string }) => text),
  );
const opened = (): number => page.asked.filter(({ name }) => name === 'open').length;

test('a note of the agent’s trace is sent, and the page does not read its own change', async () => {
  changeNote({ id: 'a', t: 1, text: 'one', duration_ms: 5 });
  await settle();
  const [request] = agent.requests;
  assert.deepEqual([request?.method, request?.address], ['POST', '/api/notes']);
  assert.deepEqual(JSON.parse(String(request?.body)), {
    notes: [{ id: 'a', t: 1, text: 'one', duration_ms: 5 }],
  });
  await hear();
  assert.deepEqual([opened(), wouldLoseNotes.value], [0, false]);
  revision++;
  await hear();
  assert.equal(opened(), 1, 'another page has added a note');
});

test('a status that arrives while a note is sent is not taken for a change by another page', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  agent.answer = async () => {
    const answer = answerNotes();
    await promise;
    return answer;
  };
  changeNote({ id: 'a', t: 1, text: 'one' });
  await hear();
  resolve();
  await settle();
  await hear();
  assert.equal(opened(), 0);
});

test('changes that are made while one is sent follow it in their order', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  agent.answer = async () => {
    await promise;
    return answerNotes();
  };
  for (const text of ['one', 'two', 'three']) changeNote({ id: 'a', t: 1, text });
  resolve();
  await settle();
  assert.deepEqual(sent(), [['one'], ['two'], ['three']]);
});

test('a change of another page just before makes the page read the notes again', async () => {
  agent.answer = () => {
    revision++;
    return answerNotes();
  };
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  await hear();
  assert.equal(opened(), 1);
});

test('a note that the agent could not take at that moment is sent again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  agent.answer = () => refuse('busy', 503);
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  changeNote({ id: 'b', t: 1, text: 'two' });
  agent.answer = answerNotes;
  t.mock.timers.tick(1000);
  await settle();
  assert.deepEqual(sent().at(-2), ['one']);
  assert.deepEqual(sent().at(-1), ['two']);
  assert.deepEqual([notices.value, wouldLoseNotes.value], [[], false]);
});

test('notes of another trace that the agent opens meanwhile are kept until the user agrees', async () => {
  agent.answer = () => refuse('storage_full', 507, 'The recording is full');
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  const before = id;
  id = 'another';
  await hear();
  await hear();
  assert.deepEqual(
    [replacement.value?.name, mainTrace.value?.id, opened()],
    ['game.vpt', before, 0],
  );
  answerReplacement('cancel');
  await hear();
  assert.deepEqual([replacement.value, mainTrace.value?.id], [null, before]);
  id = 'third';
  await hear();
  answerReplacement('open');
  await settle();
  assert.deepEqual([mainTrace.value?.id, opened()], ['third', 1]);
});

test('a refused note stays in the page with one notice, and closing would lose it', async () => {
  agent.answer = () => refuse('storage_full', 507, 'The recording is full');
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  changeNote({ id: 'b', t: 1, text: 'two' });
  await settle();
  assert.equal(agent.requests.length, 2);
  assert.deepEqual(
    notices.value.map(({ text }) => text),
    ['Your note is in this page only. The recording is full. Export the trace to keep its notes.'],
  );
  assert.equal(wouldLoseNotes.value, true);
});

test('notes wait for the connection', async () => {
  connection.value = 'lost';
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  assert.deepEqual([agent.requests.length, wouldLoseNotes.value], [0, true]);
  connection.value = 'live';
  await settle();
  assert.deepEqual(sent(), [['one']]);
});

test('notes of a file that this page sends follow when the agent has it', async () => {
  const imported = Promise.withResolvers<Response>();
  agent.answer = (request) => (request.address === '/api/trace' ? imported.promise : answerNotes());
  page.answers.open = ({ origin }) => infoWith({ id: origin.id, origin: 'file' });
  await openFile(new File(['x'], 'mine.vpt'));
  await settle();
  changeNote({ id: 'a', t: 1, text: 'one' });
  await settle();
  assert.deepEqual(
    agent.requests.map(({ address }) => address),
    ['/api/trace'],
  );
  id = 'sent-by-page';
  imported.resolve(Response.json({ trace: about() }));
  await settle();
  assert.equal(agent.requests[1]?.address, '/api/notes');
  assert.equal(mainTrace.value?.origin, 'file');
});
