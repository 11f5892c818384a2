import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { infoWith } from '../../test/make-info.ts';
import { statusWith } from '../../test/make-status.ts';
import { agent } from '../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../test/stand-in-page.ts';
import { connection, enterToken, status } from '../client/session.ts';
import { agentFiles } from './agent-files.ts';
import { connectFiles, openFile, openOther } from './open-file.ts';
import { mainTrace, otherTrace, refusal } from './open-traces.ts';

connectFiles(agentFiles);
enterToken('T'.repeat(43));

beforeEach(() => {
  agent.requests.length = 0;
  page.asked.length = 0;
  page.answers = { open: ({ origin: { id, name } }) => infoWith({ id, name, origin: 'file' }) };
  status.value = statusWith();
  connection.value = 'live';
  mainTrace.value = null;
  otherTrace.value = null;
  refusal.value = null;
});

test('each opened file has its own id, also the same file again', async () => {
  const file = new File(['x'], 'a.vpt');
  const ids: (string | undefined)[] = [];
  for (let times = 0; times < 2; times++) {
    assert.equal(await openFile(file), true);
    ids.push(mainTrace.value?.id);
  }
  assert.equal(await openOther(file), true);
  ids.push(otherTrace.value?.id);
  assert.equal(new Set(ids).size, 3);
});

test('a file cannot replace a running capture, and the page says so', async () => {
  status.value = statusWith({ state: 'capturing' });
  assert.equal(await openFile(new File(['x'], 'a.vpt')), false);
  await settle();
  assert.deepEqual([page.asked, agent.requests, mainTrace.value], [[], [], null]);
  assert.equal(refusal.value?.name, 'a.vpt');
  assert.match(refusal.value?.fault.message ?? '', /^A capture is running\. End it/);
  assert.equal(await openOther(new File(['x'], 'b.vpt')), true);
  assert.equal(otherTrace.value?.name, 'b.vpt');
});

test('a rejected file and a file for comparison are not sent to the agent', async () => {
  const { open } = page.answers;
  page.answers.open = () => {
    throw new Refusal('invalid_record', 'no trace');
  };
  assert.equal(await openFile(new File(['x'], 'a.vpt')), false);
  assert.equal(await openOther(new File(['x'], 'a.vpt')), false);
  Object.assign(page.answers, { open });
  assert.equal(await openOther(new File(['x'], 'b.vpt')), true);
  await settle();
  assert.deepEqual([agent.requests, mainTrace.value], [[], null]);
});
