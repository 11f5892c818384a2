// The part of a trace that an input names.
import {
  DEFAULT_BUDGET_MS,
  durationText,
  type FoundMoment,
  findMoment,
  type MomentList,
  type MomentPlace,
  type TraceModel,
  type Window,
} from '@svc/trace';
import { EXIT, ExitError } from '../../process/exit-codes.ts';

type RangeInput = {
  readonly from_ms?: number | undefined;
  readonly to_ms?: number | undefined;
};

export type PlaceInput = RangeInput & {
  readonly list?: MomentList | undefined;
  readonly number?: number | undefined;
  readonly at_ms?: number | undefined;
};

/** The list of a trace if none is named. */
export function usualList({ frames, process }: TraceModel): MomentList {
  return frames.length === 0 && process.length > 0 ? 'cpu' : 'hitch';
}

/** Null without both times. Throws an ExitError if one of them is missing or they are in the wrong order. */
export function rangeOf({ from_ms, to_ms }: RangeInput): Window | null {
  if (from_ms === undefined && to_ms === undefined) return null;
  if (from_ms === undefined || to_ms === undefined || from_ms >= to_ms) {
    throw invalid('Give both from_ms and to_ms, with from_ms before to_ms.');
  }
  return { from_ms, to_ms };
}

/** The worst moment if the input names none. Throws an ExitError if it names more than one, or one that the trace does not have. */
export function findPlace(
  model: TraceModel,
  input: PlaceInput,
  budget_ms: number = DEFAULT_BUDGET_MS,
): FoundMoment {
  const found = findMoment(model, placeOf(model, input), budget_ms);
  if (!('missing' in found)) return found;
  switch (found.missing) {
    case 'no_times':
      throw invalid('The records of the trace have no times. Call trace_functions instead.');
    case 'outside':
      throw invalid(
        `The trace ends at ${durationText(found.duration_ms)} (${found.duration_ms} ms).`,
      );
    case 'no_frame':
      throw invalid('No frame was running then. Give from_ms and to_ms, or a number.');
    case 'not_listed':
      throw invalid(
        found.count === 0
          ? 'The list has no moments. Call trace_moments with another list, or give from_ms and to_ms.'
          : found.count === 1
            ? 'The list has 1 moment. Give the number 1.'
            : `The list has ${found.count} moments. Give a number from 1 to ${found.count}.`,
      );
    default:
      return found satisfies never;
  }
}

function placeOf(model: TraceModel, input: PlaceInput): MomentPlace {
  const { list, number, at_ms } = input;
  const range = rangeOf(input);
  const isListed = list !== undefined || number !== undefined;
  if ([range !== null, at_ms !== undefined, isListed].filter(Boolean).length > 1) {
    throw invalid('Name one moment: by number (and list), by at_ms, or by from_ms and to_ms.');
  }
  if (range !== null) return { kind: 'range', ...range };
  if (at_ms !== undefined) return { kind: 'time', t: at_ms, precision_ms: null };
  return { kind: list ?? usualList(model), number: number ?? 1 };
}

function invalid(text: string): ExitError {
  return new ExitError(EXIT.unexpected, 'invalid_input', text);
}
