import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanLine, findTextFault, findTextFaults } from './platform-text.ts';

const ORDINARY = [
  'Space Cats',
  'Пинг-понг',
  '東京の夜',
  'عالم الألعاب',
  'משחק הכדור',
  'می\u200cخواهم',
  'क्\u200dष',
  'ന്\u200d',
  '葛\u{e0100}城',
  'Family 👨\u200d👩\u200d👧\u200d👦!',
  '🏳\ufe0f\u200d🌈 and 🏴\u200d☠\ufe0f',
  '👩🏽\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}',
  'ᠠ\u180b ᠭ\u180d',
  'A\u00a0B',
  '⠓⠊\u2800⠞⠓⠑⠗⠑',
  '!',
];

test('findTextFault takes ordinary texts in every script, and emoji', () => {
  for (const text of ORDINARY) {
    for (const kind of ['line', 'prose'] as const)
      assert.equal(findTextFault(text, kind), null, text);
    assert.equal(cleanLine(text), text);
  }
  assert.equal(findTextFault('', 'line'), null);
});

test('findTextFault refuses in a line what shows nothing or turns the text, and says which', () => {
  const refused: [text: string, message: RegExp][] = [
    ['a\u200bb', /^contains an invisible character \(U\+200B\)$/],
    ['a\u200db', /U\+200D/],
    ['a\u200cb', /U\+200C/],
    ['\u200dعالم', /U\+200D/],
    ['a\ufeffb', /U\+FEFF/],
    ['a\u2060b', /U\+2060/],
    ['a\u00adb', /U\+00AD/],
    ['a\u3164b', /U\+3164/],
    ['Ada\ufe0f', /U\+FE0F/],
    ['x\u{e0041}', /U\+E0041/],
    ['🏴\u{e0068}\u{e0069}\u{e007f}', /U\+E0068/],
    ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0041}\u{e007f}', /U\+E0067/],
    ['ᠠ\u180b\u180c', /U\+180C/],
    ['\u1800\u180b', /U\+180B/],
    ['a\u202eb', /changes the direction of text \(U\+202E\)/],
    ['a\u2066b', /direction/],
    ['a\u200fb', /direction/],
    ['a\ud800b', /^contains half of a character \(U\+D800\)$/],
    ['\udc00', /./],
    ['a\u2028b', /line break/],
    ['a\u0085b', /line break/],
    ['a\u0007b', /control character/],
    ['a\ufffeb', /no character/],
    ['\u200b\u200b', /^is empty/],
    [' \u00a0\u2003', /^is empty/],
    ['\u2800', /^is empty/],
    ['\u0301', /^is empty/],
  ];
  for (const [text, message] of refused) {
    assert.match(findTextFault(text, 'line') ?? 'nothing', message, JSON.stringify(text));
    assert.equal(findTextFault(cleanLine(text), 'line'), null);
  }
});

test('findTextFault takes in prose what typesetting needs, and refuses what hides or reverses text', () => {
  for (const text of [
    'one\n\ttwo\r\n',
    'ไทย\u200bไทย',
    'soft\u00adware',
    'א\u200f!',
    '\u2067אב\u2069 a',
  ]) {
    assert.equal(findTextFault(text, 'prose'), null, JSON.stringify(text));
  }
  for (const text of [
    'a\u202eb',
    'a\ud800',
    'a\u001b[0m',
    'a\0',
    '\u200b',
    'a\u{e0041}',
    '🏴\u{e0068}\u{e0069}\u{e007f}',
    'a\uffff',
  ]) {
    assert.notEqual(findTextFault(text, 'prose'), null, JSON.stringify(text));
  }
});

test('findTextFaults names each field of a body, and looks at no other', () => {
  const body = {
    title: 'a\u200bb',
    slug: 'a\u200bb',
    tagline: null,
    description: 'fine\u200b',
    alt: { cover: 'x\u202ey', 'new:0': null },
    tags: ['a'],
  };
  assert.deepEqual(
    findTextFaults(body).map(({ path }) => path),
    ['title', 'alt/cover'],
  );
  assert.deepEqual(findTextFaults(null), []);
});

test('findTextFaults writes the name of an alternative text as a step of a pointer', () => {
  const names: [name: string, path: string][] = [
    ['01900000-0000-7000-8000-000000000001', 'alt/01900000-0000-7000-8000-000000000001'],
    ['a/b~c', 'alt/a~1b~0c'],
    ['a\u0000\u001b[31m\u202e\u2028b', 'alt/a[31mb'],
    ['🚀'.repeat(1000), `alt/${'🚀'.repeat(64)}`],
  ];
  for (const [name, path] of names) {
    assert.equal(findTextFaults({ alt: { [name]: 'a\u200bb' } })[0]?.path, path);
  }
});
