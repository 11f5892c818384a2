// All constraints of a JSON schema, each with an invalid input and the names that its error must contain.
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

export type Schema = Readonly<Record<string, unknown>>;
type Step = string | number;

/** A constraint. `input` is a complete input that violates it. The error's message must contain all texts of `names`. */
export type Constraint = {
  readonly rule: string;
  readonly path: readonly Step[];
  readonly input: unknown;
  readonly names: readonly string[];
};

/** Keywords that reject no value, or that contain other schemas. */
const NO_CONSTRAINT = ['title', 'description', 'writeOnly', 'properties', 'items'];
/** In a record the pattern applies to all names, so no name can violate it. */
const ANY_NAME = '^.*$';

const UNKNOWN_FIELD = 'zzqx';
const TYPE_WORDS: Readonly<Record<string, { wrong: unknown; word: string }>> = {
  string: { wrong: 5, word: 'text' },
  number: { wrong: 'five', word: 'a number' },
  integer: { wrong: 1.5, word: 'a whole number' },
  boolean: { wrong: 'yes', word: '' },
  null: { wrong: true, word: 'null' },
  array: { wrong: 'text', word: 'a list' },
  object: { wrong: [], word: 'an object' },
};
const VALID_TEXTS = [
  ...['moon-hop', '1.2.0', '#3366ff', 'https://example.com/a', '12', 'acme/moonhop', 'release.yml'],
  'a'.repeat(64),
];
const INVALID_TEXTS = [
  '\u0000',
  '\ud800',
  ' ',
  'Größe !',
  'https://a b',
  'http://example.com/a',
  'no',
  '-',
  'x'.repeat(64),
  '~~',
];

/** The number of occurrences of each keyword that rejects values: the walk must visit all of them. */
export function countConstraints(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce((sum, one) => sum + countConstraints(one), 0);
  if (!isObject(schema)) return 0;
  let sum = 0;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' || key === 'patternProperties') {
      sum += countConstraints(Object.values(Object(value)));
    } else if (key === 'items') sum += countConstraints(value);
    else if (key === 'anyOf') sum += 1 + countConstraints(value);
    else if (key === 'required') sum += Object(value).length;
    else if (!NO_CONSTRAINT.includes(key)) sum++;
  }
  return sum;
}

/** The constraints of a complete input. Throws for an unknown keyword or schema. */
export function constraintsOf(root: Schema, whole: string): Constraint[] {
  const example = exampleOf(root);
  return at(root, [], (value) => value, example, whole);
}

type Place = (value: unknown) => unknown;

function at(
  schema: Schema,
  path: readonly Step[],
  place: Place,
  example: unknown,
  name: string,
): Constraint[] {
  return Object.entries(schema).flatMap(([keyword, limit]): Constraint[] => {
    const broken = (input: unknown, ...names: string[]): Constraint => ({
      rule: keyword,
      path,
      input: place(input),
      names,
    });
    switch (keyword) {
      case 'anyOf':
        return unionAt(schema, path, place, name);
      case 'properties':
        return fieldsAt(schema, path, place, Object(example));
      case 'patternProperties': {
        const entry = Object(limit)[ANY_NAME] as Schema;
        assert.ok(entry !== undefined, `${path}: names with a pattern of their own`);
        const inside: Place = (value) => place({ banner: value });
        return at(entry, [...path, 'banner'], inside, exampleOf(entry), nameOf(entry, 'banner'));
      }
      case 'items': {
        const items = limit as Schema;
        const inside: Place = (value) => place([value]);
        return at(items, [...path, 0], inside, exampleOf(items), `${nameOf(items, 'entry')} 1`);
      }
      case 'required':
        return (limit as string[]).map((key) => {
          const child = Object(schema['properties'])[key] as Schema;
          const { [key]: _, ...rest } = Object(example);
          return { ...broken(rest, nameOf(child, key), `"${key}"`), rule: `required ${key}` };
        });
      case 'additionalProperties': {
        assert.equal(limit, false);
        const fields = Object.keys(Object(schema['properties']));
        return [
          broken({ ...Object(example), [UNKNOWN_FIELD]: 1 }, `"${UNKNOWN_FIELD}"`, ...fields),
        ];
      }
      default:
        return NO_CONSTRAINT.includes(keyword)
          ? []
          : [broken(...breakValue(schema, keyword, limit, example, path), name)];
    }
  });
}

