// Checks one parsed line field by field and returns its record. Ids of stacks are checked against the ids defined before.
import { VPT_VERSION } from '../format/limits.ts';
import { type AnyRow, type FieldKind, RECORD_ROWS } from '../format/record-rows.ts';
import {
  ASSET_KINDS,
  ASSET_PHASES,
  type Header,
  type KnownRecord,
  SOURCES,
  type Source,
  type TraceRecord,
} from '../format/records.ts';
import {
  amount,
  type Check,
  checkPart,
  column,
  count,
  FieldError,
  type Fields,
  flag,
  instant,
  isFields,
  name,
  nullable,
  number,
  object,
  oneOf,
  sameLength,
  scale,
  time,
  weight,
  word,
} from './field-checks.ts';

const assetId: Check = (value) => (typeof value === 'string' ? name(value) : count(value));

const integer: Check = (value) => {
  if (!Number.isSafeInteger(value)) throw new FieldError([], 'must be an integer');
};

/** The check of each kind of field. */
const CHECKS: Readonly<Record<FieldKind, Check>> = {
  amount,
  count,
  number,
  name,
  word,
  flag,
  id: assetId,
  kind: oneOf(ASSET_KINDS),
  phase: oneOf(ASSET_PHASES),
  scale,
  counts: column(count),
  amounts: column(amount),
  integers: column(integer),
  names: column(name),
  countsOrNull: column(nullable(count)),
  amountsOrNull: column(nullable(amount)),
  scripts: column(object({ name, duration_ms: amount })),
  samples: object({
    node: column(count),
    weight: column(weight),
    'before?': column(weight),
    'at_ms?': column(time),
  }),
};

/** A lower-case word. Writers use `[a-z0-9_]`; readers accept more. */
const TYPE = /^[a-z][\w.:-]*$/;

/** The number of names and nodes that a source has defined so far. */
type Tables = { names: number; nodes: number };

/** Checks records in file order. Throws FieldError. */
export class RecordParser {
  readonly #header: Header;
  readonly #onlySource: Source | null;
  readonly #tables = new Map<Source, Tables>();

  constructor(header: Header) {
    this.#header = header;
    this.#onlySource = header.sources.length === 1 ? (header.sources[0] ?? null) : null;
  }

  parse(value: unknown): TraceRecord {
    if (!isFields(value)) throw new FieldError([], 'must be an object');
    const type = typeOf(value);
    const t = Object.hasOwn(value, 't') ? value['t'] : undefined;
    if (t === undefined) throw new FieldError([], 'has no "t"');
    checkPart(time, t, 't');
    const source = this.#sourceOf(value, type);
    if (!isKnown(value, type)) {
      return { type: 'unknown', t: Number(t), ...(source && { source }), fields: value };
    }
    if (value.type === 'frames') sameLength(value, FRAME_COLUMNS);
    if (value.type === 'stacks') this.#growTables(value, value.source ?? this.#onlySource);
    return value;
  }

  #sourceOf(value: Fields, type: string): Source | null {
    const source = Object.hasOwn(value, 'source') ? value['source'] : undefined;
    if (source === undefined) {
      if (this.#onlySource !== null) return null;
      if (type === 'end' || type === 'loss') return null;
      throw new FieldError([], 'has no "source", and the header names more than one');
    }
    const known = this.#header.sources.find((one) => one === source);
    if (known === undefined) {
      throw new FieldError(['source'], `must be one of: ${this.#header.sources.join(', ')}`);
    }
    return known;
  }

  #growTables(stacks: Extract<KnownRecord, { type: 'stacks' }>, source: Source | null): void {
    if (source === null) return;
    sameLength(stacks, ['names', 'places']);
    sameLength(stacks, ['parents', 'node_names', 'categories']);
    sameLength(stacks.samples, ['node', 'weight', 'before', 'at_ms'], ['samples']);
    const tables = this.#tables.get(source) ?? { names: 0, nodes: 0 };
    expectNext('first_name', stacks.first_name, tables.names);
    expectNext('first_node', stacks.first_node, tables.nodes);
    const names = tables.names + stacks.names.length;
    const nodes = tables.nodes + stacks.parents.length;
    expectParents(stacks.parents, tables.nodes);
    expectDefined(stacks.node_names, names, ['node_names'], 'name');
    expectDefined(stacks.samples.node, nodes, ['samples', 'node'], 'node');
    this.#tables.set(source, { names, nodes });
  }
}

