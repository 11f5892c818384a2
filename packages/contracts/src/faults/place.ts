// Places in an input, and their display names.
import { quoted } from './quoted.ts';

/** The most characters of a client's own field name in a pointer. */
const KEY_CHARACTERS = 64;

/**
 * A JSON Schema. `title` is the display name of the field, and `description` says what is allowed.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** One step into an input: the key or index, the schema there, and the parent. */
export type Place = {
  readonly key: string | number;
  readonly schema: Schema;
  readonly parent: Place | null;
};

/** A validated input: its name in a sentence, and the word for its fields. */
export type InputKind = { readonly whole: string; readonly field: string };

export const BODY: InputKind = { whole: 'the body', field: 'field' };
export const QUERY: InputKind = { whole: 'the query string', field: 'query parameter' };
export const PATH: InputKind = { whole: 'the address', field: 'part of the address' };
export const HEADERS: InputKind = { whole: 'the headers', field: 'header' };
export const FORM: InputKind = { whole: 'the form', field: 'part' };

/**
 * The JSON pointer of a place, for programs. Empty for the whole input. A name that may be a secret
 * is left out.
 */
export function pointerOf(place: Place): string {
  if (place.parent === null) return '';
  if (quoted(String(place.key)) === '') return pointerOf(place.parent);
  return `${pointerOf(place.parent)}/${pointerStep(String(place.key))}`;
}

/**
 * A key as a step of a JSON pointer: escaped, without invisible characters, at most 64 characters.
 */
export function pointerStep(key: string): string {
  const shown = [...key.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')].slice(0, KEY_CHARACTERS).join('');
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The display name of a place within a sentence: `the title`, `tag 3`, `the theme of the layout`.
 */
export function nameOf(place: Place, kind: InputKind): string {
  const { key, schema, parent } = place;
  if (parent === null) return kind.whole;
  const title = titleOf(schema);
  if (typeof key === 'number') {
    return title === null ? `entry ${key + 1} of ${nameOf(parent, kind)}` : `${title} ${key + 1}`;
  }
  const owner = parent.parent === null ? '' : ` of ${nameOf(parent, kind)}`;
  if (childOf(propertiesOf(parent.schema), key) === null && title !== null) {
    return `the ${title} of${quoted(key) || ' an entry'}`;
  }
  return title === null ? `the ${kind.field}${quoted(key)}${owner}` : `the ${title}${owner}`;
}

/** The display name in a schema. Null without one. */
export function titleOf(schema: Schema): string | null {
  if (typeof schema['title'] === 'string') return schema['title'];
  const titles = branchesOf(schema).map(titleOf);
  return titles.find((title) => title !== null) ?? null;
}

/** The branches of a union. Empty if the schema is not one. */
export function branchesOf(schema: Schema): readonly Schema[] {
  return schemasIn(schema['anyOf']);
}

export function propertiesOf(schema: Schema): Schema {
  return asSchema(schema['properties']) ?? {};
}

/** The schema of a property. Null without one. */
export function childOf(schemas: Schema, key: string): Schema | null {
  return Object.hasOwn(schemas, key) ? asSchema(schemas[key]) : null;
}

export function asSchema(value: unknown): Schema | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Schema) : null;
}

function schemasIn(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.map(asSchema).filter((one) => one !== null) : [];
}
