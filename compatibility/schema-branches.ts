// The alternatives of a JSON schema: each has one type, or is one word.

export type Schema = Readonly<Record<string, unknown>>;

/** Accepts nothing. */
const NOTHING: Schema = { not: {} };

/** Returns the alternatives. A schema without a type is one without `type`. */
export function branchesOf(schema: unknown): readonly Schema[] {
  if (schema === true) return [{}];
  if (schema === false) return [NOTHING];
  const { anyOf, oneOf, enum: words, type, ...rest } = schema as Schema;
  const alternatives = anyOf ?? oneOf;
  const own = { ...rest, ...(type === undefined ? {} : { type }) };
  if (Array.isArray(alternatives)) {
    return alternatives.flatMap((one: unknown) =>
      branchesOf(one).map((branch) => merge(own, branch)),
    );
  }
  if (Array.isArray(words)) return words.map((word: unknown) => ({ const: word }));
  if (Object.hasOwn(rest, 'const')) return [{ const: rest['const'] }];
  if (Array.isArray(type))
    return type.flatMap((one: unknown) => branchesOf({ ...rest, type: one }));
  if (type === 'boolean') return [{ const: true }, { const: false }];
  if (type === 'null') return [{ const: null }];
  return [own];
}

/** A schema and one of its alternatives, which both apply. */
function merge(own: Schema, branch: Schema): Schema {
  if (isWord(branch)) return branch;
  const properties = { ...asObject(own['properties']), ...asObject(branch['properties']) };
  const required = [...asList(own['required']), ...asList(branch['required'])];
  return {
    ...own,
    ...branch,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether the alternative is one value. */
export function isWord(schema: Schema): boolean {
  return Object.hasOwn(schema, 'const');
}
