// Connections for notifications: what a new one guards, and when it is replaced. The server speaks PostgreSQL's protocol.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { until } from '../../../../scripts/until.ts';
import { listenForChanges } from './listen-for-changes.ts';

/** A message of the server: its type, its length and its fields. */
function message(type: string, ...fields: (number | string)[]): Buffer {
  const parts = fields.map((field) => {
    if (typeof field === 'string') return Buffer.from(`${field}\0`);
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(field);
    return bytes;
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = Buffer.from('Z\0\0\0\x05I');

/** Answers a statement. `notifies` is set if a notification is delivered. */
function answer(socket: Socket, statement: string, notifies: boolean): void {
  const [, channel, payload] = /^notify (\S+), '(\d+)'$/.exec(statement) ?? [];
  for (const one of statement.split(';')) {
    socket.write(message('C', (one.trim().split(' ')[0] ?? '').toUpperCase()));
  }
  if (notifies && channel !== undefined) socket.write(message('A', 1, channel, payload ?? ''));
  socket.write(READY);
}

type ServerState = {
  /** How many connections were opened. */
  connections: number;
  /** Whether notifications are delivered on a connection, by its number from 1. `false` closes it at once. */
  serve: (connection: number) => 'notifies' | 'is silent' | false;
};

/** Starts a server and listens at it. */
async function openListener(t: TestContext, serve: ServerState['serve']) {
  const state: ServerState = { connections: 0, serve };
  const server = createServer((socket) => {
    const kind = state.serve(++state.connections);
    if (kind === false) {
      socket.destroy();
      return;
    }
    let isStarted = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', 0), READY]));
      } else if (bytes[0] === 'Q'.charCodeAt(0)) {
        answer(socket, bytes.toString('utf8', 5, bytes.length - 1), kind === 'notifies');
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const lines: string[] = [];
  const changes = listenForChanges({
    url: `postgres://app@127.0.0.1:${port}/svc`,
    timeoutMs: 4_000,
    log: logTo((line) => lines.push(line)),
  });
  t.after(async () => {
    await changes[Symbol.asyncDispose]();
    await new Promise((done) => server.close(done));
  });
  return { changes, lines, state };
}

test('what was read before a connection listens is read again', async (t) => {
  const { changes } = await openListener(t, () => 'notifies');
  const before = changes.stampOf('moon');
  assert.equal(changes.isCurrent(), false);
  await until(() => changes.isCurrent(), Boolean, 'a beat has come back');
  assert.notEqual(changes.stampOf('moon'), before);
  const now = changes.stampOf('moon');
  await until(() => changes.isCurrent(), Boolean, 'a beat has come back');
  assert.equal(changes.stampOf('moon'), now);
});

test('a connection that delivers no notifications is replaced, and is not trusted', async (t) => {
  const serve = (connection: number) => (connection === 1 ? 'is silent' : 'notifies');
  const { changes, state } = await openListener(t, serve);
  await until(
    () => {
      if (state.connections < 2) assert.equal(changes.isCurrent(), false);
      return state.connections;
    },
    (count) => count === 2,
    'it is replaced',
  );
  await until(() => changes.isCurrent(), Boolean, 'a beat has come back');
});

test('the operator is informed once of a database that cannot be reached, and when it can be again', async (t) => {
  const { changes, lines } = await openListener(t, (connection) => connection > 4 && 'notifies');
  await until(() => changes.isCurrent(), Boolean, 'a beat has come back');
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0] ?? '', /^warning: no notifications of PostgreSQL arrive: \S/);
  assert.equal(lines[1], 'notifications of PostgreSQL arrive again');
});
