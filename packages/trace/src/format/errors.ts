// The error of all trace readers: a stable code and a position.

/** Stable codes. A new code is a minor change, a changed meaning is a major change. `docs/vpt.md` lists them. */
export type TraceErrorCode =
  | 'not_a_trace'
  | 'unsupported_version'
  | 'byte_order_mark'
  | 'invalid_utf8'
  | 'nul'
  | 'line_too_long'
  | 'name_too_long'
  | 'invalid_json'
  | 'duplicate_key'
  | 'too_deep'
  | 'invalid_record'
  | 'column_length'
  | 'id_order'
  | 'undefined_id'
  | 'after_end'
  | 'not_folded'
  | 'not_a_profile'
  | 'too_large';

/** The input is not a valid trace. `line` and `column` count from 1; `column` counts bytes of UTF-8. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code: TraceErrorCode;
  readonly line: number;
  readonly column: number;

  constructor(code: TraceErrorCode, message: string, line: number, column: number) {
    super(message);
    this.code = code;
    this.line = line;
    this.column = column;
  }
}
