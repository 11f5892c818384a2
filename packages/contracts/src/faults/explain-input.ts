// Explains a refused input: one sentence for each fault, with the place for programs.
import type { ErrorDetail } from '../errors.ts';
import { describeFault } from './describe-fault.ts';
import { type Fault, findFaults } from './find-faults.ts';
import {
  asSchema,
  branchesOf,
  type InputKind,
  type Place,
  pointerOf,
  type Schema,
} from './place.ts';

/** How many faults of one input are listed at most. */
export const LISTED_FAULTS = 20;

/** One thing that is wrong: a sentence that names the field, and its JSON pointer for programs. */
export type Explained = ErrorDetail & { readonly path: string };

/**
 * What is wrong with a value that a validator refused for this schema; at least one entry, the first missing field first.
 * `reported` is the pointer that the validator gave, for a rule that is known to the validator only.
 */
export function explainInput(
  schema: object,
  value: unknown,
  kind: InputKind,
  reported = '',
): [Explained, ...Explained[]] {
  const root = schema as Schema;
  const [first = unknownFault(root, value, reported), ...others] = findFaults(root, value);
  const explain = (fault: Fault): Explained => ({
    path: pointerOf(fault.place),
    message: describeFault(fault, kind),
  });
  return [explain(first), ...others.slice(0, LISTED_FAULTS - 1).map(explain)];
}

/** A fault at the pointer, of which nothing else is known. */
function unknownFault(root: Schema, value: unknown, pointer: string): Fault {
  let place: Place = { key: '', schema: root, parent: null };
  let found = value;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const index = Array.isArray(found) ? Number(key) : key;
    place = { key: index, schema: childSchema(place.schema, key), parent: place };
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  }
  const { schema } = place;
  const told = branchesOf(schema).find(({ description }) => description !== undefined) ?? schema;
  return { rule: 'unknown', place, schema: told, value: found, orNull: false };
}

function childSchema(schema: Schema, key: string): Schema {
  for (const one of [schema, ...branchesOf(schema)]) {
    const properties = asSchema(one['properties']) ?? {};
    const child = asSchema(Object.hasOwn(properties, key) ? properties[key] : one['items']);
    if (child !== null) return child;
  }
  return {};
}
