// A JSON schema as the rows of a table: one row for each field, those of nested objects included.
import { code, escapeText, paragraphs, table } from './escape.ts';

/** The keywords of JSON schemas that svc uses. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly writeOnly?: boolean;
};

type SchemaRow = {
  /** The path of the field: `games[].title`. Empty for a value that is not an object. */
  readonly name: string;
  readonly required: boolean;
  /** Markdown. */
  readonly type: string;
  /** Markdown: bounds and description. */
  readonly meaning: string;
};

/** The rows of a schema, in its order. */
export function schemaRows(schema: Schema): SchemaRow[] {
  const inner = fieldsOf(schema, '');
  return inner.length > 0 ? inner : [rowOf(schema, '', true)];
}

/** The table of a schema. One table for each form, if there are several forms with fields. */
export function schemaTable(schema: Schema): string {
  const forms = formsOf(schema).filter((form) => fieldsOf(form, '').length > 0);
  if (forms.length < 2) return rowTable(schemaRows(schema));
  return paragraphs('One of these forms:', ...forms.map((form) => rowTable(fieldsOf(form, ''))));
}

function formsOf(schema: Schema): Schema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(formsOf);
}

function rowTable(rows: readonly SchemaRow[]): string {
  return table(
    ['field', 'type', 'meaning'],
    rows.map(({ name, required, type, meaning }) => [
      name === '' ? 'the whole body' : `${code(name)}${required ? '' : ' (optional)'}`,
      type,
      meaning,
    ]),
  );
}

function fieldsOf(schema: Schema, path: string): SchemaRow[] {
  if (schema.anyOf !== undefined) {
    const forms = schema.anyOf.map((one) => fieldsOf(one, path)).filter((rows) => rows.length > 0);
    return mergeForms(forms);
  }
  if (schema.items !== undefined) return fieldsOf(schema.items, `${path}[]`);
  const prefix = path === '' ? '' : `${path}.`;
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    rowsOf(field, prefix + name, schema.required?.includes(name) === true),
  );
  const others = otherFields(schema).flatMap((field) => rowsOf(field, `${prefix}*`, false));
  return [...named, ...others];
}

function rowsOf(field: Schema, path: string, required: boolean): SchemaRow[] {
  return [rowOf(field, path, required), ...fieldsOf(field, path)];
}

/** The schemas of fields that have no fixed names. */
function otherFields({ additionalProperties, patternProperties }: Schema): Schema[] {
  const other = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(patternProperties ?? {}), ...other];
}

function rowOf(schema: Schema, name: string, required: boolean): SchemaRow {
  return { name, required, type: typeOf(schema), meaning: meaningOf(schema) };
}

/** The fields of the forms of a value. A field is required if all forms require it. */
function mergeForms(forms: readonly (readonly SchemaRow[])[]): SchemaRow[] {
  const byName = Map.groupBy(forms.flat(), ({ name }) => name);
  return [...byName].map(([name, rows]) => ({
    name,
    required: rows.length === forms.length && rows.every(({ required }) => required),
    type: distinct(rows.map(({ type }) => type)).join(' or '),
    meaning: distinct(rows.map(({ meaning }) => meaning)).join('; '),
  }));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

/** The type in Markdown: `string or null`, or the values that are allowed. */
export function typeOf(schema: Schema): string {
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined)
    return schema.enum.map((one) => code(JSON.stringify(one))).join(', ');
  if (schema.anyOf !== undefined) return distinct(schema.anyOf.map(typeOf)).join(' or ');
  if (schema.type === 'array') {
    const item = schema.items === undefined ? 'any' : typeOf(schema.items);
    return `array of ${/ or |, /.test(item) ? `(${item})` : item}`;
  }
  if (schema.format === 'binary') return 'bytes';
  return [schema.type ?? 'any'].flat().join(' or ');
}

/** Bounds and description in Markdown. Empty if there are none. */
export function meaningOf(schema: Schema): string {
  const facts = boundsOf(schema).join(', ');
  return distinct([facts, ...descriptionsOf(schema).map(escapeText)]).join('; ');
}

/** The description of a value, and those of its forms and of the values in an array. */
function descriptionsOf({ description = '', anyOf = [], items }: Schema): string[] {
  return [
    description,
    ...anyOf.flatMap(descriptionsOf),
    ...(items === undefined ? [] : descriptionsOf(items)),
  ];
}

/** The bounds of a value, and of the values in an array or in the forms of a value. */
function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, pattern, format } = schema;
  const own = [
    range(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum.toLocaleString('en')}`,
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.uniqueItems === true ? 'no item twice' : '',
    pattern === undefined ? '' : `matches ${code(pattern)}`,
    format === undefined || format === 'binary' ? '' : escapeText(format),
    schema.writeOnly === true ? 'only in requests' : '',
  ].filter((part) => part !== '');
  const forms = (schema.anyOf ?? []).flatMap(boundsOf);
  const items = schema.items === undefined ? [] : boundsOf(schema.items);
  return distinct([...own, ...forms, ...items.map((one) => `each ${one}`)]);
}

/** `1 to 80 characters`. Empty without a bound. */
function range(low: number | undefined, high: number | undefined, unit: string): string {
  const [least, most] = [low?.toLocaleString('en'), high?.toLocaleString('en')];
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${most}${unit}`;
  if (most === undefined) return `at least ${least}${unit}`;
  return least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`;
}
