// The real time limits of the program: 10 s for a connection, 30 s for a response, 60 s for a stopped upload.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { json, ME, TOKEN } from './faulty-platform.ts';
import { limitsAre } from './records.ts';
import { listen, startProxy, startSilentServer } from './sockets.ts';
import { type Finished, runSvc, temporaryFolder } from './svc.ts';

/** The time that a busy machine takes to start the program, in addition to the limit. */
const SLACK_S = 20;

async function timed(run: () => Promise<Finished>): Promise<Finished & { seconds: number }> {
  const startedAt = performance.now();
  const finished = await run();
  return { ...finished, seconds: (performance.now() - startedAt) / 1000 };
}

async function assertPatience(
  t: TestContext,
  env: Readonly<Record<string, string>>,
  [least, expected]: readonly [number, RegExp],
): Promise<void> {
  const { code, stderr, seconds } = await timed(() =>
    runSvc(t, ['whoami'], { env: { SVC_TOKEN: TOKEN, ...env } }),
  );
  assert.equal(code, 10, stderr);
  assert.match(stderr, expected);
  assert.doesNotMatch(stderr, /Trying again/);
  assert.ok(seconds >= least && seconds < least + SLACK_S, `${seconds} s`);
}

test('svc waits 10 s for a connection, and 30 s for the first byte of a response', async (t) => {
  const port = await startSilentServer(t);
  const proxy = await startProxy(t, 'silent');
  await Promise.all([
    assertPatience(t, { SVC_API: `https://127.0.0.1:${port}` }, [
      10,
      /no TLS handshake within 10 s/,
    ]),
    assertPatience(t, { SVC_API: `http://127.0.0.1:${port}` }, [30, /no answer within 30 s/]),
    assertPatience(t, { SVC_API: 'https://platform.test', HTTPS_PROXY: proxy.url }, [
      10,
      /through the proxy http:\/\/127\.0\.0\.1:\d+ \(from HTTPS_PROXY\): it did not answer within 10 s/,
    ]),
  ]);
});

test('svc publish waits longer than 30 s for a platform that checks the build, and 60 s for one that stops reading it', async (t) => {
  const id = '0197a1a0-0000-7000-8000-00000000000a';
  const start = (publish: (request: IncomingMessage) => void) =>
    listen(
      t,
      createServer((request, response) => {
        const route = `${request.method} ${request.url}`;
        if (route === `POST /projects/${id}/publish`) publish(request);
        else if (route === 'GET /limits') {
          limitsAre({})(request, response);
        } else if (route === `GET /projects/${id}`) {
          json(200, {
            game: { id, status: 'draft', play_url: null },
            page: {},
            live_release: null,
          })(request, response);
        } else json(200, ME)(request, response);
      }),
    );
  const publish = async (port: number) => {
    const cwd = temporaryFolder(t);
    mkdirSync(join(cwd, 'dist'));
    writeFileSync(join(cwd, 'dist/index.html'), '<title>x</title>');
    writeFileSync(join(cwd, 'dist/level.bin'), randomBytes(32 * 1024 * 1024));
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ id, title: 'Cats', build: 'dist' }));
    const env = { SVC_TOKEN: TOKEN, SVC_API: `http://127.0.0.1:${port}` };
    return await timed(() => runSvc(t, ['publish', '--json'], { cwd, env }));
  };
  const stopping = await start((request) => request.once('data', () => request.pause()));
  let delay = 45_000;
  const judging = await start((request) => {
    request.resume();
    request.on('end', () => setTimeout(() => request.socket.destroy(), delay));
    request.on('end', () => {
      delay = 0;
    });
  });
  const [stopped, judged] = await Promise.all([publish(stopping), publish(judging)]);
  assert.equal(stopped.code, 10, stopped.stderr);
  assert.match(stopped.stderr, /it stopped accepting the upload for 60 s/);
  assert.ok(stopped.seconds < 60 + 2 * SLACK_S, `${stopped.seconds} s`);
  // The response was lost after 45 s, after the 30 s of other requests. The build is sent again.
  assert.match(judged.stderr, /the connection was closed\. Trying again/);
});
