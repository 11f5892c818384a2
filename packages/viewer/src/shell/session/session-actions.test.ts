import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Status } from '@svc/contracts/agent';
import { statusWith, summaryWith } from '../../../test/make-status.ts';
import { agent, refuse } from '../../../test/stand-in-agent.ts';
import { settle } from '../../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../../client/session.ts';
import { view } from '../../state/address.ts';
import { notices } from '../../state/notices.ts';
import { asksToEnd, asksToStart, askToEnd, askToStart, end, start } from './session-actions.ts';

enterToken('T'.repeat(43));

beforeEach(() => {
  agent.requests.length = 0;
  agent.answer = () => Response.json(statusWith({ state: 'capturing' }));
  asksToStart.value = false;
  asksToEnd.value = false;
  notices.value = [];
  view.value = 'stacks';
  connection.value = 'live';
});

const asked = (): string[] => agent.requests.map(({ method, address }) => `${method} ${address}`);

async function press(shown: Status | null): Promise<void> {
  status.value = shown;
  askToStart();
  await settle();
}

test('Start asks first if a trace would be replaced, else it starts at once', async () => {
  await press(statusWith({ trace: summaryWith() }));
  assert.deepEqual([asksToStart.value, asked()], [true, []]);
  asksToStart.value = false;
  await press(statusWith());
  assert.deepEqual([asksToStart.value, asked()], [false, ['POST /api/start']]);
  assert.equal(status.value?.state, 'capturing');
  assert.deepEqual([connection.value, view.value], ['live', 'timeline']);
});

test('Start does nothing without a process, or while it captures', async () => {
  for (const shown of [
    null,
    statusWith({ target: null }),
    statusWith({ state: 'capturing' }),
    statusWith({ state: 'capturing', trace: summaryWith() }),
  ]) {
    await press(shown);
    assert.deepEqual([asksToStart.value, asked()], [false, []]);
  }
});

test('a rejected start is reported, and the page does not change', async () => {
  agent.answer = () => refuse('target_exited', 409, 'The process has exited');
  status.value = statusWith();
  asksToStart.value = true;
  await start();
  assert.equal(asksToStart.value, false);
  assert.deepEqual(
    notices.value.map(({ tone, text }) => [tone, text]),
    [['bad', 'The process has exited']],
  );
  assert.deepEqual([status.value?.state, view.value], ['inactive', 'stacks']);
});

test('the session ends only after confirmation, with the status from the agent', async () => {
  status.value = statusWith({ state: 'capturing' });
  askToEnd();
  await settle();
  assert.deepEqual([asksToEnd.value, asked()], [true, []]);
  agent.answer = () => Response.json({ reason: 'off', trace: null });
  await end();
  assert.deepEqual(asked(), ['POST /api/off']);
  assert.deepEqual(
    [asksToEnd.value, connection.value, status.value?.state],
    [false, 'ended', 'ended'],
  );
});

test('a rejected end is reported, and the session continues', async () => {
  status.value = statusWith({ state: 'capturing' });
  agent.answer = () => refuse('internal', 500, 'The disk is gone');
  await end();
  assert.deepEqual([connection.value, status.value?.state], ['live', 'capturing']);
  assert.deepEqual(
    notices.value.map(({ tone, text }) => [tone, text]),
    [['bad', 'The disk is gone']],
  );
});
