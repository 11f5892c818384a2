// A TypeBox schema in the form that the MCP library takes (https://standardschema.dev).
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import { Check, Errors } from 'typebox/value';

/** Most faults in one message. */
const FAULTS = 5;

export function standardSchema(schema: TObject): StandardSchemaWithJSON {
  const json = () => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'typebox',
      validate: (value) =>
        Check(schema, value)
          ? { value }
          : {
              issues: Errors(schema, value).flatMap(issueOf).slice(0, FAULTS),
            },
      jsonSchema: { input: json, output: json },
    },
  };
}

type Fault = ReturnType<typeof Errors>[number];

function issueOf(fault: Fault): { message: string }[] {
  const where = fault.instancePath === '' ? 'The input' : fault.instancePath.slice(1);
  // Each field that is not allowed is also reported on its own.
  if (fault.keyword === 'boolean') return [];
  if (fault.keyword !== 'additionalProperties') return [{ message: `${where} ${fault.message}` }];
  return [{ message: `${where} must not have ${fault.params.additionalProperties.join(', ')}` }];
}
