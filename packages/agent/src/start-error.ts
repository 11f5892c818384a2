// Why an agent could not start.

export type StartErrorCode =
  /** Another program uses the port. */
  | 'port_busy'
  /** Listening failed for another reason. */
  | 'port_refused'
  | 'no_such_process'
  /** The program to start does not exist. */
  | 'no_such_program'
  /** The program to start is not executable, or this user may not read its folder. */
  | 'program_forbidden'
  /** This user may not read its /proc entry. */
  | 'process_forbidden'
  /** The system is not Linux, so a process can't be captured. */
  | 'capture_unsupported'
  /** The file can't be parsed. The message begins with `file:line:column`. */
  | 'invalid_file'
  | 'unreadable_file'
  /** Another recording writes the file, or its name is taken while it is written. */
  | 'output_in_use'
  /** There is no room for a recording that starts at once. */
  | 'storage_full'
  /** The data folder can't be created or written to. */
  | 'data_dir_unusable'
  /** The data folder belongs to another user, or other users can write to it. */
  | 'data_dir_unsafe'
  /** The viewer's built files are missing. */
  | 'viewer_missing'
  | 'invalid_option';

/** An error at the start. Its message is for the user who ran the command. */
export class StartError extends Error {
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StartError';
    this.code = code;
  }
}
