import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, compareApis } from './compare-apis.ts';
import type { Schema } from './compare-schemas.ts';

const text: Schema = { type: 'string' };
const json = (schema: Schema) => ({ 'application/json': { schema } });
const OPERATION = {
  parameters: [
    { name: 'slug', in: 'path', required: true, schema: text },
    { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
  ],
  requestBody: { content: json({ type: 'object', properties: { title: text } }) },
  responses: {
    200: { content: json({ type: 'object', properties: { id: text }, required: ['id'] }) },
    404: { content: json(text) },
  },
  security: [{ session: [] }, { token: [] }],
} as const;

const apiOf = (operation: object): Api =>
  ({ paths: { '/games/{slug}': { post: operation } } }) as Api;

function changesTo(operation: object, before: object = OPERATION): string[] {
  return compareApis(apiOf(before), apiOf(operation)).map(({ where, what }) => `${where} ${what}`);
}

const PATH = 'POST /games/{slug}';
const { parameters, requestBody, responses } = OPERATION;
const [slug, limit] = parameters;

test('compareApis: nothing, or something new', () => {
  assert.deepEqual(changesTo(structuredClone(OPERATION)), []);
  const more = {
    ...OPERATION,
    parameters: [...parameters, { name: 'sort', in: 'query', schema: text }],
    responses: { ...responses, 409: { content: json(text) } },
    security: [...OPERATION.security, { key: [] }],
  };
  assert.deepEqual(changesTo(more), []);
  const path = { paths: { ...apiOf(OPERATION).paths, '/new': {} } };
  assert.deepEqual(compareApis(apiOf(OPERATION), path), []);
});

test('compareApis: a path or a method is gone', () => {
  const gone = [{ where: PATH, what: 'is gone' }];
  assert.deepEqual(compareApis(apiOf(OPERATION), { paths: {} }), gone);
  assert.deepEqual(compareApis(apiOf(OPERATION), { paths: { '/games/{slug}': {} } }), gone);
});

test('compareApis: credentials', () => {
  assert.deepEqual(changesTo({ ...OPERATION, security: [{ session: [] }] }), [
    `${PATH} no longer accepts the credential token`,
  ]);
  assert.deepEqual(changesTo({ ...OPERATION, security: [] }), []);
  const open = { ...OPERATION, security: undefined };
  assert.deepEqual(changesTo(OPERATION, open), [`${PATH} requires a credential`]);
});

test('compareApis: credentials of the whole document', () => {
  const scheme = { type: 'http', scheme: 'bearer' };
  const whole = (security: object, securitySchemes: object): Api => {
    const { security: _, ...operation } = OPERATION;
    return { ...apiOf(operation), security, components: { securitySchemes } } as Api;
  };
  const before = whole([{ token: [] }], { token: scheme });
  const own = {
    ...apiOf({ ...OPERATION, security: [{ token: [] }] }),
    components: before.components,
  };
  assert.deepEqual(compareApis(before, own as Api), []);
  assert.deepEqual(compareApis(before, whole([{ session: [] }], { token: scheme })), [
    { where: PATH, what: 'no longer accepts the credential token' },
  ]);
  const other = { type: 'apiKey', in: 'header', name: 'x-token' };
  assert.deepEqual(compareApis(before, whole([{ token: [] }], { token: other })), [
    { where: 'credential token', what: 'is sent in another way' },
  ]);
  assert.deepEqual(compareApis(before, whole([{ token: [] }], { token: scheme, more: other })), []);
});

test('compareApis: parameters', () => {
  assert.deepEqual(changesTo({ ...OPERATION, parameters: [slug] }), [
    `${PATH}: query limit is gone`,
  ]);
  assert.deepEqual(changesTo({ ...OPERATION, parameters: [slug, { ...limit, required: true }] }), [
    `${PATH}: query limit is required now`,
  ]);
  const smaller = { ...limit, schema: { type: 'integer', maximum: 50 } };
  assert.deepEqual(changesTo({ ...OPERATION, parameters: [slug, smaller] }), [
    `${PATH}: query limit maximum is 50, not 100`,
  ]);
  const added = { name: 'slug', in: 'query', required: true, schema: text };
  assert.deepEqual(changesTo({ ...OPERATION, parameters: [...parameters, added] }), [
    `${PATH}: query slug is required now`,
  ]);
});

test('compareApis: bodies', () => {
  assert.deepEqual(changesTo({ ...OPERATION, requestBody: { ...requestBody, required: true } }), [
    `${PATH}: body is required now`,
  ]);
  const form = { content: { 'multipart/form-data': { schema: text } } };
  assert.deepEqual(changesTo({ ...OPERATION, requestBody: form }), [
    `${PATH}: body is no longer accepted as application/json`,
  ]);
  const closed = { content: json({ type: 'object', properties: { title: { type: 'number' } } }) };
  assert.deepEqual(changesTo({ ...OPERATION, requestBody: closed }), [
    `${PATH}: body (application/json).title no longer accepts string`,
  ]);
});

test('compareApis: answers', () => {
  const { 404: _, ...withoutError } = responses;
  assert.deepEqual(changesTo({ ...OPERATION, responses: withoutError }), []);
  assert.deepEqual(changesTo({ ...OPERATION, responses: { 201: responses[200] } }), [
    `${PATH}: 200 is gone`,
    `${PATH} can answer with 201`,
  ]);
  const optional = json({ type: 'object', properties: { id: text } });
  assert.deepEqual(changesTo({ ...OPERATION, responses: { 200: { content: optional } } }), [
    `${PATH}: 200.id can be absent`,
  ]);
  const plain = { content: { 'text/plain': { schema: text } } };
  assert.deepEqual(changesTo({ ...OPERATION, responses: { 200: plain } }), [
    `${PATH}: 200 is no longer application/json`,
  ]);
});
