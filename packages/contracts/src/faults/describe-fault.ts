// Describes a fault of the input in a sentence: the field by its display name, the fault, and the allowed values.
import type { Fault } from './find-faults.ts';
import { nearWord } from './near-word.ts';
import { type InputKind, nameOf, propertiesOf, QUERY, type Schema, titleOf } from './place.ts';
import { quoted } from './quoted.ts';

/**
 * The sentence, without a full stop. It contains no pattern, no pointer, and no value that may be a
 * secret.
 */
export function describeFault(fault: Fault, kind: InputKind): string {
  const sentence = sentenceOf(fault, kind);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

function sentenceOf(fault: Fault, kind: InputKind): string {
  const { rule, place, schema, value } = fault;
  const name = nameOf(place, kind);
  // A query has no lists. A parameter that occurs twice is parsed as one.
  if (kind === QUERY && Array.isArray(value)) {
    return `${name} occurs ${count(value.length, 'time')}. Allowed: once`;
  }
  switch (rule) {
    case 'required':
      return `${name} is missing. Add the ${kind.field}${quoted(String(place.key))}`;
    case 'additionalProperties':
      return describeUnknown(fault, kind);
    case 'type':
      return `${name} is ${kindOf(value)}. Allowed: ${allowedTypes(fault)}`;
    case 'const':
    case 'enum':
      return `${name} is${shown(schema, value) || ' not valid'}. Allowed: ${allowedValues(fault)}`;
    case 'minLength':
      return value === ''
        ? `${name} is empty. Allowed: ${lengths(schema)}`
        : `${name} is too short: it has ${characters(value)}. Allowed: ${lengths(schema)}`;
    case 'maxLength':
      return `${name} is too long: it has ${characters(value)}. Allowed: ${lengths(schema)}`;
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return `${name} is ${formatNumber(Number(value))}. Allowed: ${numbers(schema)}`;
    case 'minItems':
    case 'maxItems':
      return `${name} has ${count(Array.isArray(value) ? value.length : 0, 'entry')}. Allowed: ${range(schema, 'minItems', 'maxItems', 'entry')}`;
    case 'uniqueItems':
      return describeRepeated(fault, name);
    case 'pattern':
    case 'format':
    case 'unknown':
      return `${name}${shown(schema, value)} is not valid${allowedSentence(schema)}`;
  }
}

/** The values that a pattern or format allows, in the words of the schema. */
function allowedSentence(schema: Schema): string {
  const { description } = schema;
  return typeof description === 'string' ? `. Allowed: ${description}` : '';
}

/** Names the unknown field, and the known fields or the one that is probably meant. */
function describeUnknown({ place, schema, knownElsewhere }: Fault, kind: InputKind): string {
  const known = Object.keys(propertiesOf(schema));
  const { parent } = place;
  const owner = parent === null || parent.parent === null ? '' : ` of ${nameOf(parent, kind)}`;
  const name = `the ${kind.field}${quoted(String(place.key))}${owner}`;
  if (known.length === 0) return `${name} is unknown. No ${kind.field} is allowed here`;
  const allowed = `Allowed: ${known.join(', ')}`;
  if (knownElsewhere === true) return `${name} is not allowed in this combination. ${allowed}`;
  const near = nearWord(String(place.key), known);
  const question = near === null ? '' : ` Did you mean "${near}"?`;
  return `${name} is unknown.${question} ${allowed}`;
}

function describeRepeated({ place, schema, same = [0, 0], value }: Fault, name: string): string {
  const items = schema['items'];
  const title = typeof items === 'object' && items !== null ? titleOf(items as Schema) : null;
  const entry = title ?? 'entry';
  const [first, again] = same;
  const twin: unknown = Array.isArray(value) ? value[again] : place.key;
  const what = typeof twin === 'string' ? quoted(twin) : '';
  return `${name} contains the ${entry}${what} twice, as entries ${first + 1} and ${again + 1}. Allowed: each ${entry} once`;
}

/**
 * The value, to follow the field's name. Empty if it is not a short text or number, or may be a
 * secret.
 */
function shown(schema: Schema, value: unknown): string {
  if (schema['writeOnly'] === true) return '';
  if (typeof value === 'string') return value === '' ? ' ""' : quoted(value);
  return typeof value === 'number' || typeof value === 'boolean' ? ` ${String(value)}` : '';
}

function allowedTypes({ schema, orNull }: Fault): string {
  const { type, description } = schema;
  if (type === 'null') return typeof description === 'string' ? description : 'null';
  const words = [type].flat().map((one) => TYPES[String(one)] ?? 'another value');
  return [...words, ...(orNull ? ['null'] : [])].join(' or ');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? 'text' : 'an object';
}

function allowedValues({ schema, orNull, oneOf }: Fault): string {
  const given = schema['enum'];
  const values = oneOf ?? (Array.isArray(given) ? given : [schema['const']]);
  return [...values.map(String), ...(orNull ? ['null'] : [])].join(', ');
}

function characters(value: unknown): string {
  return count([...String(value)].length, 'character');
}

function lengths(schema: Schema): string {
  return range(schema, 'minLength', 'maxLength', 'character');
}

function range(schema: Schema, least: string, most: string, unit: string): string {
  const from = Number(schema[least] ?? 0);
  const to = schema[most];
  if (typeof to !== 'number') return `at least ${count(from, unit)}`;
  if (from === 0) return `at most ${count(to, unit)}`;
  return from === to ? `exactly ${count(to, unit)}` : `${formatNumber(from)} to ${count(to, unit)}`;
}

function numbers({ type, minimum, exclusiveMinimum, maximum }: Schema): string {
  const kind = type === 'integer' ? 'whole numbers ' : '';
  if (typeof exclusiveMinimum === 'number') {
    const above = `${kind}over ${formatNumber(exclusiveMinimum)}`;
    return typeof maximum === 'number' ? `${above}, up to ${formatNumber(maximum)}` : above;
  }
  if (typeof minimum !== 'number') return `${kind}up to ${formatNumber(Number(maximum))}`;
  if (typeof maximum !== 'number') return `${kind}from ${formatNumber(minimum)}`;
  return `${kind}from ${formatNumber(minimum)} to ${formatNumber(maximum)}`;
}

function count(number: number, unit: string): string {
  const many = unit === 'entry' ? 'entries' : `${unit}s`;
  return `${formatNumber(number)} ${number === 1 ? unit : many}`;
}

/** A number with commas between thousands. */
export function formatNumber(number: number): string {
  if (!Number.isFinite(number)) return 'a number that is too large';
  const digits = Number.isInteger(number) ? 17 : 15;
  return number.toLocaleString('en-US', { maximumSignificantDigits: digits });
}
