// What an agent is started with, and what the one who started it holds.

import type { Ending, EndReason, RecoveredTrace, Target } from '@svc/contracts/agent';
import type { ProbeId } from './probes/probe-kind.ts';
import type { EndedAtOnce } from './session/session.ts';

/** Plain options: whoever reads argv and the environment hands in values. */
export type AgentOptions = {
  /** The viewer's built files: `index.html` and what it loads. */
  readonly viewerDir: string;
  /** 127.0.0.1:`port`; 0 takes any that is free. */
  readonly port: number;
  /** The one process that may be captured. */
  readonly pid: number | null;
  /** A `.vpt` or folded file to open at once. */
  readonly file: string | null;
  /** Where recordings are kept; made with mode 0700 when missing. One that exists must be this user's, and nobody else may write to it. */
  readonly dataDir: string;
  /** Milliseconds until the session ends by itself; at most 24 hours. */
  readonly ttlMs: number;
  /** Bytes that this session may write. */
  readonly storageCapBytes: number;
  /** Bytes of an imported trace. */
  readonly importLimitBytes: number;
  /** Milliseconds between two readings of PSS, at least 1000. */
  readonly pssIntervalMs: number;
  /** Collectors that the person asked for beyond CPU, RSS and PSS. */
  readonly probes: readonly ProbeId[];
  /** An OpenAI-compatible address to be offered as provider `custom`. */
  readonly providerUrl: string | null;
  /** Where provider keys are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version that Status tells. */
  readonly version: string;
  /** Where a bundle keeps the worker that reads traces; from source it is found by itself. */
  readonly workerUrl?: URL;
  /** Where a bundle keeps the programs that native probes run; from source they are found by themselves. */
  readonly probePrograms?: string;
  /** Milliseconds from a request's first byte to its answer's last, where a test can't wait for 30,000. */
  readonly requestMs?: number;
  /** Gives up a start that is under way: `startAgent` then rejects with the signal's reason. It does not end a session. */
  readonly signal?: AbortSignal;
  /** Hears of faults of the agent's own, which clients are not told. */
  readonly onFailure?: (error: unknown) => void;
};

/** A running session. Disposing of it ends it as a signal would, and waits. */
export type Agent = AsyncDisposable & {
  /** `http://127.0.0.1:PORT/#token=TOKEN` */
  readonly url: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly token: string;
  readonly target: Target | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  /** The data folder that is used: without links. */
  readonly dataDir: string;
  /** A sentence where other users can look into the data folder. */
  readonly dataDirWarning: string | null;
  /** Recordings that a killed session left behind. */
  readonly recovered: readonly RecoveredTrace[];
  /** Resolves at the first request that carried the token: a redirect file is no longer needed. */
  readonly authenticated: Promise<void>;
  /** Resolves when nothing listens any more and what was captured is on disk. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Ends the session; the first reason stands. */
  end(reason: EndReason): void;
  /** Ends the session and waits for little: the recording is finished without the last batches of probes. Never rejects. */
  endAtOnce(reason: EndReason): Promise<EndedAtOnce>;
};
