// Whether a JSON schema changed so that programs that were written for the one before fail.
import { isDeepStrictEqual } from 'node:util';
import { Check } from 'typebox/schema';
import { branchesOf, isWord, type Schema } from './schema-branches.ts';

export type { Schema };

/** One change that breaks programs: where it is, and what it is. */
export type Change = { readonly where: string; readonly what: string };

/**
 * The direction of the values. What was `accepted` must still be accepted. What is `returned` must be what was returned before, except that
 * it may have more fields, and more words where words are listed: programs must ignore what they do not know.
 */
export type Direction = 'accepted' | 'returned';

/** Keywords that say nothing about values. */
const REMARKS = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);
/** Keywords that are compared below. */
const COMPARED = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'oneOf', 'properties', 'required'],
  ...['additionalProperties', 'patternProperties', 'items'],
]);
/** Keywords whose value can't be compared. Values without the keyword are not limited. */
const CONSTRAINTS = new Set(['pattern', 'format', 'multipleOf', 'uniqueItems']);
/** Limits. A larger one of the first kind and a smaller one of the second accept less. */
const LIMITS = {
  minLength: 1,
  minItems: 1,
  minProperties: 1,
  maxLength: -1,
  maxItems: -1,
  maxProperties: -1,
} as const;
const BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum']);

/** Returns the changes from one schema to the other that break programs. */
export function compareSchemas(
  before: Schema,
  after: Schema,
  direction: Direction,
  where: string,
): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [branchesOf(before), branchesOf(after)];
  return direction === 'accepted'
    ? compareAccepted(old, now, where)
    : compareReturned(old, now, where);
}

/** Each alternative must be accepted by one of the new ones. The changes are those to the most similar one. */
function compareAccepted(old: readonly Schema[], now: readonly Schema[], where: string): Change[] {
  return old.flatMap((one) => {
    const candidates = now.filter((next) => canBe(one, next));
    const changes = candidates.map((next) => compareBranches(one, next, 'accepted', where));
    return fewest(changes) ?? [{ where, what: `no longer accepts ${describe(one)}` }];
  });
}

/**
 * Objects and words that were returned are still returned, in their form, and everything that is returned was returned before. An object of
 * a new kind is named by a new word, so programs can ignore it.
 */
function compareReturned(old: readonly Schema[], now: readonly Schema[], where: string): Change[] {
  const kept = new Set<Schema>();
  const lost = old.flatMap((one): Change[] => {
    if (!isObject(one) && !isNamed(one)) return [];
    const candidates = now.filter((next) => canBe(next, one) && (isObject(next) || isWord(next)));
    const changes = candidates.map((next) => compareBranches(one, next, 'returned', where));
    const best = fewest(changes);
    const chosen = best === null ? undefined : candidates[changes.indexOf(best)];
    if (best === null || chosen === undefined) {
      return [{ where, what: `is no longer ${describe(one)}` }];
    }
    kept.add(chosen);
    return best;
  });
  const hasWords = old.some(isNamed);
  const added = now.flatMap((next): Change[] => {
    if (kept.has(next)) return [];
    if (isNamed(next) && hasWords) return [];
    if (isObject(next) && old.some(isObject) && old.every((one) => isOtherKind(one, next)))
      return [];
    const candidates = old.filter((one) => canBe(next, one));
    const changes = candidates.map((one) => compareBranches(one, next, 'returned', where));
    return fewest(changes) ?? [{ where, what: `can be ${describe(next)}` }];
  });
  return [...lost, ...added];
}

/** Words that programs look for. That `null`, or one of `true` and `false`, is no longer returned breaks nothing. */
function isNamed(schema: Schema): boolean {
  return isWord(schema) && ['string', 'number'].includes(typeof schema['const']);
}

