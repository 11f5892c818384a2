// The asset cost report: the cost of each asset, most expensive first.
import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

const size = nullable(Type.Number({ minimum: 0 }));
const time = nullable(Type.Number({ minimum: 0 }));

/**
 * One asset. Each size is the latest reported, and times are sums over its records. Null means not
 * measured.
 */
export const AssetReportEntry = Type.Object({
  /** Unique within its source. `1` and `"1"` are different ids. */
  id: Type.Union([Type.Number(), Type.String()]),
  name: Type.String(),
  kind: Type.String(),
  source: Type.String(),
  /** The number of records about it. */
  uses: Type.Integer({ minimum: 0 }),
  bytes: size,
  /** Bytes read from a file, counting repeated reads. Only present if a record contains it. */
  read_bytes: Type.Optional(Type.Number({ minimum: 0 })),
  gpu_bytes: size,
  load_ms: time,
  decode_ms: time,
  upload_ms: time,
  main_thread_ms: time,
  /**
   * Time over the frame budget in frames with its main-thread work, divided among the assets of
   * each frame.
   */
  hitch_ms: Type.Number({ minimum: 0 }),
  hitches: Type.Number({ minimum: 0 }),
  /** The total in frame budgets, by the report's `weights`. The report is sorted by it. */
  cost: Type.Number({ minimum: 0 }),
  /** Its share of the total cost, 0 to 1. */
  share: Type.Number({ minimum: 0, maximum: 1 }),
  advice: Type.Array(Type.Object({ code: Type.String(), text: Type.String() })),
});
export type AssetReportEntry = Static<typeof AssetReportEntry>;

/** Sums over all assets of a report. Null if no asset has the value. */
export const AssetReportTotals = Type.Object({
  /** The number of assets in the trace. */
  assets: Type.Integer({ minimum: 0 }),
  bytes: size,
  gpu_bytes: size,
  /** The number of assets without any known size. */
  unknown_sizes: Type.Integer({ minimum: 0 }),
  load_ms: time,
  decode_ms: time,
  upload_ms: time,
  main_thread_ms: time,
  hitch_ms: Type.Number({ minimum: 0 }),
  cost: Type.Number({ minimum: 0 }),
});
export type AssetReportTotals = Static<typeof AssetReportTotals>;

/** The answer of `GET /api/assets`. Without asset records the list is empty. */
export const AssetReport = Type.Object({
  /** The costliest 10,000 assets, costliest first. All assets are ranked. */
  assets: Type.Array(AssetReportEntry),
  /** The number of assets that are not listed. None of them costs more than the last listed one. */
  left_out: Type.Integer({ minimum: 0 }),
  /** Sums over all assets, including those that are not listed. */
  totals: AssetReportTotals,
  weights: Type.Record(Type.String(), Type.Number()),
  /** Milliseconds that one frame may take. */
  budget_ms: Type.Number({ exclusiveMinimum: 0 }),
});
export type AssetReport = Static<typeof AssetReport>;
