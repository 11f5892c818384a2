// The status of a session, for tests of the page.
import { AGENT_LIMITS, type Status } from '@svc/contracts/agent';

const AVAILABLE = { available: true };

/** Returns the status of a session before Start, changed by `more`. */
export function statusWith(more: Partial<Status> = {}): Status {
  return {
    state: 'inactive',
    capabilities: {
      capture: AVAILABLE,
      pss: AVAILABLE,
      frames: AVAILABLE,
      stacks: AVAILABLE,
      files: AVAILABLE,
      keyring: AVAILABLE,
      analysis_offline: AVAILABLE,
      analysis_provider: { available: true, providers: [] },
    },
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    trace: null,
    metric: null,
    probes: [],
    recovered: [],
    launched: false,
    busy_child: null,
    ended: null,
    started_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T08:00:00.000Z',
    version: '0.1.0',
    limits: AGENT_LIMITS,
    ...more,
  };
}

/** Returns the agent's trace as in its status. */
export function summaryWith(
  more: Partial<NonNullable<Status['trace']>> = {},
): NonNullable<Status['trace']> {
  return {
    id: 'agent-1',
    name: 'game.vpt',
    origin: 'capture',
    path: '/data/game.vpt.partial',
    sources: ['native'],
    started_at: '2026-01-01T00:00:00.000Z',
    records: 10,
    assets: 0,
    bytes: 1000,
    duration_ms: 500,
    partial: true,
    truncated: false,
    torn_bytes: 0,
    notes_revision: 0,
    ...more,
  };
}
