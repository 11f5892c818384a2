// All calls that the worker answers. Each folder declares the arguments and results of its own calls.
import type { TraceCalls } from '../client/trace-calls.ts';
import type { AnalysisCalls } from '../views/analysis/derive-analysis.ts';
import type { AssetCalls } from '../views/assets/report-assets.ts';
import type { BoundsCalls } from '../views/bounds/derive-bounds.ts';
import type { CompareCalls } from '../views/compare/derive-headline.ts';
import type { FrameCalls } from '../views/frames/derive-frames.ts';
import type { MemoryCalls } from '../views/memory/derive-memory.ts';
import type { MomentCalls } from '../views/moment/derive-moment.ts';
import type { OverviewCalls } from '../views/overview/derive-overview.ts';
import type { StackCalls } from '../views/stacks/stack-calls.ts';
import type { TimelineCalls } from '../views/timeline/timeline-data.ts';

export type Calls = TraceCalls &
  TimelineCalls &
  FrameCalls &
  BoundsCalls &
  StackCalls &
  AssetCalls &
  AnalysisCalls &
  MemoryCalls &
  MomentCalls &
  OverviewCalls &
  CompareCalls;

export type CallName = keyof Calls;
