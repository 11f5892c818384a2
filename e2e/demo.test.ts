// `npm run demo` prints addresses, all of them respond, and Ctrl-C stops everything without leftovers.
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

/** The default port of the store. */
const STORE_PORT = 8788;

/** Six programs start one after another, possibly on a busy machine. */
const PATIENCE_MS = 300_000;

test('npm run demo prints working addresses if a default port is in use, and Ctrl-C stops it without leftovers', {
  timeout: PATIENCE_MS,
}, async (t) => {
  const home = temporaryFolder(t);
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const isHeld = await holdPort(t, STORE_PORT);
  const demo = startProgram(t, 'npm', ['run', 'demo'], home, { TMPDIR: temporary });
  await demo.waitForOutput(/Ctrl-C stops everything/, PATIENCE_MS);
  const addresses = new Map([...demo.output().matchAll(LINE)].map(([, name, url]) => [name, url]));
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
  assert.equal(await demo.exited, 0, demo.output());
  for (const address of addresses.values()) await assert.rejects(fetch(address ?? ''), address);
  // npm keeps its own compiled code there.
  const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
  assert.deepEqual(left, []);
  await until(
    () => processesNaming(temporary),
    (pids) => pids.length === 0,
    'every process is gone',
  );
});

/** Listens on a port until the end of the test. Returns false if another program uses the port. */
async function holdPort(t: TestContext, port: number): Promise<boolean> {
  const server = createServer();
  t.after(() => server.close());
  server.listen(port, '127.0.0.1');
  return await once(server, 'listening').then(
    () => true,
    () => false,
  );
}
