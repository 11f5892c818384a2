// The parts of answers that tools share.
import { Type } from 'typebox';

export const Count = Type.Integer({ minimum: 0 });
export const Text = Type.String();

export function Nullable<const Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

export const Measured = Nullable(Type.Number());

export const Causes = Type.Array(
  Type.Object({
    kind: Text,
    name: Nullable(Text),
    phase: Nullable(Text),
    ms: Type.Number(),
    text: Text,
  }),
  { description: 'What took the time, the most costly first.' },
);

export const TraceId = Type.String({ description: 'The id of the trace.' });
