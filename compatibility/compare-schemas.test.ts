import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { type Change, compareSchemas, type Direction, type Schema } from './compare-schemas.ts';

const object = (
  properties: Schema,
  required: readonly string[] = [],
  more: Schema = {},
): Schema => ({
  ...{ type: 'object', properties, required },
  ...more,
});
const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const textOrNull: Schema = { anyOf: [text, { type: 'null' }] };
const CLOSED = { additionalProperties: false };
/** An object that a word tells apart from others. */
const event = (name: string, fields: Schema): Schema =>
  object({ event: { const: name }, ...fields }, ['event', ...Object.keys(fields)]);

/** Each row: what it is, the schema before, the schema after, and the changes in both directions. */
const ROWS: readonly (readonly [string, Schema, Schema, string[], string[]])[] = [
  ['the same', object({ a: text }), object({ a: text }), [], []],
  ['other remarks', { ...text, title: 'a' }, { ...text, title: 'b', deprecated: true }, [], []],
  ['a new optional field', object({}), object({ a: text }), [], []],
  ['a new required field', object({}), object({ a: text }, ['a']), ['a is required now'], []],
  [
    'a field becomes required',
    object({ a: text }),
    object({ a: text }, ['a']),
    ['a is required now'],
    [],
  ],
  [
    'a field becomes optional',
    object({ a: text }, ['a']),
    object({ a: text }),
    [],
    ['a can be absent'],
  ],
  ['a field is gone', object({ a: text }), object({}), [], ['a is no longer returned']],
  [
    'a required field is gone',
    object({ a: text }, ['a']),
    object({}),
    [],
    ['a is no longer returned'],
  ],
  [
    'a field of a closed object is gone',
    object({ a: text }, [], CLOSED),
    object({}, [], CLOSED),
    ['a is no longer accepted'],
    ['a is no longer returned'],
  ],
  [
    'a field is gone, and other fields have another type',
    object({ a: text }, [], { additionalProperties: number }),
    object({}, [], { additionalProperties: number }),
    ['a no longer accepts string'],
    ['a is no longer returned'],
  ],
  [
    'an object is closed',
    object({}),
    object({}, [], CLOSED),
    [' no longer accepts other fields'],
    [],
  ],
  ['an object is opened', object({}, [], CLOSED), object({}), [], []],
  [
    'other fields get a type',
    object({}),
    object({}, [], { additionalProperties: text }),
    ['.* no longer accepts any value'],
    [],
  ],
  [
    'other fields lose their type',
    object({}, [], { additionalProperties: text }),
    object({}),
    [],
    ['.* can be any value'],
  ],
  [
    'there are no other fields',
    object({}, [], { additionalProperties: text }),
    object({}, [], CLOSED),
    [' no longer accepts other fields'],
    ['.* is no longer returned'],
  ],
  ['another type', text, number, [' no longer accepts string'], [' can be number']],
  ['an integer becomes a number', { type: 'integer' }, number, [], [' can be number']],
  ['a number becomes an integer', number, { type: 'integer' }, [' no longer accepts number'], []],
  ['null is possible', text, textOrNull, [], [' can be null']],
  ['null is not possible', textOrNull, text, [' no longer accepts null'], []],
  ['null as a second type', text, { type: ['string', 'null'] }, [], [' can be null']],
  ['two types as alternatives', { type: ['string', 'null'] }, textOrNull, [], []],
  ['the order of alternatives', textOrNull, { anyOf: [{ type: 'null' }, text] }, [], []],
  ['oneOf in place of anyOf', textOrNull, { oneOf: [text, { type: 'null' }] }, [], []],
  [
    'the only alternative',
    { anyOf: [text] },
    { anyOf: [number] },
    [' no longer accepts string'],
    [' can be number'],
  ],
  ['any value becomes text', {}, text, [' no longer accepts any value'], []],
  ['text becomes any value', text, {}, [], [' can be any value']],
  ['a new word', { enum: ['a'] }, { enum: ['a', 'b'] }, [], []],
  [
    'a word is gone',
    { enum: ['a', 'b'] },
    { enum: ['a'] },
    [' no longer accepts "b"'],
    [' is no longer "b"'],
  ],
  [
    'words as constants',
    { enum: ['a', 'b'] },
    { anyOf: ['a', 'b', 'c'].map((one) => ({ const: one })) },
    [],
    [],
  ],
  ['any text becomes words', text, { enum: ['a'] }, [' no longer accepts string'], []],
  ['words become any text', { enum: ['a'] }, text, [], [' is no longer "a"', ' can be string']],
  ['another constant', { const: 1 }, { const: 2 }, [' no longer accepts 1'], [' is no longer 1']],
  [
    'true becomes false',
    { const: true },
    { const: false },
    [' no longer accepts true'],
    [' can be false'],
  ],
  ['true becomes both', { const: true }, { type: 'boolean' }, [], [' can be false']],
  ['a longer text', { ...text, maxLength: 1 }, { ...text, maxLength: 2 }, [], []],
  [
    'a shorter text',
    { ...text, maxLength: 2 },
    { ...text, maxLength: 1 },
    [' maxLength is 1, not 2'],
    [],
  ],
  ['a limit is new', number, { ...number, minimum: 1 }, [' minimum is 1, not unlimited'], []],
  ['a limit is gone', { ...number, minimum: 1, maximum: 2 }, number, [], []],
  ['a bound is included', { ...number, exclusiveMinimum: 0 }, { ...number, minimum: 0 }, [], []],
  [
    'a bound is excluded',
    { ...number, maximum: 9 },
    { ...number, exclusiveMaximum: 9 },
    [' exclusiveMaximum is 9, not 9'],
    [],
  ],
  [
    'a bound rises',
    { ...number, exclusiveMinimum: 0 },
    { ...number, minimum: 0, exclusiveMinimum: 1 },
    [' exclusiveMinimum is 1, not 0'],
    [],
  ],
  [
    'another pattern',
    { ...text, pattern: 'a' },
    { ...text, pattern: 'b' },
    [' pattern is "b", not "a"'],
    [' pattern is "b", not "a"'],
  ],
  ['a pattern is gone', { ...text, pattern: 'a' }, text, [], [' pattern is undefined, not "a"']],
  ['a pattern is new', text, { ...text, pattern: 'b' }, [' pattern is "b", not undefined'], []],
  [
    'a keyword that is not compared',
    object({ a: { allOf: [text] } }),
    object({ a: { allOf: [number] } }),
    ['a allOf is [{"type":"number"}], not [{"type":"string"}]'],
    ['a allOf is [{"type":"number"}], not [{"type":"string"}]'],
  ],
  [
    'a field of items in a field',
    object({ a: { type: 'array', items: object({ b: text }) } }),
    object({ a: { type: 'array', items: object({ b: number }) } }),
    ['a[].b no longer accepts string'],
    ['a[].b can be number'],
  ],
  [
    'items get a type',
    { type: 'array' },
    { type: 'array', items: text },
    ['[] no longer accepts any value'],
    [],
  ],
  [
    'items lose their type',
    { type: 'array', items: text },
    { type: 'array' },
    [],
    ['[] can be any value'],
  ],
  [
    'the fields of a record',
    { type: 'object', patternProperties: { '^.*$': text } },
    { type: 'object', patternProperties: { '^.*$': number } },
    ['.* no longer accepts string'],
    ['.* can be number'],
  ],
  [
    'an alternative of an object has a new field',
    { anyOf: [object({ a: text }, ['a']), number] },
    { anyOf: [object({ a: text, b: text }, ['a']), number] },
    [],
    [],
  ],
  [
    'fields beside alternatives',
    { type: 'object', properties: { a: text }, required: ['a'], anyOf: [object({ b: text })] },
    {
      type: 'object',
      properties: { a: text },
      required: [],
      anyOf: [object({ b: number }, ['b'])],
    },
    ['b no longer accepts string', 'b is required now'],
    ['b can be number', 'a can be absent'],
  ],
  [
    'a kind of object is new',
    { anyOf: [event('on', { url: text })] },
    { anyOf: [event('on', { url: text }), event('off', {})] },
    [],
    [],
  ],
  [
    'a kind of object is gone',
    { anyOf: [event('on', { url: text }), event('off', {})] },
    { anyOf: [event('off', {})] },
    [' no longer accepts object with "event": "on"'],
    [' is no longer object with "event": "on"'],
  ],
  [
    'a kind of object has another name',
    event('on', { url: text }),
    event('ready', { url: text }),
    [' no longer accepts object with "event": "on"'],
    [' is no longer object with "event": "on"'],
  ],
  [
    'a field of a kind of object is gone',
    { anyOf: [event('on', { url: text }), event('off', {})] },
    { anyOf: [event('on', {}), event('off', {})] },
    [],
    ['url is no longer returned'],
  ],
  [
    'a field of an alternative without a name is gone',
    { anyOf: [object({ a: text, b: text }, ['a']), object({ c: text }, ['c'])] },
    { anyOf: [object({ a: text }, ['a']), object({ c: text }, ['c'])] },
    [],
    ['b is no longer returned'],
  ],
];

