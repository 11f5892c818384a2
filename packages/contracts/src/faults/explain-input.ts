// Explains a refused input: one sentence for each fault, and its place as a pointer for programs.
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

/** The most faults that are listed for one input. */
export const LISTED_FAULTS = 20;

/** A fault: a sentence that names the field, and its JSON pointer for programs. */
export type Explained = ErrorDetail & { readonly path: string };

/**
 * The faults of a value that a validator refused for this schema. There is at least one, and the
 * first missing field comes first. `reported` is the validator's pointer, for rules that only the
 * validator knows.
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

/** A fault at the pointer, without further details. */
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
  const described =
    branchesOf(schema).find(({ description }) => description !== undefined) ?? schema;
  return { rule: 'unknown', place, schema: described, value: found, orNull: false };
}

function childSchema(schema: Schema, key: string): Schema {
  for (const one of [schema, ...branchesOf(schema)]) {
    const properties = asSchema(one['properties']) ?? {};
    const child = asSchema(Object.hasOwn(properties, key) ? properties[key] : one['items']);
    if (child !== null) return child;
  }
  return {};
}
