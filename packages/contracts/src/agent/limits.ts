// The limits of the local agent. Code, documents and tests import them from here.
import { type Static, Type } from 'typebox';

const MIB = 1024 * 1024;

/** The port of `svc dashboard` without `--port`. The agent never uses another one on its own. */
export const AGENT_DEFAULT_PORT = 6767;

/**
 * The limits that the agent reports in `Status.limits`. Options at the start can change
 * `storage_cap_bytes` and `import_bytes`.
 */
export const AGENT_LIMITS = {
  /** The most live clients at once. */
  live_clients: 4,
  /** The most requests under /api at once. Sockets and static files do not count. */
  handlers: 8,
  /** The most imports and analyses at once, together. */
  exclusive_work: 1,
  /** Milliseconds from a request's first byte to the last byte of its answer. */
  request_ms: 30_000,
  /** Milliseconds for the whole answer of a model provider. */
  provider_ms: 20_000,
  /** The most UTF-8 bytes of the summary for a provider. */
  summary_bytes: 24_000,
  /** The most decoded bytes of a provider's answer. */
  provider_response_bytes: 256 * 1024,
  /** Samples of the target per second. */
  sample_hz: 1,
  /** The most live messages per second to one client. */
  live_hz: 1,
  /** The most bytes that one session writes to disk, including its end; `--storage-cap`. */
  storage_cap_bytes: 256 * MIB,
  /** The most bytes of an imported trace; `--import-limit`. */
  import_bytes: 2048 * MIB,
  /** The most bytes of one line of a trace. */
  line_bytes: MIB,
} as const;

/**
 * The most open connections without a request that had the token. With one more, the oldest is
 * dropped.
 */
export const UNAUTHENTICATED_CONNECTIONS = 64;

/** The most bytes of a JSON body, except one with notes. */
export const AGENT_JSON_BODY_BYTES = 64 * 1024;

/** The bounds of notes. `docs/vpt.md` has those of the format. */
export const NOTE_LIMITS = {
  /** The most notes of one request. */
  per_request: 100,
  /** The most bytes of the JSON body with them. A note with the longest text always fits. */
  body_bytes: MIB,
  /** The most characters of an id that is a text. */
  id_characters: 200,
  /** The most characters of a text. */
  text_characters: 16_384,
  /** The latest time, and the longest duration, in milliseconds. */
  latest_ms: 9_007_199_254_740,
  /** The most ids of notes that are kept beside an imported trace or an opened file. */
  kept_ids: 10_000,
  /** The most bytes of their lines. */
  kept_bytes: 4 * MIB,
} as const;

/** A live client that sends anything is closed with 1008. A frame longer than this is not read. */
export const LIVE_INCOMING_BYTES = 1024;

/** How long a live client may take to answer a close before it is dropped. */
export const LIVE_CLOSE_MS = 2_000;

/**
 * How long a live client may leave a message unread, or a ping unanswered, before it is dropped.
 */
export const LIVE_DRAIN_MS = 10_000;

/** How long the end of a session may take to flush the capture. */
export const FLUSH_MS = 5_000;

/**
 * Reserved from the storage cap, and on the disk, so that a file can be ended with `loss` and
 * `end`.
 */
export const ENDING_RESERVE_BYTES = 4 * 1024;

/** The lifetime of a session without `--ttl`, and the longest one. */
export const TTL_MS = { default: 8 * 3_600_000, maximum: 24 * 3_600_000 } as const;

/** The target's exit is detected within this time. */
export const EXIT_SEEN_MS = 200;

/** `Status.limits`: the limits in force, with the keys of `AGENT_LIMITS`. */
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
