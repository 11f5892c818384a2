// What every error of every server looks like on the wire.
import { type Static, Type } from 'typebox';

/** One thing that is wrong, inside an error that lists several. */
export const ErrorDetail = Type.Object({
  path: Type.Optional(Type.String()),
  entry: Type.Optional(Type.String()),
  rule: Type.Optional(Type.String()),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

/** The body of every answer that is not a success. `line` and `column` (1-based, in bytes) where text failed to parse. */
export const ErrorBody = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
    details: Type.Optional(Type.Array(ErrorDetail)),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;