/** A value that violates one keyword of its schema, and the names that the error must contain. */
function breakValue(
  schema: Schema,
  keyword: string,
  limit: unknown,
  example: unknown,
  path: readonly Step[],
): [value: unknown, ...names: string[]] {
  const number = Number(limit);
  const shown = number.toLocaleString('en-US');
  switch (keyword) {
    case 'type': {
      if (Array.isArray(limit)) {
        const words = limit.map((type) => String(TYPE_WORDS[type]?.word));
        return [{ no: 'type' }, ...words];
      }
      const typeWord = TYPE_WORDS[String(limit)];
      assert.ok(typeWord !== undefined, `${path}: unknown type ${limit}`);
      return [
        typeWord.wrong,
        String(
          schema['type'] === 'null' ? (schema['description'] ?? typeWord.word) : typeWord.word,
        ),
      ];
    }
    case 'const':
      return ['neither', String(limit)];
    case 'enum':
      return ['no-such-word', ...(limit as unknown[]).map(String)];
    case 'minLength':
      return ['x'.repeat(number - 1), `${shown} `, 'character'];
    case 'maxLength':
      return ['x'.repeat(number + 1), `${shown} character`];
    case 'pattern':
    case 'format':
      return [invalidText(schema, keyword, path), String(schema['description'])];
    case 'minimum':
      return [number - 1, shown];
    case 'exclusiveMinimum':
      return [number, shown];
    case 'maximum':
      return [number + 1, shown];
    case 'minItems':
      return [[], shown];
    case 'maxItems':
      return [Array.from({ length: number + 1 }, (_, index) => another(schema, index)), shown];
    case 'uniqueItems': {
      const twin = Object(example)[0] ?? exampleOf(schema['items'] as Schema);
      return [[twin, twin], 'once'];
    }
    default:
      assert.fail(`${path.join('.')}: no request breaks the keyword "${keyword}"`);
  }
}

/** A text that violates only this keyword of the schema. */
function invalidText(schema: Schema, keyword: string, path: readonly Step[]): string {
  const { [keyword]: _, ...others } = schema;
  const text = INVALID_TEXTS.flatMap((one) => [one, `aa${one}`]).find(
    (one) => isValid(others, one) && !isValid(schema, one),
  );
  assert.ok(text !== undefined, `${path.join('.')}: no text breaks the ${keyword} alone`);
  return text;
}

function another(list: Schema, index: number): unknown {
  const items = list['items'] as Schema;
  const example = exampleOf(items);
  const numbered = `${example}${index}`;
  return isValid(items, numbered) ? numbered : example;
}

function fieldsAt(schema: Schema, path: readonly Step[], place: Place, example: Schema) {
  return Object.entries(Object(schema['properties'])).flatMap(([key, child]) => {
    const inside: Place = (value) => place({ ...example, [key]: value });
    const field = child as Schema;
    return at(field, [...path, key], inside, example[key] ?? exampleOf(field), nameOf(field, key));
  });
}

/** The constraints of each branch, and a value that matches no branch. */
function unionAt(schema: Schema, path: readonly Step[], place: Place, name: string): Constraint[] {
  const branches = schema['anyOf'] as Schema[];
  // What violates null is valid if the other branch is a boolean.
  const isValidElsewhere = branches.some((branch) => branch['type'] === 'boolean');
  const inUnion: Place = (value) => place(value === true && isValidElsewhere ? 'true' : value);
  const inBranches = branches.flatMap((branch) =>
    at(branch, path, inUnion, exampleOf(branch), name),
  );
  const nothing = [5, 'no-such-word', []].find((value) => !isValid(schema, value));
  const orNull = branches.some((branch) => branch['type'] === 'null') ? ['null'] : [];
  return [...inBranches, { rule: 'anyOf', path, input: place(nothing), names: [name, ...orNull] }];
}

/** A valid value without optional fields; for a union, a value of its first branch. */
export function exampleOf(schema: Schema): unknown {
  const value = makeExample(schema);
  assert.ok(isValid(schema, value), `no example for ${JSON.stringify(schema)}`);
  return value;
}

function makeExample(schema: Schema): unknown {
  const { anyOf, type, enum: words, items, required = [], properties } = schema;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Schema);
  switch ([type].flat()[0]) {
    case 'string':
      return VALID_TEXTS.find((text) => isValid(schema, text));
    case 'array':
      return schema['minItems'] === undefined ? [] : [exampleOf(items as Schema)];
    case 'object':
      return Object.fromEntries(
        (required as string[]).map((key) => [key, exampleOf(Object(properties)[key])]),
      );
    case 'null':
      return null;
    case 'boolean':
      return true;
    default:
      return 1;
  }
}

function nameOf(schema: Schema, key: string): string {
  if (typeof schema['title'] === 'string') return schema['title'];
  const branches = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as Schema[]) : [];
  const title = branches.map((branch) => branch['title']).find((one) => typeof one === 'string');
  return typeof title === 'string' ? title : key;
}

function isValid(schema: Schema, value: unknown): boolean {
  return Value.Check(schema as TSchema, value);
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
