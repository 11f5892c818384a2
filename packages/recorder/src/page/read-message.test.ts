import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessage } from './read-message.ts';

const HELLO = { mark: 'm1', began: 1.5, marked: 2, origin: 1_700_000_000_000 };

test('reads each kind of message', () => {
  assert.deepEqual(readMessage(`H${JSON.stringify(HELLO)}`), { kind: 'hello', hello: HELLO });
  const surface = { own: 10, transferred: 20, worker: true };
  assert.deepEqual(readMessage(`L${JSON.stringify(surface)}\nline 1\nline 2\n`), {
    ...{ kind: 'lines', surface },
    lines: 'line 1\nline 2\n',
  });
  assert.deepEqual(readMessage('I12.5 page mouse down 3 4 left'), {
    ...{ kind: 'input', at: 12.5, isOnScreen: false },
    step: { device: 'mouse', action: 'down', x: 3, y: 4, button: 'left' },
  });
  assert.deepEqual(readMessage('I7 screen key up KeyW'), {
    ...{ kind: 'input', at: 7, isOnScreen: true },
    step: { device: 'key', action: 'up', code: 'KeyW' },
  });
  assert.deepEqual(readMessage('O8 -90.5'), { kind: 'origin', x: 8, y: -90.5 });
  assert.deepEqual(readMessage('D12.5'), { kind: 'first draw', ago_ms: 12.5 });
});

test('anything else is no message, or has no surface', () => {
  for (const text of [
    ...['', 'H', 'Hnull', 'H[]', 'X{}', 'L', 'L{}', 'D', 'Dx', 'D-1', 'D1e9'],
    ...['', '1', '1 page', 'x page key up KeyW', '1 frame key up KeyW'].map((text) => `I${text}`),
    ...['1 page key up Key', '1 page mouse move 1 NaN'].map((text) => `I${text}`),
    ...['9e15', '9999999999999999', '-1', '1e400'].map((time) => `I${time} page key up KeyW`),
    ...[
      { ...HELLO, mark: 1 },
      { ...HELLO, mark: 'm'.repeat(101) },
    ].map((one) => `H${JSON.stringify(one)}`),
    ...['began', 'marked', 'origin'].flatMap((key) =>
      [-1, 1e300, null, '1', undefined].map(
        (value) => `H${JSON.stringify({ ...HELLO, [key]: value })}`,
      ),
    ),
  ]) {
    assert.equal(readMessage(text), null, text);
  }
  const none = { own: 0, transferred: 0, worker: false };
  for (const head of ['{', '{"own":-1,"transferred":"9","worker":1}', 'null']) {
    assert.deepEqual(readMessage(`L${head}\nx`), { kind: 'lines', surface: none, lines: 'x' });
  }
});
