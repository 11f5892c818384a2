// What a command may touch of the process it runs in. `main.ts` hands over the real ones.
import type { Readable, Writable } from 'node:stream';

/** A stream to write to, and whether a person looks at it. */
export type Sink = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A stream to read from; `setRawMode` is there on a terminal. */
export type Source = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

export type Io = {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative ones start from. */
  readonly cwd: string;
  /** Calls the listener for each signal that can be caught and would end the process; returns how to stop that. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends this process a signal; nobody listens any more, so it dies of it. */
  readonly raise: (signal: NodeJS.Signals) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
};
