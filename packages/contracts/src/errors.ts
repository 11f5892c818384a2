// The format of errors that all servers share.
import { type Static, Type } from 'typebox';

/** One fault, in an error that lists several. */
export const ErrorDetail = Type.Object({
  path: Type.Optional(Type.String()),
  entry: Type.Optional(Type.String()),
  rule: Type.Optional(Type.String()),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

/**
 * The body of every error. `line` and `column` are the position of a syntax error, 1-based and in
 * bytes.
 */
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
