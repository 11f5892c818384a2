import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LINE_BYTES } from './limits.ts';
import { LineTransport } from './line-transport.ts';

async function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: unknown[] = [];
  const state = { closed: 0, output: '' };
  output.setEncoding('utf8').on('data', (text: string) => {
    state.output += text;
  });
  const transport = new LineTransport(input, output, () => {
    state.closed++;
  });
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  return { input, output, received, state, transport };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test('a message may arrive in any pieces, and several at once', async () => {
  const { input, received, state } = await open();
  const line = `${PING.replace('ping', 'größe')}\n`;
  for (const byte of Buffer.from(line)) input.write(Buffer.from([byte]));
  input.write(`\r\n${PING}\r\n\n${PING}\n${PING.slice(0, 9)}`);
  await setImmediate();
  assert.deepEqual(
    received.map((message) => (message as { method: string }).method),
    ['größe', 'ping', 'ping'],
  );
  assert.equal(state.output, '');
});

test('a line of LINE_BYTES is accepted, a longer one is rejected once', async () => {
  const { input, received, state } = await open();
  const padded = (bytes: number): string => PING.padEnd(bytes, ' ');
  input.write(`${padded(LINE_BYTES)}\n`);
  input.write(padded(LINE_BYTES));
  for (let i = 0; i < 5; i++) input.write(padded(LINE_BYTES));
  input.write(`\n${PING}\n`);
  await setImmediate();
  assert.equal(received.length, 2);
  assert.equal(state.output.trim().split('\n').length, 1);
  assert.match(state.output, /"id":null,"error":\{"code":-32600/);
});

test('it closes at the end of input when every request is answered or cancelled', async () => {
  const { input, state, transport } = await open();
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}';
  input.end(`${PING}\n${PING.replace('1', '2')}\n${cancel}\n${PING.replace('1', '"3"')}`);
  await setImmediate();
  assert.equal(state.closed, 0);
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  assert.equal(state.closed, 0);
  await transport.send({ jsonrpc: '2.0', id: '3', result: {} });
  assert.equal(state.closed, 1);
  await transport.send({ jsonrpc: '2.0', id: 4, result: {} });
  assert.equal(state.output.trim().split('\n').length, 2);
});

test('it closes at once when the output is gone', async () => {
  const { output, input, state } = await open();
  input.write(`${PING}\n`);
  output.destroy();
  await setImmediate();
  assert.equal(state.closed, 1);
});
