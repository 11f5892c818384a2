// The session as everyone sees it: its state, what it can do, what it watches, what it holds.
import { type Static, Type } from 'typebox';
import { AgentLimits } from './limits.ts';
import { nullable } from './nullable.ts';
import { TraceSummary, WrittenTrace } from './trace-summary.ts';

/** Whether something can be done here, and if not, or only in part, why. */
export const Capability = Type.Object({
  available: Type.Boolean(),
  reason: Type.Optional(Type.String()),
});
export type Capability = Static<typeof Capability>;

/** A model provider and where its key comes from; the key itself is never told. */
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

/** What this build on this machine can do. More keys may come. */
export const Capabilities = Type.Object({
  capture: Capability,
  pss: Capability,
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

/** The one process that may be captured. `started_at` is the process's, not the session's. */
export const Target = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  started_at: Type.String(),
});
export type Target = Static<typeof Target>;

/** The latest sample of the target. `t` counts from the start of the capture; CPU is percent of one core. */
export const Metric = Type.Object({
  t: Type.Number({ minimum: 0 }),
  /** Null in the first sample: CPU is a difference of two. */
  cpu_percent: nullable(Type.Number({ minimum: 0 })),
  rss_bytes: Type.Integer({ minimum: 0 }),
  pss_bytes: nullable(Type.Integer({ minimum: 0 })),
  /** How old the PSS reading is; null where there is none. */
  pss_age_ms: nullable(Type.Number({ minimum: 0 })),
});
export type Metric = Static<typeof Metric>;

/** One means of measuring, and how it fares. A `warning` works, at a price that `reason` tells. */
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

/** What a killed session left behind: a recording without its end. */
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

/** Why the session ended, and the recording it left; null where nothing was captured. */
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
