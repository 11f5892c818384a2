// What must not leave a writer, in the spellings that names come in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAME_BYTES } from '../limits.ts';
import { utf8Length } from '../utf8.ts';
import { cleanName, cleanUrl } from './clean-name.ts';

const NAMES: readonly (readonly [string, string])[] = [
  ['https://user:pw@cdn.example/a/rock.png?token=s3cret#frag', 'https://cdn.example/a/rock.png'],
  ['https://token@host/@scope/x.js', 'https://host/@scope/x.js'],
  ['update (https://host/game.js?v=3:10:5)', 'update (https://host/game.js:10:5)'],
  ['fn@http://localhost:8080/src/a.js:3:4', 'fn@http://localhost:8080/src/a.js:3:4'],
  ['blob:https://host/0b2c', 'blob:https://host/0b2c'],
  ['data:image/png;base64,AAAA', 'data:image/png'],
  ['file:///home/alice/game/a.js', 'a.js'],
  ['/home/alice/My Games/rock.png', 'rock.png'],
  ['JS:*gameTick /home/alice/hot.js:4:18', 'JS:*gameTick hot.js:4:18'],
  ['[/usr/lib/x86_64-linux-gnu/libc.so.6]', '[libc.so.6]'],
  ['C:\\Users\\alice\\game.exe', 'game.exe'],
  ['load (C:/Users/alice/a.png)', 'load (a.png)'],
  ['\\\\server\\share\\a.png', 'a.png'],
  ['~/secret/a.png', 'a.png'],
  ['assets/rock.png', 'assets/rock.png'],
  ['operator/(Vec, float)', 'operator/(Vec, float)'],
  ['a / b', 'a / b'],
  ['std::map<int, char>::operator[]', 'std::map<int, char>::operator[]'],
  ['node:internal/timers:504:25', 'node:internal/timers:504:25'],
  ['half \ud800 pair', 'half \ufffd pair'],
];

for (const [given, expected] of NAMES) {
  test(`cleanName makes ${JSON.stringify(given)} safe to write`, () => {
    assert.equal(cleanName(given), expected);
  });
}

test('cleanUrl takes the query off relative URLs too', () => {
  assert.equal(cleanUrl('assets/rock.png?v=3#x'), 'assets/rock.png');
  assert.equal(cleanUrl('https://a:b@host/x?y'), 'https://host/x');
});

test('cleanName cuts a long name between characters, and never takes long', () => {
  const cut = cleanName('é'.repeat(NAME_BYTES));
  assert.ok(utf8Length(cut) <= NAME_BYTES && cut.endsWith('é'));
  for (const part of ['a', 'a:', ':1', '/a', 'data:', '~', '\\', 'C:\\', 'a.', '@/']) {
    assert.ok(utf8Length(cleanName(part.repeat(NAME_BYTES))) <= NAME_BYTES);
  }
});