const sentences = (changes: readonly Change[]): string[] =>
  changes.map(({ where, what }) => `${where} ${what}`);

for (const [what, before, after, accepted, returned] of ROWS) {
  test(`compareSchemas: ${what}`, () => {
    assert.deepEqual(sentences(compareSchemas(before, after, 'accepted', '')), accepted);
    assert.deepEqual(sentences(compareSchemas(before, after, 'returned', '')), returned);
  });
}

/** Small schemas of lists and of objects. Open objects accept a field of any type, until one of its name is added. */
const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Schema>(text, number, { type: 'null' }, { enum: ['a', 'b'] }, {}),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'))
      .chain((properties) =>
        fc
          .subarray(Object.keys(properties))
          .map((required) => object(properties, required, { additionalProperties: false })),
      ),
  ),
})).schema;

test('compareSchemas: a schema is compatible with itself, in both directions', () => {
  fc.assert(
    fc.property(
      schemas,
      fc.constantFrom<Direction>('accepted', 'returned'),
      (schema, direction) => {
        assert.deepEqual(compareSchemas(schema, structuredClone(schema), direction, ''), []);
      },
    ),
  );
});

const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>('a', 'b', 'other', 0, 1.5, null, true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
})).value;

test('compareSchemas: without a change, everything that was accepted is accepted', () => {
  let compared = 0;
  fc.assert(
    fc.property(
      schemas,
      schemas,
      fc.array(values, { minLength: 20, maxLength: 60 }),
      (before, after, some) => {
        if (compareSchemas(before, after, 'accepted', '').length > 0) return;
        for (const value of some.filter((one) => Check(before, one))) {
          compared++;
          assert.ok(Check(after, value), JSON.stringify({ before, after, value }));
        }
      },
    ),
    { numRuns: 2_000 },
  );
  assert.ok(compared > 20, String(compared));
});
