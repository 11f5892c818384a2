// One row for each record type: the fields and their kinds. The parser, the scanner and the random traces of the tests are
// built from these rows. A row that does not match its type in records.ts does not compile.
import type { AssetId, AssetKind, AssetPhase, RecordType, RecordTypes, Weight } from './records.ts';

/** The kinds of field values, with the type of each. */
type KindValues = {
  /** A duration in ms or a percentage, from 0 to LATEST_T_MS. */
  amount: number;
  /** An integer from 0 to 2^53 − 1. */
  count: number;
  /** A finite number. */
  number: number;
  /** A string of at most NAME_BYTES. */
  name: string;
  /** A name that is not empty. */
  word: string;
  flag: boolean;
  id: AssetId;
  kind: AssetKind;
  phase: AssetPhase;
  /** A power of ten. */
  scale: Weight;
  counts: readonly number[];
  amounts: readonly number[];
  integers: readonly number[];
  names: readonly string[];
  /** Columns of frames, whose entries may be null. */
  countsOrNull: readonly (number | null)[];
  amountsOrNull: readonly (number | null)[];
  scripts: NonNullable<RecordTypes['longtask']['scripts']>;
  samples: RecordTypes['stacks']['samples'];
};
export type FieldKind = keyof KindValues;

/** The kinds whose values have exactly the type `Value`. */
type KindOf<Value> = {
  [Kind in FieldKind]: [Value, KindValues[Kind]] extends [KindValues[Kind], Value] ? Kind : never;
}[FieldKind];

/** The kind of each field of a record besides `type`, `t` and `source`. The key of an optional field ends in `?`. */
type Fields<One> = {
  readonly [Key in Exclude<keyof One, 'type' | 't' | 'source'> &
    string as undefined extends One[Key] ? `${Key}?` : Key]: KindOf<Exclude<One[Key], undefined>>;
};

type Row<One> = {
  readonly fields: Fields<One>;
  /** Whether lines of this type are scanned as bytes. Fields of kinds that cannot be scanned lead to the parser. */
  readonly scanned: boolean;
};

/** The rows. Scanned types come first, the most frequent before others, because the scanner tries them in this order. */
export const RECORD_ROWS = {
  asset: {
    scanned: true,
    fields: {
      id: 'id',
      name: 'name',
      kind: 'kind',
      phase: 'phase',
      'bytes?': 'count',
      'encoded_bytes?': 'count',
      'transfer_bytes?': 'count',
      'cached?': 'flag',
      'opaque?': 'flag',
      'gpu_bytes?': 'count',
      'duration_ms?': 'amount',
      'main_thread_ms?': 'amount',
      'dims?': 'counts',
      'format?': 'name',
      'count?': 'count',
      'read_bytes?': 'count',
      'mapped?': 'flag',
    },
  },
  process: {
    scanned: true,
    fields: {
      'cpu_percent?': 'amount',
      rss_bytes: 'count',
      'pss_bytes?': 'count',
      'pss_age_ms?': 'amount',
      'pss_cost_ms?': 'amount',
      'threads?': 'count',
    },
  },
  counter: { scanned: true, fields: { name: 'name', unit: 'name', value: 'number' } },
  log: { scanned: true, fields: { level: 'name', text: 'name' } },
  span: { scanned: true, fields: { duration_ms: 'amount', name: 'name', 'track?': 'name' } },
  mark: { scanned: true, fields: { name: 'name' } },
  longtask: {
    scanned: true,
    fields: { duration_ms: 'amount', 'blocking_ms?': 'amount', 'scripts?': 'scripts' },
  },
  frames: {
    scanned: false,
    fields: {
      duration_ms: 'amounts',
      'draws?': 'countsOrNull',
      'triangles?': 'countsOrNull',
      'gpu_ms?': 'amountsOrNull',
      'main_ms?': 'amountsOrNull',
    },
  },
  stacks: {
    scanned: false,
    fields: {
      'duration_ms?': 'amount',
      first_name: 'count',
      names: 'names',
      'places?': 'names',
      first_node: 'count',
      parents: 'integers',
      node_names: 'counts',
      'categories?': 'names',
      samples: 'samples',
      unit: 'name',
      'scale?': 'scale',
    },
  },
  release: {
    scanned: false,
    fields: { id: 'id', 'count?': 'count', 'bytes?': 'count', 'gpu_bytes?': 'count' },
  },
  note: { scanned: false, fields: { id: 'id', text: 'name', 'duration_ms?': 'amount' } },
  loss: {
    scanned: false,
    fields: { reason: 'word', 'count?': 'count', 'duration_ms?': 'amount', 'probe?': 'name' },
  },
  end: { scanned: false, fields: { reason: 'word' } },
} as const satisfies { readonly [Type in RecordType]: Row<RecordTypes[Type]> };

/** The types whose lines are scanned as bytes. */
export type ScannedType = {
  [Type in RecordType]: (typeof RECORD_ROWS)[Type]['scanned'] extends true ? Type : never;
}[RecordType];

/** A row whose field names and kinds are not known to the compiler, for loops over all rows. */
export type AnyRow = {
  readonly scanned: boolean;
  readonly fields: Readonly<Record<string, FieldKind>>;
};
