// What a handler may print by its definition. tsc reports a `@ts-expect-error` above a line that compiles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, defineCommand } from './define-command.ts';

const text = (): string => '';
const names = { name: 'x', summary: 'X' };

test('a handler compiles with the document that its definition names, and with no other', () => {
  const spec = defineCommand({
    ...names,
    document: 'token-revoke',
    async run({ output }) {
      output.result({ id: 'a', revoked: true }, text);
      // @ts-expect-error: a field is missing
      output.result({ id: 'a' }, text);
      // @ts-expect-error: a field of another type
      output.result({ id: 1, revoked: true }, text);
      // @ts-expect-error: a field that the document does not have
      output.result({ id: 'a', revoked: true, more: 1 }, text);
    },
  });
  assert.equal(spec.document, 'token-revoke');
});

test('a handler that prints JSON does not compile without a document', () => {
  const inline = defineCommand({
    ...names,
    async run({ output }) {
      // @ts-expect-error: the definition names no document
      output.result({ id: 'a', revoked: true }, text);
    },
  });
  const run = async (_: Call<object, 'token-revoke'>): Promise<void> => {};
  // @ts-expect-error: the handler prints a document that the definition does not name
  const passed = defineCommand({ ...names, run });
  for (const spec of [inline, passed]) assert.equal(spec.document, undefined);
});

test('a document that is not in the table does not compile', () => {
  // @ts-expect-error: no document has this name
  const spec = defineCommand({ ...names, document: 'frobnicate', run: async () => {} });
  assert.equal(spec.name, 'x');
});
