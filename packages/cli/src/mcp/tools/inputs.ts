// The inputs that tools share.
import { Type } from 'typebox';

export const TRACE = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'The id of a trace from list_traces, or its path.',
});

export const FRAME_MS = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 1000,
    description: 'Time budget of a frame in ms. Default: 16.67 (60 frames per second).',
  }),
);

const LATEST_MS = 9_007_199_254_740;

/** A time of the trace. */
export const TIME_MS = Type.Number({ minimum: 0, maximum: LATEST_MS });

/** The number of rows to list. */
export function limitOf(most: number, usual: number) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, description: `Rows to list. Default: ${usual}.` }),
  );
}

export const OFFSET = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 10_000_000,
    description: 'Rows to skip, to read the rest of a list.',
  }),
);

export const SEARCH = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'List only rows whose name contains this text. Case does not matter.',
  }),
);

/** A test for names. Undefined without a text to search for. */
export function matcherOf(search: string | undefined): ((name: string) => boolean) | undefined {
  if (search === undefined) return undefined;
  const wanted = search.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

/** A schema whose objects reject unknown fields, so that a misspelt field is not ignored. */
export const STRICT = { additionalProperties: false } as const;
