// The info of an open trace, for tests of the page.
import type { TraceInfo } from '../src/client/trace-calls.ts';

export function infoWith(more: Partial<TraceInfo> = {}): TraceInfo {
  return {
    id: 'agent-1',
    name: 'game.vpt',
    origin: 'agent',
    format: 'vpt',
    producer: 'test 1',
    target: null,
    build: null,
    gpu: null,
    machine: null,
    sources: ['browser'],
    startedAt: null,
    records: 1,
    counts: { frames: 1 },
    notes: [],
    bytes: 1000,
    compressed: false,
    durationMs: 5000,
    partial: false,
    truncated: null,
    leftOutSamples: 0,
    endReason: null,
    tornBytes: 0,
    skipped: [],
    skippedLines: 0,
    twoWeights: false,
    revision: 1,
    ...more,
  };
}
