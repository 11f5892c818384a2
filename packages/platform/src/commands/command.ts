// A command of `svc-platform`.
export type Command = {
  /** The line that shows how to call it. */
  readonly usage: string;
  /** The lines that describe its options. */
  readonly help: string;
  /** Runs it with the arguments after its name. Throws an error whose message is for the user. */
  readonly run: (
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ) => Promise<void>;
};
