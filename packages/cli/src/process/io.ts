// The parts of the process that a command uses. `main.ts` passes the real ones, tests pass their own.
import type { Readable, Writable } from 'node:stream';

/** A stream to write to. `isTTY` is true for a terminal. */
export type Sink = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A stream to read from. A terminal has `setRawMode`. */
export type Source = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

export type Io = {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative paths are resolved against. */
  readonly cwd: string;
  /** Calls the listener for each signal that can be caught and would end the process. Returns a function that removes it. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends this process a signal. Callers remove their listeners first, so that the signal ends the process. */
  readonly raise: (signal: NodeJS.Signals) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
};
