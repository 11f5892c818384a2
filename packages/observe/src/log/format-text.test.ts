import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatText } from './format-text.ts';

/** The line without its time, which is local. */
function format(line: object): string {
  const time = new Date(2026, 10, 28, 7, 5, 9).toISOString();
  const text = formatText(JSON.stringify({ level: 'info', time, msg: 'm', ...line }));
  assert.equal(text.slice(0, 9), '07:05:09 ');
  return text.slice(9);
}

test('a line of text has the level as a word, the message and the fields', () => {
  assert.equal(format({ msg: 'ready' }), 'ready\n');
  assert.equal(format({ level: 'debug', route: '/me', ms: 1.5 }), 'm route=/me ms=1.5\n');
  assert.equal(format({ level: 'warn' }), 'warning: m\n');
  const request = { msg: 'request', method: 'GET', route: '/me', status: 503, ms: 1.5, bytes: 300 };
  assert.equal(
    format({ ...request, level: 'warn', code: 'busy', request_id: 'i' }),
    'warning: GET /me 503, 1.5 ms, 300 B code=busy request_id=i\n',
  );
  assert.equal(
    format({ level: 'error', error: 'Error: x\n    at f', id: 7 }),
    ['internal error: m id=7', 'Error: x', '    at f', ''].join('\n'),
  );
});

test('control characters cannot reach the terminal', () => {
  assert.equal(format({ msg: 'a\u001b[2Jb\u0007\u009bc\rd', x: '\u0000' }), 'a�[2Jb��c�d x=�\n');
  assert.equal(format({ msg: 'a\tb', x: 'c\nd' }), 'a\tb x=c�d\n');
  assert.equal(
    format({ level: 'error', error: 'E\u0007\n  at f' }),
    'internal error: m\nE�\n  at f\n',
  );
});
