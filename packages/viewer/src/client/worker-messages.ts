// The messages between the page and the worker, independent of the calls.
import type { TraceError } from '@svc/trace';

/** The arguments of a call and its result. */
export type Call<Args, Result> = { readonly args: Args; readonly result: Result };

/** Calls by name. Each folder declares its own table, and `engine/calls.ts` joins them. */
export type CallTable = Readonly<Record<string, Call<unknown, unknown>>>;

/** Why a call failed. `line` and `column` are set if text did not parse: a line from 1, a column in bytes from 1. */
export type Fault = {
  readonly code: TraceError['code'] | 'aborted' | 'agent' | 'failed' | 'too_big';
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
};

/** From the page to the worker. */
export type ToWorker =
  | { readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly cancel: number };

/** From the worker to the page. Progress is in bytes; `total` is null if it is unknown. */
export type FromWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly id: number; readonly done: number; readonly total: number | null };
