import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFault, formatNumber } from './describe-fault.ts';
import { findFaults } from './find-faults.ts';
import { BODY, FORM, HEADERS, type InputKind, PATH, QUERY, type Schema } from './place.ts';

/** The sentence for a value under a schema. */
function said(schema: Schema, value: unknown, kind: InputKind = BODY): string[] {
  return findFaults(schema, value).map((fault) => describeFault(fault, kind));
}

/** A body with one field of the given schema. */
function field(schema: Schema): Schema {
  return { type: 'object', properties: { a: { title: 'thing', ...schema } } };
}

/** A schema of a field, a value, and the sentence for it. Null if the value is valid. */
type Row = readonly [schema: Schema, value: unknown, sentence: string | null];

function assertSaid(rows: readonly Row[]): void {
  for (const [schema, value, sentence] of rows) {
    const note = JSON.stringify([schema, value]);
    assert.deepEqual(said(field(schema), { a: value }), sentence === null ? [] : [sentence], note);
  }
}

test('findFaults checks lengths, patterns and formats of texts', () => {
  const text = { type: 'string' };
  const named = { ...text, pattern: '^a+$', description: 'the letter a' };
  assertSaid([
    [{ ...text, minLength: 2 }, 'ab', null],
    [
      { ...text, minLength: 2 },
      'a',
      'The thing is too short: it has 1 character. Allowed: at least 2 characters',
    ],
    [{ ...text, minLength: 2 }, '', 'The thing is empty. Allowed: at least 2 characters'],
    [{ ...text, minLength: 1, maxLength: 1 }, '🚀', null],
    [
      { ...text, minLength: 1, maxLength: 1 },
      '🚀🚀',
      'The thing is too long: it has 2 characters. Allowed: exactly 1 character',
    ],
    [{ ...text, maxLength: 3 }, 'abc', null],
    [
      { ...text, maxLength: 3 },
      'abcd',
      'The thing is too long: it has 4 characters. Allowed: at most 3 characters',
    ],
    [
      { ...text, minLength: 2, maxLength: 4000 },
      'a',
      'The thing is too short: it has 1 character. Allowed: 2 to 4,000 characters',
    ],
    [named, 'aa', null],
    [named, 'ab', 'The thing "ab" is not valid. Allowed: the letter a'],
    [named, '', 'The thing "" is not valid. Allowed: the letter a'],
    [{ ...text, pattern: '^a+$' }, 'ab', 'The thing "ab" is not valid'],
    [{ ...named, writeOnly: true }, 'ab', 'The thing is not valid. Allowed: the letter a'],
    // A pattern matches whole characters.
    [{ ...text, pattern: '^.$' }, '🚀', null],
    [named, 'b'.repeat(32), 'The thing is not valid. Allowed: the letter a'],
    [{ ...text, format: 'uuid' }, '01900000-0000-7000-8000-000000000001', null],
    [{ ...text, format: 'uuid' }, '0190', 'The thing "0190" is not valid'],
    // Only one rule is reported for a value, its length first.
    [
      { ...named, maxLength: 1 },
      'bb',
      'The thing is too long: it has 2 characters. Allowed: at most 1 character',
    ],
  ]);
});

test('findFaults checks the bounds of numbers', () => {
  const number = { type: 'number' };
  const integer = { type: 'integer', minimum: 1, maximum: 3650 };
  assertSaid([
    [integer, 1, null],
    [integer, 3650, null],
    [integer, 0, 'The thing is 0. Allowed: whole numbers from 1 to 3,650'],
    [integer, 3651, 'The thing is 3,651. Allowed: whole numbers from 1 to 3,650'],
    [integer, 1.5, 'The thing is 1.5. Allowed: a whole number'],
    [{ ...number, minimum: 2 }, 1.5, 'The thing is 1.5. Allowed: from 2'],
    [{ ...number, maximum: 2 }, 2.5, 'The thing is 2.5. Allowed: up to 2'],
    [{ ...number, maximum: 2 }, 2, null],
    [{ ...number, exclusiveMinimum: 0 }, 0, 'The thing is 0. Allowed: over 0'],
    [{ ...number, exclusiveMinimum: 0 }, 0.001, null],
    [{ ...number, exclusiveMinimum: 0, maximum: 5 }, 6, 'The thing is 6. Allowed: over 0, up to 5'],
    [number, '1', 'The thing is text. Allowed: a number'],
  ]);
});

