// Why an agent could not start: the person's situation, told in one sentence, with nothing left listening.

export type StartErrorCode =
  /** Another program holds the port. */
  | 'port_busy'
  /** Listening failed for another reason. */
  | 'port_refused'
  | 'no_such_process'
  /** Its /proc entry may not be read. */
  | 'process_forbidden'
  /** Not Linux: a process can't be watched. */
  | 'capture_unsupported'
  /** The file does not parse; the message begins with `file:line:column`. */
  | 'invalid_file'
  | 'unreadable_file'
  /** The data folder can't be made or written. */
  | 'data_dir_unusable'
  /** The data folder is another user's, or others can write to it. */
  | 'data_dir_unsafe'
  /** The viewer's built files are not there. */
  | 'viewer_missing'
  | 'invalid_option';

/** A start-up failure; the message is for the person who ran the command. */
export class StartError extends Error {
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StartError';
    this.code = code;
  }
}
