// Each field of a request has a display name, and each pattern or format a description of the allowed values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_ROUTES } from '../src/agent.ts';
import { branchesOf, RULES, type Schema, titleOf } from '../src/faults.ts';
import { PARAMS, QUERIES, REQUESTS } from '../src/platform.ts';

const NO_RULE = [
  'title',
  'description',
  'writeOnly',
  'properties',
  'items',
  'patternProperties',
  'anyOf',
];

test('every field of a request has a title, every pattern and format a description, and every rule a sentence', () => {
  const faults: string[] = [];
  let seen = 0;
  const visit = (schema: Schema, at: string): void => {
    seen++;
    const { pattern, format, description } = schema;
    const isWordless = (pattern ?? format) !== undefined && typeof description !== 'string';
    if (isWordless) faults.push(`${at}: say in its description what the pattern allows`);
    for (const key of Object.keys(schema)) {
      const isKnown = NO_RULE.includes(key) || RULES.some((rule) => rule === key);
      if (!isKnown) faults.push(`${at}: no sentence for the keyword "${key}"`);
    }
    for (const [index, branch] of branchesOf(schema).entries()) visit(branch, `${at}|${index}`);
    for (const [key, child] of childrenOf(schema)) {
      if (titleOf(child) === null) faults.push(`${at}.${key}: give it a title`);
      visit(child, `${at}.${key}`);
    }
  };
  const bodies = Object.entries(AGENT_ROUTES).map(([name, { body }]) => [name, body]);
  const groups = { ...REQUESTS, ...QUERIES, ...PARAMS, ...Object.fromEntries(bodies) };
  for (const [name, schema] of Object.entries(groups))
    visit(JSON.parse(JSON.stringify(schema)), name);
  assert.deepEqual(faults, []);
  assert.ok(seen > 100, `${seen} schemas were seen`);
});

function childrenOf(schema: Schema): [key: string, child: Schema][] {
  return [
    ...Object.entries(Object(schema['properties'])),
    ...Object.entries(Object(schema['patternProperties'])),
    ...('items' in schema ? [['[]', schema['items']]] : []),
  ] as [string, Schema][];
}
