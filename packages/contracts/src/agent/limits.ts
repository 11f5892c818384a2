// Every number that bounds the local agent, in one place: code, documents and tests import them from here.
import { type Static, Type } from 'typebox';

const MIB = 1024 * 1024;

/** The port of `svc dashboard` where `--port` does not name another. It is never changed in silence. */
export const AGENT_DEFAULT_PORT = 6767;

/** What the agent holds to, and tells in `Status.limits`. The last three but one may be set when it starts. */
export const AGENT_LIMITS = {
  /** WebSocket clients at once; the next is refused. */
  live_clients: 4,
  /** Requests under /api that are being worked on at once; sockets and static files do not count. */
  handlers: 8,
  /** Imports and analyses at once, together. */
  exclusive_work: 1,
  /** From a request's first byte to its answer's last. */
  request_ms: 30_000,
  /** A model provider's whole answer. */
  provider_ms: 20_000,
  /** UTF-8 bytes of the summary that a provider is sent. */
  summary_bytes: 24_000,
  /** Decoded bytes of a provider's answer. */
  provider_response_bytes: 256 * 1024,
  /** Samples of the target a second. */
  sample_hz: 1,
  /** Live messages a second to one client, at most. */
  live_hz: 1,
  /** What one session writes to disk, its end included; `--storage-cap`. */
  storage_cap_bytes: 256 * MIB,
  /** An imported trace; `--import-limit`. */
  import_bytes: 2048 * MIB,
  /** One line of a trace. */
  line_bytes: MIB,
} as const;

/** Connections at once on which no request has carried the token; with one more, the oldest of them is dropped. */
export const UNAUTHENTICATED_CONNECTIONS = 64;

/** The body of a JSON request. */
export const AGENT_JSON_BODY_BYTES = 64 * 1024;

/** What a live client may send before it is closed with 1008: nothing; a longer frame is not even read. */
export const LIVE_INCOMING_BYTES = 1024;

/** How long a live client may take to answer a close before it is dropped. */
export const LIVE_CLOSE_MS = 2_000;

/** How long a live client may leave a message untaken, or a ping unanswered, before it is dropped. */
export const LIVE_DRAIN_MS = 10_000;

/** How long ending may spend on flushing what was captured. */
export const FLUSH_MS = 5_000;

/** Kept back from the storage cap, and from the disk, so that a file can be ended with `loss` and `end`. */
export const ENDING_RESERVE_BYTES = 4 * 1024;

/** The time a session lives where `--ttl` does not say, and the most it may. */
export const TTL_MS = { default: 8 * 3_600_000, maximum: 24 * 3_600_000 } as const;

/** How soon the target's exit is seen, at the latest. */
export const EXIT_SEEN_MS = 200;

/** `Status.limits`: the numbers in force, under the names of `AGENT_LIMITS`. */
export const AgentLimits = Type.Object({
  live_clients: Type.Integer(),
  handlers: Type.Integer(),
  exclusive_work: Type.Integer(),
  request_ms: Type.Integer(),
  provider_ms: Type.Integer(),
  summary_bytes: Type.Integer(),
  provider_response_bytes: Type.Integer(),
  sample_hz: Type.Number(),
  live_hz: Type.Number(),
  storage_cap_bytes: Type.Integer(),
  import_bytes: Type.Integer(),
  line_bytes: Type.Integer(),
});
export type AgentLimits = Static<typeof AgentLimits>;
