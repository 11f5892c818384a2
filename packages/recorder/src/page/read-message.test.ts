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
  assert.deepEqual(readMessage('D12.5'), { kind: 'first draw', ago_ms: 12.5 });
});

test('anything else is no message, or has no surface', () => {
  for (const text of [
    ...['', 'H', 'Hnull', 'H[]', 'X{}', 'L', 'L{}', 'D', 'Dx', 'D-1', 'D1e9'],
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
