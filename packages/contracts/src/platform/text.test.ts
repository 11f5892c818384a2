import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanLine, findTextFault, findTextFaults } from './text.ts';

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

test('findTextFault accepts ordinary texts in every script, and emoji', () => {
  for (const text of ORDINARY) {
    for (const kind of ['line', 'prose'] as const)
      assert.equal(findTextFault(text, kind), null, text);
    assert.equal(cleanLine(text), text);
  }
  assert.equal(findTextFault('', 'line'), null);
});

test('findTextFault rejects invisible and direction-changing characters in a line, and names them', () => {
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
    ['a\ufffeb', /not a character/],
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

test('findTextFault accepts typographic characters in prose, and rejects those that hide or reverse text', () => {
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

test('findTextFault accepts a joiner only between letters of scripts with joining letters', () => {
  const joining: Readonly<Record<string, string>> = {
    Arabic: 'م',
    Syriac: 'ܡ',
    Nko: 'ߡ',
    Mongolian: 'ᠮ',
    Adlam: '𞤀',
    Devanagari: 'म',
    Bengali: 'ম',
    Gurmukhi: 'ਮ',
    Gujarati: 'મ',
    Oriya: 'ମ',
    Tamil: 'ம',
    Telugu: 'మ',
    Kannada: 'ಮ',
    Malayalam: 'മ',
    Sinhala: 'ම',
    Tibetan: 'མ',
    Myanmar: 'မ',
    Khmer: 'ម',
    Javanese: 'ꦩ',
    Balinese: 'ᬫ',
  };
  for (const [script, letter] of Object.entries(joining)) {
    for (const joiner of ['\u200c', '\u200d']) {
      assert.equal(findTextFault(letter + joiner + letter, 'line'), null, script);
      assert.notEqual(findTextFault(`a${joiner}${letter}`, 'line'), null, script);
      assert.notEqual(findTextFault(`${letter}${joiner}a`, 'line'), null, script);
    }
  }
  for (const letter of ['a', 'я', 'א', '東', 'ก']) {
    assert.notEqual(findTextFault(`${letter}\u200d${letter}`, 'line'), null, letter);
  }
});

test('findTextFault names the kind and code point of a rejected character', () => {
  const invisible = (code: string): string => `contains an invisible character (U+${code})`;
  const rows: [text: string, line: string | null, prose: string | null][] = [
    ['a\tb', 'contains a control character (U+0009)', null],
    ['a\nb', 'contains a line break (U+000A)', null],
    ['a\rb', 'contains a line break (U+000D)', null],
    ['a\u0000b', 'contains a control character (U+0000)', 'contains a control character (U+0000)'],
    ['a\u000bb', 'contains a control character (U+000B)', 'contains a control character (U+000B)'],
    ['a\u007fb', 'contains a control character (U+007F)', 'contains a control character (U+007F)'],
    ['a\u009fb', 'contains a control character (U+009F)', 'contains a control character (U+009F)'],
    ['a\u0085b', 'contains a line break (U+0085)', 'contains a line break (U+0085)'],
    ['a\u2028b', 'contains a line break (U+2028)', null],
    ['a\u2029b', 'contains a line break (U+2029)', null],
    ...['061C', '200E', '200F', '202A', '202B', '202C', '2066', '2067', '2068', '2069'].map(
      (code): [string, string, null] => [
        `a${String.fromCodePoint(Number.parseInt(code, 16))}b`,
        `contains an invisible character that changes the direction of text (U+${code})`,
        null,
      ],
    ),
    ...['202D', '202E'].map((code): [string, string, string] => {
      const said = `contains an invisible character that changes the direction of text (U+${code})`;
      return [`a${String.fromCodePoint(Number.parseInt(code, 16))}b`, said, said];
    }),
    ['a\ufff9b', invisible('FFF9'), null],
    ['a\ufffbb', invisible('FFFB'), null],
    ['a\ufffcb', null, null],
    ['a\u{e0000}b', invisible('E0000'), invisible('E0000')],
    ['a\u{e007f}b', invisible('E007F'), invisible('E007F')],
    ['a\u{e0100}b', invisible('E0100'), null],
    ['a\ud800b', 'contains half of a character (U+D800)', 'contains half of a character (U+D800)'],
    ['a\udfffb', 'contains half of a character (U+DFFF)', 'contains half of a character (U+DFFF)'],
    [
      'a\ufdd0b',
      'contains a code point that is not a character (U+FDD0)',
      'contains a code point that is not a character (U+FDD0)',
    ],
    // An empty text is valid. A text of only invisible characters is empty, except for line breaks in prose.
    ['  \n', 'is empty: it contains only spaces and invisible characters', null],
    [
      '\u200b\u00ad',
      'is empty: it contains only spaces and invisible characters',
      'is empty: it contains only spaces and invisible characters',
    ],
  ];
  for (const [text, line, prose] of rows) {
    assert.equal(findTextFault(text, 'line'), line, `line ${JSON.stringify(text)}`);
    assert.equal(findTextFault(text, 'prose'), prose, `prose ${JSON.stringify(text)}`);
  }
});

test('cleanLine keeps readable characters on one line', () => {
  const rows: [text: string, clean: string][] = [
    [' Ada  Byron ', 'Ada  Byron'],
    ['Ada\r\n\tByron', 'Ada Byron'],
    ['Ada\u2028Byron', 'Ada Byron'],
    ['A\u200bd\u202ea\ufeff', 'Ada'],
    ['Ada\ud800', 'Ada'],
    ['👩\u200d🚀', '👩\u200d🚀'],
    ['\u200b\u2800', ''],
    ['\n', ''],
    ['', ''],
  ];
  for (const [text, clean] of rows) assert.equal(cleanLine(text), clean, JSON.stringify(text));
});

test('findTextFaults names each text, and checks it as a line or as prose', () => {
  const subjects: Readonly<Record<string, [subject: string, prose: boolean]>> = {
    title: ['The title', false],
    tagline: ['The tagline', false],
    reason: ['The reason', false],
    note: ['The note', false],
    text: ['The text of the report', true],
    name: ['The name', false],
    description: ['The description', true],
    notes: ['The text of the release notes', true],
  };
  for (const [field, [subject, prose]] of Object.entries(subjects)) {
    assert.deepEqual(findTextFaults({ [field]: 'a\0b' }), [
      { path: field, message: `${subject} contains a control character (U+0000)` },
    ]);
    const broken = findTextFaults({ [field]: 'a\nb' }).map(({ message }) => message);
    assert.deepEqual(broken, prose ? [] : [`${subject} contains a line break (U+000A)`]);
  }
  assert.deepEqual(findTextFaults({ alt: { cover: 'a\nb' } }), [
    { path: 'alt/cover', message: 'An alternative text contains a line break (U+000A)' },
  ]);
  assert.deepEqual(findTextFaults({ alt: null, title: 5, toString: 'a\0b' }), []);
});

test('findTextFaults checks only the known fields of a body', () => {
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

test('findTextFaults escapes the name of an alternative text as a pointer step', () => {
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
