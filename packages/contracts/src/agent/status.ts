// The session as clients see it: its state, capabilities, target and trace.
import { type Static, Type } from 'typebox';
import { AgentLimits } from './limits.ts';
import { nullable } from './nullable.ts';
import { TraceSummary, WrittenTrace } from './trace-summary.ts';

/** Whether a feature is available. The reason says why not, or why only in part. */
export const Capability = Type.Object({
  available: Type.Boolean(),
  reason: Type.Optional(Type.String()),
});
export type Capability = Static<typeof Capability>;

/** A model provider and the source of its key. The key itself is never reported. */
export const Provider = Type.Object({
  id: Type.String(),
  host: Type.String(),
  key: Type.Union([
    Type.Literal('env'),
    Type.Literal('keyring'),
    Type.Literal('none'),
    Type.Literal('not_needed'),
  ]),
});
export type Provider = Static<typeof Provider>;

/** The features of this build on this machine. More keys may be added. */
export const Capabilities = Type.Object({
  capture: Capability,
  pss: Capability,
  frames: Capability,
  stacks: Capability,
  files: Capability,
  keyring: Capability,
  analysis_offline: Capability,
  analysis_provider: Type.Object({
    available: Type.Boolean(),
    reason: Type.Optional(Type.String()),
    providers: Type.Array(Provider),
  }),
});
export type Capabilities = Static<typeof Capabilities>;

/**
 * The one process that may be captured. `started_at` is the start of the process, not of the
 * session.
 */
export const Target = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  started_at: Type.String(),
});
export type Target = Static<typeof Target>;

/**
 * The busiest process that the target has started, directly or not, while the target itself is idle, for example a game
 * that was started by a launcher. It is not recorded. CPU is in percent of one core, when the child was found.
 */
export const BusyChild = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  cpu_percent: Type.Number({ minimum: 0 }),
});
export type BusyChild = Static<typeof BusyChild>;

/**
 * The latest sample of the target. `t` is in milliseconds since the start of the capture. CPU is in
 * percent of one core.
 */
export const Metric = Type.Object({
  t: Type.Number({ minimum: 0 }),
  /** Null in the first sample, because CPU is a difference between two readings. */
  cpu_percent: nullable(Type.Number({ minimum: 0 })),
  rss_bytes: Type.Integer({ minimum: 0 }),
  pss_bytes: nullable(Type.Integer({ minimum: 0 })),
  /** The age of the PSS reading. Null without one. */
  pss_age_ms: nullable(Type.Number({ minimum: 0 })),
});
export type Metric = Static<typeof Metric>;

/** A collector and its state. A `warning` works, but at a cost that `reason` describes. */
export const Probe = Type.Object({
  id: Type.String(),
  state: Type.Union([
    Type.Literal('off'),
    Type.Literal('starting'),
    Type.Literal('running'),
    Type.Literal('warning'),
    Type.Literal('unavailable'),
    Type.Literal('failed'),
  ]),
  reason: Type.Optional(Type.String()),
});
export type Probe = Static<typeof Probe>;

/** A recording without its end that a killed session left behind. */
export const RecoveredTrace = Type.Object({
  name: Type.String(),
  path: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  modified_at: Type.String(),
});
export type RecoveredTrace = Static<typeof RecoveredTrace>;

/** The four ways a session ends. */
export const EndReason = Type.Union([
  Type.Literal('off'),
  Type.Literal('ttl'),
  Type.Literal('signal'),
  Type.Literal('target_exit'),
]);
export type EndReason = Static<typeof EndReason>;

/** Why the session ended, and its recording. Null if nothing was captured. */
export const Ending = Type.Object({ reason: EndReason, trace: nullable(WrittenTrace) });
export type Ending = Static<typeof Ending>;

export const SessionState = Type.Union([
  Type.Literal('inactive'),
  Type.Literal('capturing'),
  Type.Literal('ended'),
]);
export type SessionState = Static<typeof SessionState>;

/** The answer of `GET /api/status` and `POST /api/start`, and the content of every live message. */
export const Status = Type.Object({
  state: SessionState,
  capabilities: Capabilities,
  target: nullable(Target),
  /** Whether svc has started the target, or the launcher of it, and ends it after the session. */
  launched: Type.Boolean(),
  busy_child: nullable(BusyChild),
  trace: nullable(TraceSummary),
  metric: nullable(Metric),
  probes: Type.Array(Probe),
  recovered: Type.Array(RecoveredTrace),
  ended: nullable(Ending),
  started_at: Type.String(),
  expires_at: Type.String(),
  version: Type.String(),
  limits: AgentLimits,
});
export type Status = Static<typeof Status>;
