import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CDPSession } from 'puppeteer-core';
import { PageTrace } from './page-trace.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"c","version":"1"},"started_at":null,"sources":["browser"]}\n';
const HELLO = 'H{"mark":"m","began":0,"marked":0,"origin":1700000000000}';
const LINES = `L{}\n${HEADER}{"type":"mark","t":1,"name":"level"}\n`;

/** A page of the browser, as far as the trace uses it. `pass` passes on what the code in the page would. */
function fakePage(): { session: CDPSession; pass(payload: string): void } {
  const events = new EventEmitter();
  let binding = '';
  const session = Object.assign(events, {
    id: () => 'page',
    send: async (method: string, { name = '' } = {}) => {
      if (method === 'Runtime.addBinding') binding = name;
    },
  });
  return {
    session: session as unknown as CDPSession,
    pass: (payload) =>
      events.emit('Runtime.bindingCalled', { name: binding, payload, executionContextId: 1 }),
  };
}

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recorder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const faults: unknown[] = [];
  const header = { producer: { name: 'svc record', version: '1' } };
  const path = join(folder, 'game.vpt');
  const trace = new PageTrace(path, null, header, { onFault: (fault) => faults.push(fault) });
  const { session, pass } = fakePage();
  trace.follow(session, 'page');
  return { folder, path, trace, pass, faults };
}

test('a trace has its name only at its end', (t) => {
  const { folder, path, trace, pass } = open(t);
  assert.equal(trace.hasBegun, false);
  pass(HELLO);
  pass(LINES);
  assert.equal(trace.hasBegun, true);
  assert.deepEqual(readdirSync(folder), ['game.vpt.partial']);
  trace.commit('stopped');
  assert.deepEqual(readdirSync(folder), ['game.vpt']);
  assert.deepEqual(readFileSync(path, 'utf8').split('\n'), [
    '{"vpt":1,"producer":{"name":"svc record","version":"1"},"started_at":"2023-11-14T22:13:20.000Z","sources":["browser"]}',
    '{"type":"mark","t":1,"name":"level"}',
    '{"type":"end","t":1,"reason":"stopped"}',
    '',
  ]);
});

test('messages after the end are ignored, so that no second file is left', (t) => {
  for (const end of [
    (trace: PageTrace) => trace.commit(null),
    (trace: PageTrace) => trace.keep(),
    (trace: PageTrace) => trace[Symbol.dispose](),
  ]) {
    for (const before of [[], [HELLO]]) {
      const { folder, trace, pass } = open(t);
      for (const payload of before) pass(payload);
      end(trace);
      const left = readdirSync(folder);
      pass(HELLO);
      pass(LINES);
      assert.deepEqual(readdirSync(folder), left);
      assert.ok(!left.includes('game.vpt.partial'));
    }
  }
});

test('a file that cannot be written is reported, once by the callback and at the end', (t) => {
  const { folder, trace, pass, faults } = open(t);
  rmSync(folder, { recursive: true });
  pass(HELLO);
  assert.match(String(faults[0]), /ENOENT/);
  assert.throws(() => trace.commit(null), /ENOENT/);
});
