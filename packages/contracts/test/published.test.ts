// The contracts as files for other programs and for review. They show every change of a route,
// record, limit or code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as agent from '../src/agent.ts';
import * as errors from '../src/errors.ts';
import * as platform from '../src/platform.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/contracts');

/**
 * Everything in a contract except its functions, as JSON. A named schema is a `$ref` within others.
 */
function publish(contract: Readonly<Record<string, unknown>>): string {
  const data = Object.entries(contract)
    .filter(([, value]) => typeof value !== 'function')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const top = Object.fromEntries(data);
  const names = new Map(
    data.filter(([, value]) => isSchema(value)).map(([name, value]) => [value, name]),
  );
  function show(this: unknown, _key: string, value: unknown): unknown {
    if (value instanceof RegExp) return String(value);
    const name = this === top ? undefined : names.get(value);
    return name === undefined ? value : { $ref: `#/${name}` };
  }
  return `${JSON.stringify(top, show, 2)}\n`;
}

/**
 * The agent's contract with the names that other programs read. The bodies and the answers of its
 * routes are two tables of their own.
 */
function publishedAgent(): Readonly<Record<string, unknown>> {
  const { AGENT_ROUTES, COMMON_ERRORS, ...others } = agent;
  const rows: [string, agent.AgentRouteRow][] = Object.entries(AGENT_ROUTES);
  const tableOf = (cell: (row: agent.AgentRouteRow) => unknown): object =>
    Object.fromEntries(
      rows.map(([name, row]) => [name, cell(row)]).filter(([, value]) => value !== null),
    );
  return {
    ...others,
    COMMON_REFUSALS: COMMON_ERRORS,
    AGENT_ROUTES: tableOf(({ method, path, status, partialStatus, errors }) => {
      const success = partialStatus === undefined ? [status] : [status, partialStatus];
      return { method, path, success, refusals: errors };
    }),
    AGENT_REQUESTS: tableOf(({ takes, body }) => (takes === 'json' ? body : null)),
    AGENT_ANSWERS: tableOf(({ answer }) => answer),
  };
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}

for (const [name, contract] of Object.entries({ agent: publishedAgent(), errors, platform })) {
  test(`docs/contracts/${name}.json equals what the sources generate`, (t) => {
    const path = join(FOLDER, `${name}.json`);
    t.assert.fileSnapshot(publish(contract), path, { serializers: [String] });
  });
}

test('docs/contracts/agent.openapi.json equals what the sources generate', (t) => {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  const document = agent.describeAgentApi(JSON.parse(manifest).version);
  const path = join(FOLDER, 'agent.openapi.json');
  const text = `${JSON.stringify(document, null, 2)}\n`;
  t.assert.fileSnapshot(text, path, { serializers: [String] });
});
