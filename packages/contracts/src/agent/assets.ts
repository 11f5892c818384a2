// The asset cost report: what each asset cost the game, the most expensive first.
import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

const size = nullable(Type.Number({ minimum: 0 }));
const time = nullable(Type.Number({ minimum: 0 }));

/** One asset. Sizes are the latest of each kind, times add up over its records; null is not measured. */
export const AssetReportEntry = Type.Object({
  /** Unique within its source; `1` and `"1"` are two. */
  id: Type.Union([Type.Number(), Type.String()]),
  name: Type.String(),
  kind: Type.String(),
  source: Type.String(),
  /** How many records name it. */
  uses: Type.Integer({ minimum: 0 }),
  bytes: size,
  /** What was read of a file in all, reading again counted again; only where a record told. */
  read_bytes: Type.Optional(Type.Number({ minimum: 0 })),
  gpu_bytes: size,
  load_ms: time,
  decode_ms: time,
  upload_ms: time,
  main_thread_ms: time,
  /** Time over the frame budget, in frames that its main-thread work fell into, shared among the assets of a frame. */
  hitch_ms: Type.Number({ minimum: 0 }),
  hitches: Type.Number({ minimum: 0 }),
  /** One number in frame budgets, by the report's `weights`; the order of the report. */
  cost: Type.Number({ minimum: 0 }),
  /** Its part of all cost, 0 to 1. */
  share: Type.Number({ minimum: 0, maximum: 1 }),
  advice: Type.Array(Type.Object({ code: Type.String(), text: Type.String() })),
});
export type AssetReportEntry = Static<typeof AssetReportEntry>;

/** Sums over all assets of a report; null where none of them knows the value. */
export const AssetReportTotals = Type.Object({
  /** How many assets the trace has. */
  assets: Type.Integer({ minimum: 0 }),
  bytes: size,
  gpu_bytes: size,
  /** Assets with neither size known. */
  unknown_sizes: Type.Integer({ minimum: 0 }),
  load_ms: time,
  decode_ms: time,
  upload_ms: time,
  main_thread_ms: time,
  hitch_ms: Type.Number({ minimum: 0 }),
  cost: Type.Number({ minimum: 0 }),
});
export type AssetReportTotals = Static<typeof AssetReportTotals>;

/** The answer of `GET /api/assets`; without asset records the list is empty. */
export const AssetReport = Type.Object({
  /** All assets are ranked; the costliest 10,000 are listed, the costliest first. */
  assets: Type.Array(AssetReportEntry),
  /** How many assets are not listed. None of them costs more than the last that is. */
  left_out: Type.Integer({ minimum: 0 }),
  /** Of all assets, those that are not listed too. */
  totals: AssetReportTotals,
  weights: Type.Record(Type.String(), Type.Number()),
  /** The time one frame may take. */
  budget_ms: Type.Number({ exclusiveMinimum: 0 }),
});
export type AssetReport = Static<typeof AssetReport>;
