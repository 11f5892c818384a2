// What programs depend on has not changed since the last release, or the version says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractFaults } from './compare-contracts.ts';
import { compareSchemas, type Schema } from './compare-schemas.ts';
import { type Contracts, readBaseline, readContracts } from './contracts.ts';

const BASELINE = readBaseline();

test('the sources break no program that was written for the last release', async () => {
  assert.deepEqual(contractFaults(BASELINE, await readContracts()), []);
});

/** The contracts of the last release with a change. */
function changed(change: (contracts: Contracts) => void, version = BASELINE.version): Contracts {
  const contracts = structuredClone({ ...BASELINE, version });
  change(contracts);
  return contracts;
}

/** Removes a part of the contracts. */
const without =
  (...path: readonly string[]) =>
  (contracts: Contracts): void => {
    const last = path.at(-1) ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: the path leads through different records.
    const parent = path.slice(0, -1).reduce((one: any, name) => one[name], contracts);
    assert.ok(last in parent, path.join(' '));
    delete parent[last];
  };

const REMOVED: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^Since [\d.]+, "platform API: GET \/search" is gone\./,
    ['apis', 'platform', 'paths', '/search', 'get'],
  ],
  [/"dashboard API: POST \/api\/start" is gone/, ['apis', 'agent', 'paths', '/api/start', 'post']],
  [
    /"publish\.output\.json: " can be|"publish\.output\.json" is gone/,
    ['documents', 'publish.output.json'],
  ],
  [/"svc\.json" is gone/, ['documents', 'svc.json']],
  [/"exit code 7" no longer means/, ['exitCodes', 'invalid']],
  [/"platform API: error slug_taken" is gone/, ['errors', 'platform', 'slug_taken']],
  [/"dashboard API: error no_trace" is gone/, ['errors', 'agent', 'no_trace']],
  [
    /"error: error\.code" is no longer returned/,
    ['messages', 'error', 'properties', 'error', 'properties', 'code'],
  ],
  [/"record process" is gone.*VPT_VERSION/, ['format', 'records', 'process']],
];

for (const [sentence, path] of REMOVED) {
  test(`a change of ${path.join(' ')} is noticed`, () => {
    const [fault = '', ...others] = contractFaults(BASELINE, changed(without(...path)));
    assert.match(fault, sentence);
    assert.deepEqual(others, []);
  });
}

test('a command that is gone is noticed', () => {
  const gone = changed(({ commands }) => (commands as unknown[]).splice(0, 1));
  assert.match(contractFaults(BASELINE, gone)[0] ?? '', /"svc \w+" is gone\. Undo it, or take the/);
});

test('a breaking step of the version allows changes, except of the format', () => {
  const change = without('apis', 'platform', 'paths', '/search', 'get');
  const steps: Readonly<Record<string, readonly [string, number][]>> = {
    '0.1.0': [
      ['0.1.1', 1],
      ['0.2.0', 0],
      ['1.0.0', 0],
    ],
    '0.2.3': [
      ['0.2.4', 1],
      ['0.3.0', 0],
    ],
    '1.2.3': [
      ['1.2.4', 1],
      ['1.3.0', 1],
      ['2.0.0', 0],
    ],
  };
  for (const [from, tos] of Object.entries(steps)) {
    for (const [to, faults] of tos) {
      const before = { ...BASELINE, version: from };
      assert.equal(contractFaults(before, changed(change, to)).length, faults, `${from} → ${to}`);
    }
  }
  const format = without('format', 'records', 'process');
  assert.equal(contractFaults(BASELINE, changed(format, '9.0.0')).length, 1);
  const next = changed(format);
  const { version } = next.format;
  const stepped = { ...next, format: { ...next.format, version: version + 1 } };
  assert.deepEqual(contractFaults(BASELINE, stepped), []);
  const back = { ...next, format: { ...next.format, version: version - 1 } };
  assert.match(contractFaults(BASELINE, back)[0] ?? '', /"VPT_VERSION" is smaller/);
});

test('a version before the last release is noticed', () => {
  const older = changed(() => {}, '0.0.9');
  assert.deepEqual(contractFaults({ ...BASELINE, version: '0.1.0' }, older), [
    'The version 0.0.9 is older than the last release, 0.1.0.',
  ]);
});

test('no field of an answer, and no word in one, can go unnoticed', () => {
  const unnoticed: string[] = [];
  let tried = 0;
  for (const [name, schema] of Object.entries(answersIn(BASELINE))) {
    for (const [what, changedSchema] of withoutOnePart(schema)) {
      tried++;
      if (compareSchemas(schema, changedSchema, 'returned', '').length === 0) {
        unnoticed.push(`${name}: ${what}`);
      }
    }
  }
  assert.ok(tried > 1_000, String(tried));
  assert.deepEqual(unnoticed, []);
});

function answersIn({ documents, messages, apis }: Contracts): Record<string, Schema> {
  const { 'svc.json': _, ...written } = documents;
  const answers = Object.entries(apis).flatMap(([api, { paths }]) =>
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.entries(content).map(([type, { schema = {} }]) => [
            `${api} ${method} ${path} ${status} ${type}`,
            schema,
          ]),
        ),
      ),
    ),
  );
  return { ...written, ...messages, ...Object.fromEntries(answers) };
}

/** The schema without each of its fields and words, one at a time. */
function* withoutOnePart(schema: Schema): Generator<readonly [string, Schema]> {
  for (const path of partsOf(schema)) {
    const copy = structuredClone(schema);
    // biome-ignore lint/suspicious/noExplicitAny: the path leads through different schemas.
    const parent = path.slice(0, -1).reduce((one: any, key) => one[key], copy);
    const last = path.at(-1) ?? '';
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else {
      delete parent[last];
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      const owner = path.slice(0, -2).reduce((one: any, key) => one[key], copy);
      if (Array.isArray(owner.required)) {
        owner.required = owner.required.filter((one: string) => one !== last);
      }
    }
    yield [path.join('.'), copy];
  }
}

/** The paths to all fields, and to all words of lists. */
function partsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const here = [...path, key];
    const parent = path.at(-1);
    const isField = parent === 'properties';
    const isWord = parent === 'enum' && typeof inside === 'string';
    return [...(isField || isWord ? [here] : []), ...partsOf(inside, here)];
  });
}
