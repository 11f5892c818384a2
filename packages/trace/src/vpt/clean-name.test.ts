// Private and unsafe parts of names, in all spellings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAME_BYTES } from '../format/limits.ts';
import { cleanName, cleanText, cleanUrl } from './clean-name.ts';

const NAMES: readonly (readonly [string, string])[] = [
  ['https://user:pw@cdn.example/a/rock.png?token=s3cret#frag', 'https://cdn.example/a/rock.png'],
  ['https://token@host/@scope/x.js', 'https://host/@scope/x.js'],
  ['update (https://host/game.js?v=3:10:5)', 'update (https://host/game.js:10:5)'],
  ['fn@http://localhost:8080/src/a.js:3:4', 'fn@http://localhost:8080/src/a.js:3:4'],
  ['blob:https://host/0b2c', 'blob:https://host/0b2c'],
  ['data:image/png;base64,AAAA', 'data:image/png'],
  ['https://cdn.example/data:a,b.png', 'https://cdn.example/data:a,b.png'],
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
  ['see HTTPS://User:pw@Host/x.png?token=1', 'see HTTPS://Host/x.png'],
  ['wss://user:pw@host/socket?token=1', 'wss://host/socket'],
  ['git+ssh://git@host/a', 'git+ssh://host/a'],
  ['blob:https://user:pw@host/0b2c', 'blob:https://host/0b2c'],
  ['https://user:pw@host', 'https://host'],
  ['https://user@mail:pw@host/x', 'https://host/x'],
  ['https://host/a.js#token', 'https://host/a.js'],
  ['https://host/a.js?v=3:10', 'https://host/a.js:10'],
  ['file:///home/alice/a.js?v=2:3:4', 'a.js:3:4'],
  ['FILE:///home/alice/a.js', 'a.js'],
  ['data:text/plain,text', 'data:text/plain'],
  ['DATA:text/plain;x=y,text', 'DATA:text/plain'],
  ['img (data:image/png;base64,AA==)', 'img (data:image/png)'],
  ['~/My Games/rock.png', 'rock.png'],
  ['c:\\My Games\\game.exe', 'game.exe'],
  ['C:\\My Games\\game.exe', 'game.exe'],
  ['c:/My Games/game.exe', 'game.exe'],
  ['\\\\server\\my share\\a.png', 'a.png'],
  ['load ~/Games/rock.png', 'load rock.png'],
  ['load c:\\Users\\alice\\a.png', 'load a.png'],
  ['load \\\\server\\share\\a.png', 'load a.png'],
  ['/home/alice/', 'alice'],
  ['/', '/'],
  ['Foo:\\bar', 'Foo:\\bar'],
];

for (const [given, expected] of NAMES) {
  test(`cleanName removes what is private or unsafe from ${JSON.stringify(given)}`, () => {
    assert.equal(cleanName(given), expected);
  });
}

test('cleanName finds absolute paths before and after every punctuation mark', () => {
  for (const sign of ` \t\n"'(),;=:@|<>[]{}`) {
    const before = `load${sign}`;
    const after = /[=:@]/.test(sign) ? ' to' : `${sign}to`;
    for (const path of ['/home/alice/a.png', '~/a.png', 'c:\\Users\\a.png', 'd:/games/a.png']) {
      const given = `${before}${path}${after}`;
      assert.equal(cleanName(given), `${before}a.png${after}`, JSON.stringify(given));
    }
  }
});

test('cleanUrl removes the query from relative URLs too', () => {
  assert.equal(cleanUrl('assets/rock.png?v=3#x'), 'assets/rock.png');
  assert.equal(cleanUrl('assets/rock.png#x'), 'assets/rock.png');
  assert.equal(cleanUrl('assets/rock.png?x\ny'), 'assets/rock.png');
  assert.equal(cleanUrl('https://a:b@host/x?y'), 'https://host/x');
});

const URLS: readonly (readonly [string, string])[] = [
  ['https://user:p(w)@host/x', 'https://host/x'],
  ['https://user:p w@host/x', 'https://host/x'],
  ['HTTPS://user:"pw"@host/x', 'HTTPS://host/x'],
  ["file:///home/o'brien/games/a.png", 'a.png'],
  ['data:image/png;base64,AA?B#C', 'data:image/png'],
  ['DATA:image/svg+xml,<svg id="a">', 'DATA:image/svg+xml'],
  ['https://host/@a/(b) c.png?d@e', 'https://host/@a/(b) c.png'],
  ['c:\\games\\a.png', 'a.png'],
  ['art/\udc00.png', 'art/\ufffd.png'],
];

for (const [given, expected] of URLS) {
  test(`cleanUrl treats all of ${JSON.stringify(given)} as one URL`, () => {
    assert.equal(cleanUrl(given), expected);
  });
}

test('cleanName cuts a name over the limit between characters, and keeps one at the limit', () => {
  const most = NAME_BYTES;
  const rows: readonly (readonly [string, string])[] = [
    ['a'.repeat(most), 'a'.repeat(most)],
    ['a'.repeat(most + 1), 'a'.repeat(most)],
    ['é'.repeat(most / 2), 'é'.repeat(most / 2)],
    [`a${'é'.repeat(most / 2)}`, `a${'é'.repeat(most / 2 - 1)}`],
    ['€'.repeat(21_846), '€'.repeat(21_845)],
    [`a${'😀'.repeat(most / 4)}`, `a${'😀'.repeat(most / 4 - 1)}`],
    [`abc${'😀'.repeat(most / 4)}`, `abc${'😀'.repeat(most / 4 - 1)}`],
  ];
  for (const [given, expected] of rows) {
    const cut = cleanName(given);
    assert.deepEqual(
      [cut.slice(-2), Buffer.byteLength(cut)],
      [expected.slice(-2), Buffer.byteLength(expected)],
    );
    assert.ok(cut === expected, `${expected.slice(0, 4)}…`);
  }
});

test('cleanName runs in linear time and returns at most the limit', () => {
  for (const part of ['a', 'a:', ':1', '/a', 'data:', '~', '\\', 'C:\\', 'a.', '@/']) {
    assert.ok(Buffer.byteLength(cleanName(part.repeat(NAME_BYTES))) <= NAME_BYTES);
  }
});

test('a file of a game has the same name in every release, and the link of a preview is not written', () => {
  for (const part of ['.release/0198-ab', '.preview/0198-ab.Sig_nature-1', '.content/ff00.Sig']) {
    const url = `https://games.example/play/moonhop/${part}/art/rock.png`;
    assert.equal(cleanUrl(url), 'https://games.example/play/moonhop/art/rock.png');
    assert.equal(
      cleanName(`update (${url}:3:4)`),
      'update (https://games.example/play/moonhop/art/rock.png:3:4)',
    );
    assert.equal(cleanUrl(`https://moonhop.example/${part}/`), 'https://moonhop.example/');
    assert.equal(cleanUrl(`https://moonhop.example/${part}`), 'https://moonhop.example');
  }
  assert.equal(cleanUrl('https://a.example/.release/'), 'https://a.example/.release/');
  assert.equal(cleanUrl('https://a.example/x.release/y/z'), 'https://a.example/x.release/y/z');
});

test('cleanText: each word of a text is cleaned, also the first one', () => {
  const text = '/home/alice/a.png was not found (404) in https://u:p@host/a?k=1 \ud800';
  assert.equal(cleanText(text), 'a.png was not found (404) in https://host/a \ufffd');
  assert.equal(cleanText('no paths, no URLs'), 'no paths, no URLs');
  assert.equal(cleanText('é'.repeat(NAME_BYTES)).length, NAME_BYTES / 2);
});