test('findFaults checks the number of entries, each entry, and duplicates', () => {
  const list = { type: 'array', items: { type: 'string', title: 'tag' } };
  const nameless = { type: 'array', items: { type: 'integer' }, uniqueItems: true };
  assertSaid([
    [{ ...list, minItems: 1 }, ['a'], null],
    [{ ...list, minItems: 1 }, [], 'The thing has 0 entries. Allowed: at least 1 entry'],
    [{ ...list, maxItems: 1 }, ['a'], null],
    [{ ...list, maxItems: 1 }, ['a', 'b'], 'The thing has 2 entries. Allowed: at most 1 entry'],
    [list, ['a', 'a'], null],
    [{ ...list, uniqueItems: true }, ['a', 'A', 'b'], null],
    [
      { ...list, uniqueItems: true },
      ['b', 'a', 'b'],
      'The thing contains the tag "b" twice, as entries 1 and 3. Allowed: each tag once',
    ],
    [list, ['a', 5], 'Tag 2 is 5. Allowed: text'],
    [nameless, [1, 'x'], 'Entry 2 of the thing is text. Allowed: a whole number'],
    [
      nameless,
      [7, 7],
      'The thing contains the entry twice, as entries 1 and 2. Allowed: each entry once',
    ],
    [list, 'a', 'The thing is text. Allowed: a list'],
  ]);
});

test('findFaults reports the type of a value, and the allowed words or types', () => {
  assertSaid([
    [{ type: 'string' }, null, 'The thing is null. Allowed: text'],
    [{ type: 'string' }, true, 'The thing is true. Allowed: text'],
    [{ type: 'boolean' }, 'true', 'The thing is text. Allowed: true or false'],
    [{ type: 'object' }, [], 'The thing is a list. Allowed: an object'],
    [{ type: 'array' }, {}, 'The thing is an object. Allowed: a list'],
    [{ type: 'number' }, Number.POSITIVE_INFINITY, null],
    [
      { type: 'string' },
      Number.POSITIVE_INFINITY,
      'The thing is a number that is too large. Allowed: text',
    ],
    [{ type: 'null' }, 5, 'The thing is 5. Allowed: null'],
    [
      { type: 'null', description: 'null, which removes it' },
      5,
      'The thing is 5. Allowed: null, which removes it',
    ],
    [{ enum: ['a', 'b'] }, 'b', null],
    [{ enum: ['a', 'b'] }, 'c', 'The thing is "c". Allowed: a, b'],
    [{ enum: ['a', 'b'] }, '', 'The thing is "". Allowed: a, b'],
    [{ enum: ['a', 'b'] }, 7, 'The thing is 7. Allowed: a, b'],
    [{ enum: ['a', 'b'] }, {}, 'The thing is not valid. Allowed: a, b'],
    [{ enum: ['a'], writeOnly: true }, 'c', 'The thing is not valid. Allowed: a'],
    [{ const: true }, true, null],
    [{ const: true }, false, 'The thing is false. Allowed: true'],
    [{ anyOf: [{ enum: ['a'], title: 'thing' }, { type: 'null' }] }, null, null],
    [
      { anyOf: [{ enum: ['a'], title: 'thing' }, { type: 'null' }] },
      'c',
      'The thing is "c". Allowed: a, null',
    ],
    [
      { anyOf: [{ type: 'integer', title: 'thing' }, { type: 'null' }] },
      'c',
      'The thing is text. Allowed: a whole number or null',
    ],
  ]);
});

