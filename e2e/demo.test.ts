// `npm run demo` as a newcomer runs it: it prints addresses, each answers, and Ctrl-C ends all of it with nothing left.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { processesNaming, startProgram } from './start-program.ts';

const LINE = /^ {2}(The store|A published game|The platform|The profiler) +(http:\S+)$/gm;

/** The port that the store takes when it is free. */
const STORE_PORT = 8788;

/** Six programs start one after another, on a machine that may be busy with other tests. */
const PATIENCE_MS = 300_000;

test('npm run demo prints addresses that answer where a usual port is taken, and Ctrl-C ends it with nothing left', {
  timeout: PATIENCE_MS,
}, async (t) => {
  const home = temporaryFolder(t);
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const isHeld = await holdPort(t, STORE_PORT);
  const demo = startProgram(t, 'npm', ['run', 'demo'], home, { TMPDIR: temporary });
  await demo.tells(/Ctrl-C ends all of it/, PATIENCE_MS);
  const addresses = new Map([...demo.told().matchAll(LINE)].map(([, name, url]) => [name, url]));
  assert.deepEqual(
    [...addresses.keys()],
    ['The store', 'A published game', 'The platform', 'The profiler'],
  );
  const read = async (address = ''): Promise<string> => {
    const answer = await fetch(address);
    assert.equal(answer.status, 200, address);
    return answer.text();
  };
  assert.match(await read(addresses.get('The store')), /Moonhop/);
  if (isHeld) {
    assert.notEqual(new URL(addresses.get('The store') ?? '').port, String(STORE_PORT));
  }
  const page = await read(addresses.get('A published game'));
  assert.match(page, /<h1>Moonhop<\/h1>/);
  assert.match(page, /A comet passes between/);
  const [, game = ''] = /data-url="([^"]+)"/.exec(page) ?? [];
  assert.match(await read(game), /<canvas|<script/);
  assert.match(await read(`${addresses.get('The platform')}/healthz`), /true/);
  assert.match(await read(addresses.get('The profiler')), /<!doctype html>/i);
  assert.ok(processesNaming(temporary).length > 0);

  demo.child.kill('SIGINT');
  assert.equal(await demo.exited, 0, demo.told());
  for (const address of addresses.values()) await assert.rejects(fetch(address ?? ''), address);
  // Node keeps compiled code between runs, for everybody.
  const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
  assert.deepEqual(left, []);
  await until(
    () => processesNaming(temporary),
    (pids) => pids.length === 0,
    'every process is gone',
  );
});

/** Listens on a port until the test ends. False where another program listens there, which may end at any time. */
async function holdPort(t: TestContext, port: number): Promise<boolean> {
  const server = createServer();
  t.after(() => server.close());
  server.listen(port, '127.0.0.1');
  return await once(server, 'listening').then(
    () => true,
    () => false,
  );
}