function fewest(changes: readonly Change[][]): Change[] | null {
  return changes.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** Whether values of the first alternative can be values of the second, by their type or as a word. */
function canBe(from: Schema, to: Schema): boolean {
  if (isWord(from)) return isWord(to) ? isDeepStrictEqual(from, to) : Check(to, from['const']);
  if (isWord(to)) return false;
  const [type, other] = [from['type'], to['type']];
  if (other === undefined) return true;
  if (type !== other && !(type === 'integer' && other === 'number')) return false;
  return !isOtherKind(from, to);
}

function isObject({ type }: Schema): boolean {
  return type === 'object';
}

/** Whether a field that both objects must have tells them apart by a word. */
function isOtherKind(one: Schema, other: Schema): boolean {
  const [a, b] = [fieldsOf(one), fieldsOf(other)];
  return Object.entries(a).some(([name, schema]) => {
    const next = b[name];
    if (next === undefined || !requiredOf(one).includes(name)) return false;
    if (!requiredOf(other).includes(name)) return false;
    const [words, others] = [branchesOf(schema), branchesOf(next)];
    if (![...words, ...others].every(isWord)) return false;
    return !words.some((word) => others.some((match) => isDeepStrictEqual(word, match)));
  });
}

function describe(schema: Schema): string {
  if (isWord(schema)) return JSON.stringify(schema['const']);
  const { type = 'any value' } = schema;
  const kinds = Object.entries(fieldsOf(schema)).flatMap(([name, field]) =>
    isWord(field) ? [`"${name}": ${JSON.stringify(field['const'])}`] : [],
  );
  return kinds.length === 0 ? String(type) : `${type} with ${kinds.join(', ')}`;
}

/** Two alternatives of one type, or a word that the other accepts. */
function compareBranches(
  before: Schema,
  after: Schema,
  direction: Direction,
  where: string,
): Change[] {
  if (isWord(before) || isWord(after) || isDeepStrictEqual(before, after)) return [];
  const change = (what: string): Change[] => [{ where, what }];
  return [
    ...compareConstraints(before, after, direction, change),
    ...(direction === 'accepted' ? compareLimits(before, after, change) : []),
    ...compareFields(before, after, direction, where),
    ...compareItems(before, after, direction, where),
  ];
}

type Report = (what: string) => Change[];

function compareConstraints(
  before: Schema,
  after: Schema,
  direction: Direction,
  change: Report,
): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  // What is accepted may lose a constraint, and what is returned may get one.
  const free = direction === 'accepted' ? after : before;
  return [...names]
    .filter(
      (name) =>
        !REMARKS.has(name) &&
        !COMPARED.has(name) &&
        !BOUNDS.has(name) &&
        !Object.hasOwn(LIMITS, name) &&
        !isDeepStrictEqual(before[name], after[name]) &&
        !(CONSTRAINTS.has(name) && free[name] === undefined),
    )
    .flatMap((name) =>
      change(`${name} is ${JSON.stringify(after[name])}, not ${JSON.stringify(before[name])}`),
    );
}

function compareLimits(before: Schema, after: Schema, change: Report): Change[] {
  const limits = Object.entries(LIMITS).flatMap(([name, sign]) => {
    const [old, now] = [numberIn(before, name), numberIn(after, name)];
    if (now === null || (old !== null && sign * (now - old) <= 0)) return [];
    return change(`${name} is ${now}, not ${old ?? 'unlimited'}`);
  });
  const bounds = (
    [
      ['inimum', 1],
      ['aximum', -1],
    ] as const
  ).flatMap(([name, sign]) => {
    const [old, now] = [boundOf(before, name, sign), boundOf(after, name, sign)];
    if (now === null) return [];
    const stricter =
      old === null ||
      sign * (now.value - old.value) > 0 ||
      (now.value === old.value && now.isExclusive && !old.isExclusive);
    return stricter ? change(`${now.name} is ${now.value}, not ${old?.value ?? 'unlimited'}`) : [];
  });
  return [...limits, ...bounds];
}

function numberIn(schema: Schema, name: string): number | null {
  const found = schema[name];
  return typeof found === 'number' ? found : null;
}