test('findFaults names missing and unknown fields, in the words of the input', () => {
  const inner = {
    type: 'object',
    title: 'layout',
    properties: { theme: { type: 'string', title: 'theme' }, plain: { type: 'string' } },
    required: ['theme'],
    additionalProperties: false,
  };
  const schema = { type: 'object', properties: { layout: inner }, additionalProperties: false };
  assert.deepEqual(said(schema, { layout: {} }), [
    'The theme of the layout is missing. Add the field "theme"',
  ]);
  assert.deepEqual(said(schema, { layout: { theme: 'x', plain: 5 } }), [
    'The field "plain" of the layout is 5. Allowed: text',
  ]);
  assert.deepEqual(said(schema, { layout: { theme: 'x', thmee: 1 } }), [
    'The field "thmee" of the layout is unknown. Did you mean "theme"? Allowed: theme, plain',
  ]);
  assert.deepEqual(said(schema, { zzz: 1 }), ['The field "zzz" is unknown. Allowed: layout']);
  // Properties that every object inherits are not fields.
  assert.deepEqual(said(schema, { layout: { theme: 'x', toString: 1 } }), [
    'The field "toString" of the layout is unknown. Allowed: theme, plain',
  ]);
  assert.deepEqual(said(schema, JSON.parse('{"__proto__":1}')), [
    'The field "__proto__" is unknown. Allowed: layout',
  ]);
  const born = { type: 'object', properties: {}, required: ['constructor'] };
  assert.deepEqual(said(born, {}), [
    'The field "constructor" is missing. Add the field "constructor"',
  ]);
  const empty = { type: 'object', properties: {}, additionalProperties: false };
  const kinds: [InputKind, string][] = [
    [BODY, 'field'],
    [QUERY, 'query parameter'],
    [PATH, 'part of the address'],
    [HEADERS, 'header'],
    [FORM, 'part'],
  ];
  for (const [kind, word] of kinds) {
    assert.deepEqual(said(empty, { q: 1 }, kind), [
      `The ${word} "q" is unknown. No ${word} is allowed here`,
    ]);
  }
  assert.deepEqual(said(empty, 5, QUERY), ['The query string is 5. Allowed: an object']);
  assert.deepEqual(said(empty, null, FORM), ['The form is null. Allowed: an object']);
  // Fields without a schema are accepted, and checked against the schema of a pattern if there is
  // one.
  assert.deepEqual(said({ type: 'object', properties: {} }, { q: 1 }), []);
  const open = { type: 'object', patternProperties: { '^a': { type: 'string', title: 'text' } } };
  assert.deepEqual(said(open, { a1: 5, b: 5 }), ['The text of "a1" is 5. Allowed: text']);
});

test('findFaults chooses the branch of a union by the field that has a fixed value in each', () => {
  const branch = (kind: string, more: Schema): Schema => ({
    type: 'object',
    properties: { ...more, kind: { const: kind, title: 'kind' } },
    required: ['kind'],
  });
  const schema = {
    anyOf: [
      branch('file', { fixed: { const: true, title: 'fixed' } }),
      branch('key', { size: { type: 'number', title: 'size' } }),
    ],
  };
  assert.deepEqual(said(schema, { kind: 'key', size: 1 }), []);
  assert.deepEqual(said(schema, { kind: 'key', size: 'x', fixed: true }), [
    'The size is text. Allowed: a number',
  ]);
  assert.deepEqual(said(schema, { kind: 'other', fixed: true }), [
    'The kind is "other". Allowed: file, key',
  ]);
});

test('formatNumber writes commas between thousands, and only significant digits', () => {
  const rows: [number, string][] = [
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [-1234567.5, '-1,234,567.5'],
    [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
    [0.1 + 0.2, '0.3'],
    [0.0001234, '0.0001234'],
    [Number.NaN, 'a number that is too large'],
    [Number.POSITIVE_INFINITY, 'a number that is too large'],
  ];
  for (const [number, text] of rows) assert.equal(formatNumber(number), text);
});
