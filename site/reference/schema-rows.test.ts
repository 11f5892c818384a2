import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf, type Schema, schemaRows, schemaTable, typeOf } from './schema-rows.ts';

const text: Schema = { type: 'string' };

test('the fields of nested objects and arrays have paths', () => {
  const schema: Schema = {
    type: 'object',
    required: ['games'],
    properties: {
      games: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id'],
          properties: { id: text, tags: { type: 'array', items: text } },
        },
      },
      next: { anyOf: [text, { type: 'null' }] },
    },
  };
  assert.deepEqual(
    schemaRows(schema).map(({ name, required, type }) => [name, required, type]),
    [
      ['games', true, 'array of object'],
      ['games[].id', true, 'string'],
      ['games[].tags', false, 'array of string'],
      ['next', false, 'string or null'],
    ],
  );
});

test('fields without fixed names have a star', () => {
  const schema: Schema = {
    type: 'object',
    patternProperties: {
      '^.*$': { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    },
  };
  assert.deepEqual(
    schemaRows(schema).map(({ name }) => name),
    ['*', '*.n'],
  );
});

const FORMS: Schema = {
  anyOf: [
    { type: 'object', required: ['kind', 'a'], properties: { kind: { const: 'x' }, a: text } },
    { type: 'object', required: ['kind', 'b'], properties: { kind: { const: 'y' }, b: text } },
    { type: 'null' },
  ],
};

test('the fields of a value with several forms are listed once, and required if all forms require them', () => {
  const schema: Schema = { type: 'object', required: ['auth'], properties: { auth: FORMS } };
  assert.deepEqual(
    schemaRows(schema).map(({ name, required, type }) => [name, required, type]),
    [
      ['auth', true, 'object or null'],
      ['auth.kind', true, '`"x"` or `"y"`'],
      ['auth.a', false, 'string'],
      ['auth.b', false, 'string'],
    ],
  );
});

test('a body with several forms has one table for each', () => {
  const tables = schemaTable(FORMS).split('\n\n');
  assert.equal(tables.length, 3);
  assert.equal(tables[0], 'One of these forms:');
  assert.match(tables[1] ?? '', /`kind` \| `"x"` [\s\S]*`a` \| string/);
  assert.match(tables[2] ?? '', /`kind` \| `"y"` [\s\S]*`b` \| string/);
  const [only] = FORMS.anyOf ?? [];
  assert.doesNotMatch(schemaTable({ anyOf: [only ?? {}, { type: 'null' }] }), /One of/);
});

test('a value that is not an object is one row without a name', () => {
  assert.match(schemaTable(text), /^\| the whole body \| string \|/m);
});

test('a field that may be missing is marked as optional', () => {
  const schema: Schema = { type: 'object', required: ['a'], properties: { a: text, b: text } };
  const rows = schemaTable(schema).split('\n').slice(2);
  assert.deepEqual(rows, ['| `a` | string |  |', '| `b` (optional) | string |  |']);
});

const TYPES: readonly (readonly [Schema, string])[] = [
  [{ const: 'x' }, '`"x"`'],
  [{ const: null }, '`null`'],
  [{ enum: ['a', 1] }, '`"a"`, `1`'],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }, '`"a"` or `"b"` or null'],
  [{ anyOf: [text, text] }, 'string'],
  [{ type: ['integer', 'string'] }, 'integer or string'],
  [{ type: 'array' }, 'array of any'],
  [{ type: 'array', items: { anyOf: [text, { type: 'null' }] } }, 'array of (string or null)'],
  [{ anyOf: [{ type: 'array', items: text }, { type: 'null' }] }, 'array of string or null'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, 'array of (`"a"`, `"b"`)'],
  [{ type: 'string', format: 'binary' }, 'bytes'],
  [{}, 'any'],
];

for (const [schema, type] of TYPES) {
  test(`the type of ${JSON.stringify(schema)} is ${type}`, () => {
    assert.equal(typeOf(schema), type);
  });
}

const MEANINGS: readonly (readonly [Schema, string])[] = [
  [{ minimum: 1, maximum: 65_535 }, '1 to 65,535'],
  [{ minimum: 0 }, 'at least 0'],
  [{ maximum: 9 }, 'at most 9'],
  [{ minimum: 3, maximum: 3 }, 'exactly 3'],
  [{ exclusiveMinimum: 0, maximum: 60_000 }, 'at most 60,000, more than 0'],
  [{ minLength: 1, maxLength: 80 }, '1 to 80 characters'],
  [{ minItems: 1, maxItems: 100, uniqueItems: true }, '1 to 100 items, no item twice'],
  [{ pattern: '^a|b$' }, 'matches `^a|b$`'],
  [{ format: 'uuid', description: 'The <id>.' }, 'uuid; The &lt;id>.'],
  [{ format: 'binary', writeOnly: true }, 'only in requests'],
  [{ anyOf: [{ maxLength: 5 }, { type: 'null' }] }, 'at most 5 characters'],
  [{ items: { maxLength: 5 }, maxItems: 2 }, 'at most 2 items, each at most 5 characters'],
  [
    { anyOf: [{ description: 'A name.', maxLength: 5 }, { type: 'null' }] },
    'at most 5 characters; A name.',
  ],
  [{ description: 'Names.', items: { description: 'One name.' } }, 'Names.; One name.'],
  [{ type: 'object' }, ''],
];

for (const [schema, meaning] of MEANINGS) {
  test(`the meaning of ${JSON.stringify(schema)} is "${meaning}"`, () => {
    assert.equal(meaningOf(schema), meaning);
  });
}