/** The stricter one of `minimum` and `exclusiveMinimum`, or of the two for the maximum. */
function boundOf(schema: Schema, ending: 'inimum' | 'aximum', sign: 1 | -1) {
  const found = [`m${ending}`, `exclusiveM${ending}`].flatMap((name, index) => {
    const value = numberIn(schema, name);
    return value === null ? [] : [{ name, value, isExclusive: index === 1 }];
  });
  const [first = null, second = null] = found;
  if (first === null || second === null) return first;
  return sign * (second.value - first.value) >= 0 ? second : first;
}

type Fields = Readonly<Record<string, Schema>>;

function fieldsOf({ properties }: Schema): Fields {
  return (properties ?? {}) as Fields;
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required : [];
}

/** What fields without a name in the schema may be. Null: there are none. */
function othersOf(schema: Schema): Schema | null {
  const { additionalProperties: others, patternProperties: patterns } = schema;
  const all = isSchema(patterns) ? Object.entries(patterns) : [];
  const [first] = all;
  // A record with any names.
  if (first !== undefined && all.length === 1 && /^\^\(?\.\*\)?\$$/.test(first[0])) {
    return first[1] as Schema;
  }
  if (others === false) return null;
  return isSchema(others) ? others : {};
}

function compareFields(
  before: Schema,
  after: Schema,
  direction: Direction,
  where: string,
): Change[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const at = (name: string): string => (where === '' ? name : `${where}.${name}`);
  const others = othersOf(after);
  const changes = Object.entries(old).flatMap(([name, schema]): Change[] => {
    const next = now[name];
    if (next !== undefined) return compareSchemas(schema, next, direction, at(name));
    if (direction === 'returned') return [{ where: at(name), what: 'is no longer returned' }];
    if (others === null) return [{ where: at(name), what: 'is no longer accepted' }];
    return isOpen(others) ? [] : compareSchemas(schema, others, direction, at(name));
  });
  const [needs, has] =
    direction === 'accepted'
      ? [requiredOf(after), requiredOf(before)]
      : [requiredOf(before), requiredOf(after)];
  const what = direction === 'accepted' ? 'is required now' : 'can be absent';
  const lost = needs.filter(
    (name) => !has.includes(name) && (direction === 'accepted' || name in now),
  );
  changes.push(...lost.map((name) => ({ where: at(name), what })));
  return [...changes, ...compareOtherFields(before, after, direction, where)];
}

function isOpen(schema: Schema): boolean {
  return Object.keys(schema).length === 0;
}

/** Fields whose names the schema does not list. */
function compareOtherFields(
  before: Schema,
  after: Schema,
  direction: Direction,
  where: string,
): Change[] {
  const [old, now] = [othersOf(before), othersOf(after)];
  const at = `${where}.*`;
  if (!isDeepStrictEqual(before['patternProperties'], after['patternProperties'])) {
    const isRecord = [before, after].every((one) => Object.keys(patternsOf(one)).length <= 1);
    if (!isRecord) return [{ where: at, what: 'has other names' }];
  }
  if (old === null) return [];
  if (now === null) {
    if (direction === 'accepted') return [{ where, what: 'no longer accepts other fields' }];
    return isOpen(old) ? [] : [{ where: at, what: 'is no longer returned' }];
  }
  // Open objects are open for new fields only. What they may be is not promised.
  if (direction === 'returned' && isOpen(old)) return [];
  return compareSchemas(old, now, direction, at);
}

function patternsOf({ patternProperties }: Schema): object {
  return isSchema(patternProperties) ? patternProperties : {};
}

function compareItems(
  before: Schema,
  after: Schema,
  direction: Direction,
  where: string,
): Change[] {
  const [old, now] = [before, after].map(({ items }) => (isSchema(items) ? items : {}));
  return compareSchemas(old ?? {}, now ?? {}, direction, `${where}[]`);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