function typeOf(value: Fields): string {
  const type = Object.hasOwn(value, 'type') ? value['type'] : undefined;
  if (typeof type !== 'string') throw new FieldError([], 'has no "type"');
  if (/^[A-Z]/.test(type)) {
    throw new FieldError(
      ['type'],
      `"${type.slice(0, 80)}" is a required record type that this reader does not know: it reads version ${VPT_VERSION} without such types; open the file with the version of svc that wrote it, or a later one`,
      'unsupported_version',
    );
  }
  if (!TYPE.test(type)) throw new FieldError(['type'], 'must be a lower-case word');
  return type;
}

const FRAME_COLUMNS = Object.keys(RECORD_ROWS.frames.fields).map((key) => key.replace('?', ''));

const CHECKS_BY_TYPE: ReadonlyMap<string, Check> = new Map(
  Object.entries<AnyRow>(RECORD_ROWS).map(([type, { fields }]) => [type, checkOf(fields)]),
);

function checkOf(fields: AnyRow['fields']): Check {
  return object(
    Object.fromEntries(Object.entries(fields).map(([key, kind]) => [key, CHECKS[kind]])),
  );
}

/** Runs the check of the type. A value that passes it is a record of that type. */
function isKnown(value: Fields, type: string): value is KnownRecord {
  const check = CHECKS_BY_TYPE.get(type);
  check?.(value);
  return check !== undefined;
}

function expectNext(key: string, first: number, defined: number): void {
  if (first === defined) return;
  throw new FieldError([key], `must be ${defined}: ids ascend without gaps`, 'id_order');
}

function expectParents(parents: readonly number[], firstNode: number): void {
  for (let i = 0; i < parents.length; i++) {
    const parent = parents[i] ?? -1;
    if (parent >= -1 && parent < firstNode + i) continue;
    const message = `must be −1 or a node before ${firstNode + i}`;
    throw new FieldError(['parents', i], message, 'undefined_id');
  }
}

function expectDefined(
  ids: readonly number[],
  defined: number,
  path: readonly string[],
  what: string,
): void {
  for (let i = 0; i < ids.length; i++) {
    if ((ids[i] ?? 0) < defined) continue;
    throw new FieldError(
      [...path, i],
      `is not a ${what} that was defined before (0 to ${defined - 1})`,
      'undefined_id',
    );
  }
}

const headerFields = object({
  producer: object({ name, version: name }),
  started_at: instant,
  sources: column(oneOf(SOURCES)),
  'target?': object({ pid: count, name, started_at: instant }),
  'gpu?': object({ name, software: flag }),
  'machine?': object({ cores: count, 'cpu?': name, 'max_mhz?': count, 'memory_bytes?': count }),
  'build?': object({ digest: word }),
});

/** Checks the parsed first line. Throws FieldError: `not_a_trace`, or `unsupported_version` for a later version. */
export function parseHeader(value: unknown): Header {
  if (!isFields(value) || !Object.hasOwn(value, 'vpt')) {
    throw new FieldError([], 'is not a header; a .vpt file begins with {"vpt":1,…', 'not_a_trace');
  }
  const version = value['vpt'];
  if (typeof version === 'number' && Number.isSafeInteger(version) && version > VPT_VERSION) {
    const message = `is version ${version}, but this version of svc reads version ${VPT_VERSION}`;
    throw new FieldError(['vpt'], message, 'unsupported_version');
  }
  try {
    if (isHeader(value)) return value;
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new FieldError(error.path, error.message, 'not_a_trace');
  }
  throw new FieldError(['vpt'], `must be ${VPT_VERSION}`, 'not_a_trace');
}

function isHeader(value: Fields): value is Header {
  if (value['vpt'] !== VPT_VERSION) return false;
  headerFields(value);
  const sources = value['sources'];
  if (!Array.isArray(sources) || sources.length === 0 || new Set(sources).size < sources.length) {
    throw new FieldError(['sources'], 'must contain at least one source, without duplicates');
  }
  return true;
}
