import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { askAddress } from './ask-address.ts';
import { createPublishHook } from './publish-hook.ts';
import type { Question } from './question.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const SECRET = 'a secret of the test';
const root = mkdtempSync(join(tmpdir(), 'svc-address-'));
let answer: Answer = () => {};
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  // The platform may leave at any time.
  response.on('error', () => {});
  answer(request, response);
});
let url = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  url = `http://127.0.0.1:${address.port}/`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

let paths = 0;
function ask(zip: Buffer = Buffer.from('zip'), signal = new AbortController().signal) {
  return askAddress(
    { kind: 'address', url, secret: SECRET, timeoutMs: 300 },
    questionOf(zip),
    signal,
  );
}

function questionOf(zip: Buffer): Question {
  return {
    facts: {
      game: { id: 'g', slug: 'moon', title: 'Moon' },
      owner: { id: 'a', name: 'Ada' },
      release: { version: '1', staged: false, files: 1, bytes: 1 },
    },
    newPath: () => join(root, String(++paths)),
    async writeFiles() {},
    async *readZip() {
      yield zip;
    },
  };
}

/** Reads the question, then answers with JSON. */
const answerJson =
  (value: unknown, status = 200): Answer =>
  async (request, response) => {
    await buffer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

test('it accepts, or rejects with a reason of one line', async () => {
  const rows = [
    [{ accept: true }, { accepted: true }],
    [
      { accept: false, reason: 'Too much blood.\nAnd a miner', more: 1 },
      { accepted: false, reason: 'Too much blood. And a miner' },
    ],
    [{ accept: false }, { accepted: false, reason: '' }],
  ];
  for (const [value, verdict] of rows) {
    answer = answerJson(value);
    assert.deepEqual(await ask(), verdict);
  }
});

test('it can answer before it has read the question', async () => {
  answer = (_, response) => response.end('{"accept":false,"reason":"early"}');
  assert.deepEqual(await ask(randomBytes(8 * 1024 * 1024)), { accepted: false, reason: 'early' });
});

test('any other answer is a failure, and it is asked once', async () => {
  const rows: readonly (readonly [answer: Answer, cause: RegExp])[] = [
    [answerJson({}, 500), /^it answered with status 500$/],
    [answerJson({ accept: true }, 201), /^it answered with status 201$/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(307, { location: '/other' }).end();
      },
      /^it answered with status 307$/,
    ],
    [answerJson({ accept: 'true' }), /^its answer is neither \{"accept": true\} nor/],
    [answerJson({ accept: false, reason: 7 }), /^its answer is neither/],
    [answerJson(null), /^its answer is neither/],
    [answerJson('accept'), /^its answer is neither/],
    [(_, response) => response.end('{"accept":true'), /^its answer is neither/],
    [answerJson({ accept: true, more: 'x'.repeat(20_000) }), /^its answer is larger than 16 KiB$/],
    [(request) => request.socket.destroy(), /^it gave no answer: (socket hang up|read ECONNRESET)/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(200, { 'content-length': '100' }).write('{');
        request.socket.destroySoon();
      },
      /^it gave no answer: aborted/,
    ],
    [
      (request) =>
        request.socket.end('HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      /^it gave no answer: the connection was closed$/,
    ],
    [() => {}, /^it did not answer within 0\.3 s$/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(200).write('{"accept":');
      },
      /^it did not answer within 0\.3 s$/,
    ],
  ];
  for (const [wrong, cause] of rows) {
    answer = wrong;
    const before = asked;
    await assert.rejects(ask(), (error: Error) => {
      assert.equal(error.name, 'HookError');
      assert.match(error.message, cause);
      assert.ok(!error.message.includes(SECRET));
      return true;
    });
    assert.equal(asked, before + 1);
  }
});

test('a server without an address is a failure', async () => {
  const settings = { kind: 'address', secret: null, timeoutMs: 60_000 } as const;
  const none = { ...settings, url: 'http://127.0.0.1:1/' };
  await assert.rejects(askAddress(none, questionOf(Buffer.of(1)), new AbortController().signal), {
    name: 'HookError',
    message: /^it gave no answer: connect ECONNREFUSED/,
  });
});

test('a stopped publish does not wait for it', async () => {
  const stop = new AbortController();
  answer = () => stop.abort(new Error('the client has left'));
  await assert.rejects(ask(Buffer.from('zip'), stop.signal), /^Error: the client has left/);
});

test('four builds are judged at the same time, and others wait for their turn', async () => {
  const held: ServerResponse[] = [];
  answer = (_, response) => held.push(response);
  const hook = createPublishHook({ kind: 'address', url, secret: null, timeoutMs: 60_000 });
  const before = paths;
  const asking = Array.from({ length: 6 }, () =>
    hook(questionOf(Buffer.from('zip')), new AbortController().signal),
  );
  const wait = (count: number) =>
    until(
      () => held.length,
      (now) => now === count,
      `${count} questions`,
    );
  await wait(4);
  assert.equal(paths - before, 4, 'the others have no file yet');
  held[0]?.end('{"accept":true}');
  await wait(5);
  assert.equal(paths - before, 5);
  held[1]?.end('{"accept":true}');
  await wait(6);
  for (const response of held.slice(2)) response.end('{"accept":true}');
  assert.equal((await Promise.all(asking)).length, 6);
});
