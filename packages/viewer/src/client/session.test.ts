import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { LIVE_ENDED } from '@svc/contracts/agent';
import { statusWith } from '../../test/make-status.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import { page, settle } from '../../test/stand-in-page.ts';

type Session = typeof import('./session.ts');
const TOKEN = 'A1b2C3d4E5f6G7h8I9j0-_xyzABCDEFGHIJKLMNOPQR';
const ENDING = { reason: 'off', trace: null } as const;
let loads = 0;

beforeEach(() => {
  agent.sockets.length = 0;
  agent.requests.length = 0;
  agent.answer = () => Response.json(statusWith());
  page.sessionStorage.items.clear();
  page.location.hash = '';
});

/** Loads the module like a page. */
async function load(): Promise<Session> {
  const name: string = `./session.ts?${++loads}`;
  return import(name);
}

/** A page with a token and its first connection, with fake timers. */
async function open(t: TestContext): Promise<Session> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const session = await load();
  page.location.hash = `#token=${TOKEN}`;
  session.startSession();
  return session;
}

/** Breaks the connection. The next attempt must come after exactly this many ms. */
async function breakFor(t: TestContext, ms: number): Promise<void> {
  const before = agent.sockets.length;
  agent.socket.close();
  t.mock.timers.tick(ms - 1);
  await settle();
  assert.equal(agent.sockets.length, before, `not before ${ms} ms`);
}

test('without a token no request is sent until the user enters one', async () => {
  const session = await load();
  session.startSession();
  assert.equal(session.connection.value, 'no_token');
  assert.throws(() => session.agent(), { code: 'unauthenticated' });
  assert.equal(session.sessionToken(), '');
  assert.equal(session.enterToken('hello'), false);
  assert.deepEqual([agent.sockets, agent.requests], [[], []]);
  assert.equal(session.enterToken(`http://127.0.0.1:6767/#token=${TOKEN}`), true);
  assert.equal(agent.socket.address, 'ws://127.0.0.1:6767/api/live');
  assert.deepEqual(agent.socket.protocols, ['svc.v1', TOKEN]);
  assert.equal(session.sessionToken(), TOKEN);
  assert.deepEqual([...page.sessionStorage.items.values()], [TOKEN]);
});

test('every live message sets the status, and an invalid message is ignored', async (t) => {
  const session = await open(t);
  assert.equal(session.connection.value, 'connecting');
  for (const data of ['nonsense', '{"type":"other"}', 7, '{"type":"status","status":{}}']) {
    agent.socket.onmessage?.({ data });
    assert.equal(session.status.value, null);
  }
  assert.equal(session.connection.value, 'connecting');
  agent.socket.send(statusWith());
  assert.deepEqual([session.connection.value, session.capturing.value], ['live', false]);
  agent.socket.send(statusWith({ state: 'capturing' }));
  assert.deepEqual([session.connection.value, session.capturing.value], ['live', true]);
  assert.notEqual(session.connection.value, 'ended');
});

test('a broken connection is retried with increasing delays of up to four seconds', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith());
  const heard: string[] = [];
  for (const wait of [500, 1000, 2000, 4000, 4000]) {
    await breakFor(t, wait);
    t.mock.timers.tick(1);
    await settle();
    heard.push(session.connection.value);
  }
  assert.deepEqual(heard, ['connecting', 'polling', 'polling', 'polling', 'polling']);
  assert.equal(agent.sockets.length, 6);
  assert.equal(agent.requests.length, 5);
  assert.equal(agent.requests[0]?.headers.get('authorization'), `Bearer ${TOKEN}`);
  agent.socket.send(statusWith());
  assert.equal(session.connection.value, 'live');
  await breakFor(t, 500);
  t.mock.timers.tick(1);
  await settle();
  assert.equal(agent.sockets.length, 7, 'the delay is short again after a stable connection');
});

test('a token that the agent rejects is not retried', async (t) => {
  const session = await open(t);
  agent.answer = () => refuse('unauthenticated', 401);
  await breakFor(t, 500);
  t.mock.timers.tick(1);
  await settle();
  assert.equal(session.connection.value, 'refused');
  t.mock.timers.tick(60_000);
  await settle();
  assert.deepEqual([agent.sockets.length, agent.requests.length], [1, 1]);
  assert.equal(session.enterToken('B'.repeat(43)), true);
  assert.equal(agent.sockets.length, 2);
});

test('an agent that does not answer is reported as lost and retried', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith());
  agent.answer = () => {
    throw new TypeError('Failed to fetch');
  };
  await breakFor(t, 500);
  t.mock.timers.tick(1);
  await settle();
  assert.deepEqual([session.connection.value, agent.sockets.length], ['lost', 2]);
  agent.socket.send(statusWith());
  assert.equal(session.connection.value, 'live');
});

test('a status of the end ends the session without retries', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith({ state: 'ended', ended: ENDING }));
  assert.equal(session.connection.value, 'ended');
  agent.socket.close(LIVE_ENDED);
  t.mock.timers.tick(60_000);
  await settle();
  assert.deepEqual([agent.sockets.length, agent.requests.length], [1, 0]);
  assert.equal(session.connection.value, 'ended');
});

test('a close code for the end counts only if the agent reported the end', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith());
  agent.socket.close(LIVE_ENDED);
  assert.equal(session.connection.value, 'live');
  t.mock.timers.tick(500);
  await settle();
  assert.equal(agent.sockets.length, 2);
  agent.socket.send(statusWith({ ended: ENDING }));
  agent.socket.close();
  assert.equal(session.connection.value, 'live', 'another close code is only a broken connection');
  agent.socket.close(LIVE_ENDED);
  assert.equal(session.connection.value, 'ended');
});

test('the end of the session stops a waiting retry', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith());
  agent.socket.close();
  session.noteEnded(ENDING);
  assert.deepEqual([session.status.value?.state, session.status.value?.ended], ['ended', ENDING]);
  t.mock.timers.tick(60_000);
  await settle();
  assert.deepEqual([agent.sockets.length, agent.requests.length], [1, 0]);
});

test('another token stops the retries of the previous one', async (t) => {
  const session = await open(t);
  agent.socket.close();
  session.enterToken('B'.repeat(43));
  t.mock.timers.tick(60_000);
  await settle();
  assert.deepEqual(
    agent.sockets.map(({ protocols }) => protocols[1]),
    [TOKEN, 'B'.repeat(43)],
  );
  assert.equal(agent.requests.length, 0);
});

test('the status in an answer does not change the connection state', async (t) => {
  const session = await open(t);
  agent.socket.send(statusWith());
  session.take(statusWith({ state: 'capturing' }));
  assert.deepEqual([session.connection.value, session.capturing.value], ['live', true]);
  session.take(statusWith(), 'polling');
  session.take(statusWith({ state: 'capturing' }));
  assert.equal(session.connection.value, 'polling');
  session.take(statusWith({ state: 'ended' }));
  assert.equal(session.connection.value, 'ended');
});
