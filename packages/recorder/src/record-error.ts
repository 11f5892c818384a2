// The reasons why a game cannot be recorded.

export type RecordErrorCode =
  | 'browser_not_found'
  | 'browser_not_started'
  | 'page_not_loaded'
  | 'nothing_recorded'
  | 'tab_crashed'
  | 'browser_crashed';

/** `message` is one sentence for the user, and `hint` is the next step. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code: RecordErrorCode;
  readonly hint: string | null;

  constructor(code: RecordErrorCode, message: string, hint: string | null, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}
