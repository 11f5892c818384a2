// The options that an agent is started with, and the running session that the caller receives.

import type { BusyChild, Ending, EndReason, RecoveredTrace, Target } from '@svc/contracts/agent';
import type { Viewer } from './page/page-routes.ts';
import type { ProbeId } from './probes/probe-kind.ts';
import type { ProbePrograms } from './probes/probe-programs.ts';
import type { EndedAtOnce } from './session/session.ts';
import type { LaunchedProgram } from './target/launch-program.ts';

/** A program that waits for its start. */
export type AgentProgram = Pick<LaunchedProgram, 'pid' | 'name' | 'run'>;

/** The options of an agent. The caller reads argv and the environment and passes values. */
export type AgentOptions = {
  /** Returns the viewer's built files: `index.html` and the files it loads. */
  readonly viewer: () => Viewer;
  /** The port on 127.0.0.1. 0 chooses a free port. */
  readonly port: number;
  /** The only process that the session may capture. Null with a program. */
  readonly pid: number | null;
  /** When the process of `pid` started, in ticks of the kernel, if it was chosen from a list. Null: whichever has the id. */
  readonly startTicks: number | null;
  /**
   * A program that waits for its start. Its process is the only one that the session may capture. The agent lets it
   * run, and does not end it.
   */
  readonly program: AgentProgram | null;
  /** Whether the caller has started the process, and ends it after the session. Clients show it. */
  readonly launched: boolean;
  /**
   * Whether the capture starts at once, as if a client had pressed Start. A program is let run when the capture has
   * started.
   */
  readonly start: boolean;
  /** A trace or a profile to open at the start: a file of any format that `@svc/trace` reads. */
  readonly file: string | null;
  /**
   * The folder for recordings. A missing folder is created with mode 0700. An existing one must
   * belong to this user, and no other user may be able to write to it.
   */
  readonly dataDir: string;
  /** Milliseconds until the session ends by itself. At most 24 hours. */
  readonly ttlMs: number;
  /** The most bytes that this session may write. */
  readonly storageCapBytes: number;
  /** The most bytes that an imported trace may have. */
  readonly importLimitBytes: number;
  /** Milliseconds between two readings of PSS. At least 1000. */
  readonly pssIntervalMs: number;
  /** The optional collectors to run, in addition to CPU, RSS and PSS. */
  readonly probes: readonly ProbeId[];
  /**
   * The absolute path of a trace that the process writes itself, whose records are merged into the recording. It may not
   * exist yet. Null: none.
   */
  readonly follow: string | null;
  /** The address of an OpenAI-compatible server, offered as the provider `custom`. */
  readonly providerUrl: string | null;
  /** The environment variables in which provider keys are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version that the status reports. */
  readonly version: string;
  /** The file that worker threads start from, in a bundle. Without it, the source file is used. */
  readonly workerUrl?: URL;
  /** The programs that native probes run, in a bundle. Without them, those of the package are used. */
  readonly probePrograms?: ProbePrograms;
  /**
   * Milliseconds that a request may take from its first byte to the last byte of its answer. Tests
   * set it; the default is 30,000.
   */
  readonly requestMs?: number;
  /**
   * Aborts a start. `startAgent` then rejects with the signal's reason. It has no effect on a
   * running session.
   */
  readonly signal?: AbortSignal;
  /** Receives a child that works while the process, whose name comes first, is idle. */
  readonly onBusyChild?: (name: string, child: BusyChild) => void;
  /** Receives errors that are faults of the agent itself. Clients receive no details of them. */
  readonly onFailure?: (error: unknown) => void;
};

/**
 * A running session. Disposing of it ends the session with the reason `signal` and waits for the
 * end.
 */
export type Agent = AsyncDisposable & {
  /** `http://127.0.0.1:PORT/#token=TOKEN` */
  readonly url: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly token: string;
  readonly target: Target | null;
  /** When the session ends by itself, in ISO 8601 UTC. */
  readonly expiresAt: string;
  /** The data folder in use, with symbolic links resolved. */
  readonly dataDir: string;
  /** A sentence for the user if other users can read the data folder, or null. */
  readonly dataDirWarning: string | null;
  /** The recordings that a killed session left behind. */
  readonly recovered: readonly RecoveredTrace[];
  /** Resolves at the first request with a valid token. A redirect file is no longer needed then. */
  readonly authenticated: Promise<void>;
  /** Resolves when nothing listens any more and the capture is on disk. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Ends the session. If it is already ending, the first reason is kept. */
  end(reason: EndReason): void;
  /** Ends the session without waiting for the last batches of probes. Never rejects. */
  endAtOnce(reason: EndReason): Promise<EndedAtOnce>;
};
