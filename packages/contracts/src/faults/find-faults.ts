// Finds the faults of a refused input: the rule of its schema that is broken, and the place.
import Format from 'typebox/format';
import { asSchema, branchesOf, childOf, type Place, propertiesOf, type Schema } from './place.ts';

/** The rules that a request's schema may have. A test fails for any other rule. */
export const RULES = [
  'type',
  'const',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
  'additionalProperties',
] as const;
export type Rule = (typeof RULES)[number];

/** A broken rule. */
export type Fault = {
  readonly rule: Rule | 'unknown';
  readonly place: Place;
  /** The schema with the rule. In a union, the branch that was meant. */
  readonly schema: Schema;
  /** The value at the place. Undefined if it is missing. */
  readonly value: unknown;
  /** Whether null is also allowed. */
  readonly orNull: boolean;
  /** Allowed values, if several branches of a union have a fixed value each. */
  readonly oneOf?: readonly unknown[];
  /** Whether another branch of the union has the field. */
  readonly knownElsewhere?: boolean;
  /** Indexes of two equal entries. */
  readonly same?: readonly [number, number];
};

/** Every fault of the value, at most one per place, in the order of the schema. */
export function findFaults(schema: Schema, value: unknown): Fault[] {
  return faultsAt({ key: '', schema, parent: null }, schema, value, false);
}

function faultsAt(place: Place, schema: Schema, value: unknown, orNull: boolean): Fault[] {
  const branches = branchesOf(schema);
  if (branches.length > 0) return unionFaults(place, branches, value);
  const rule = ownFault(schema, value);
  if (rule !== null) return [{ rule, place, schema, value, orNull }];
  if (Array.isArray(value)) return listFaults(place, schema, value);
  const object = asSchema(value);
  return object === null ? [] : objectFaults(place, schema, object);
}

/** The first rule that the value itself breaks, apart from its content. */
function ownFault(schema: Schema, value: unknown): Rule | null {
  if (!hasType(schema, value)) return 'type';
  if ('const' in schema && value !== schema['const']) return 'const';
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return 'enum';
  if (typeof value === 'string') return textFault(schema, value);
  if (typeof value === 'number') return numberFault(schema, value);
  if (!Array.isArray(value)) return null;
  if (value.length < number(schema, 'minItems', 0)) return 'minItems';
  return value.length > number(schema, 'maxItems', Number.POSITIVE_INFINITY) ? 'maxItems' : null;
}

function textFault(schema: Schema, value: string): Rule | null {
  const { length } = [...value];
  if (length < number(schema, 'minLength', 0)) return 'minLength';
  if (length > number(schema, 'maxLength', Number.POSITIVE_INFINITY)) return 'maxLength';
  const { pattern, format } = schema;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return 'pattern';
  return typeof format === 'string' && !Format.Test(format, value) ? 'format' : null;
}

function numberFault(schema: Schema, value: number): Rule | null {
  if (value < number(schema, 'minimum', Number.NEGATIVE_INFINITY)) return 'minimum';
  if (value <= number(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY)) {
    return 'exclusiveMinimum';
  }
  return value > number(schema, 'maximum', Number.POSITIVE_INFINITY) ? 'maximum' : null;
}

function listFaults(place: Place, schema: Schema, list: readonly unknown[]): Fault[] {
  const items = asSchema(schema['items']) ?? {};
  const faults = list.flatMap((value, key) =>
    faultsAt({ key, schema: items, parent: place }, items, value, false),
  );
  const same = schema['uniqueItems'] === true ? findSame(list) : null;
  if (same === null) return faults;
  return [...faults, { rule: 'uniqueItems', place, schema, value: list, orNull: false, same }];
}

function findSame(list: readonly unknown[]): [number, number] | null {
  const seen = new Map<string, number>();
  for (const [index, value] of list.entries()) {
    const text = JSON.stringify(value);
    const first = seen.get(text);
    if (first !== undefined) return [first, index];
    seen.set(text, index);
  }
  return null;
}

function objectFaults(place: Place, schema: Schema, object: Schema): Fault[] {
  const properties = propertiesOf(schema);
  const at = (key: string, child: Schema): Place => ({ key, schema: child, parent: place });
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const missing = required
    .filter((key) => !Object.hasOwn(object, key))
    .map((key): Fault => {
      const child = childOf(properties, key) ?? {};
      return {
        rule: 'required',
        place: at(key, child),
        schema: child,
        value: undefined,
        orNull: false,
      };
    });
  const held = Object.entries(object).flatMap(([key, value]): Fault[] => {
    const child = childOf(properties, key) ?? dynamicChild(schema, key);
    if (child !== null) return faultsAt(at(key, child), child, value, false);
    if (schema['additionalProperties'] !== false) return [];
    return [{ rule: 'additionalProperties', place: at(key, {}), schema, value, orNull: false }];
  });
  return [...missing, ...held];
}

/** The schema of a field whose name the client has chosen. */
function dynamicChild(schema: Schema, key: string): Schema | null {
  const patterns = Object.entries(asSchema(schema['patternProperties']) ?? {});
  const found = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key));
  return found === undefined ? null : asSchema(found[1]);
}

function unionFaults(place: Place, branches: readonly Schema[], value: unknown): Fault[] {
  const orNull = branches.some((branch) => branch['type'] === 'null');
  if (branches.some((branch) => faultsAt(place, branch, value, false).length === 0)) return [];
  const meant = branches.filter((branch) => branch['type'] !== 'null');
  const [first = {}] = meant;
  const discriminator = meant.length > 1 ? discriminatorOf(meant) : null;
  const object = asSchema(value);
  if (discriminator === null || object === null) {
    return faultsAt({ ...place, schema: first }, first, value, orNull);
  }
  const own = Object.hasOwn(object, discriminator) ? object[discriminator] : undefined;
  const branch = meant.find((one) => constantOf(one, discriminator) === own);
  if (branch !== undefined) {
    const inside = { ...place, schema: branch };
    return faultsAt(inside, branch, value, orNull).map((fault) => markKnown(fault, inside, meant));
  }
  const child = childOf(propertiesOf(first), discriminator) ?? {};
  const oneOf = meant.map((one) => constantOf(one, discriminator));
  const at: Place = { key: discriminator, schema: child, parent: { ...place, schema: first } };
  const rule = own === undefined ? 'required' : 'const';
  return [{ rule, place: at, schema: child, value: own, orNull: false, oneOf }];
}

/** The field that identifies the branch of a union. It has a fixed value in each. */
function discriminatorOf(branches: readonly Schema[]): string | null {
  const names = Object.keys(propertiesOf(branches[0] ?? {}));
  return names.find((name) => branches.every((one) => constantOf(one, name) !== undefined)) ?? null;
}

function constantOf(schema: Schema, name: string): unknown {
  return childOf(propertiesOf(schema), name)?.['const'];
}

function markKnown(fault: Fault, union: Place, branches: readonly Schema[]): Fault {
  if (fault.rule !== 'additionalProperties' || fault.place.parent !== union) return fault;
  const key = String(fault.place.key);
  const knownElsewhere = branches.some((one) => childOf(propertiesOf(one), key) !== null);
  return { ...fault, knownElsewhere };
}

function hasType({ type }: Schema, value: unknown): boolean {
  return Array.isArray(type) ? type.some((one) => isOf(one, value)) : isOf(type, value);
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return asSchema(value) !== null;
    default:
      return true;
  }
}

function number(schema: Schema, rule: Rule, otherwise: number): number {
  const value = schema[rule];
  return typeof value === 'number' ? value : otherwise;
}
