// Values that could not be measured or do not exist are null in JSON, and never 0.
import { type TNull, type TSchema, type TUnion, Type } from 'typebox';

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}
