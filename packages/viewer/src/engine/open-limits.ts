// What one page opens at most: beyond it the browser would end the page instead of saying so.
import type { TreeRoom } from '@svc/trace';
import { formatBytes, formatCount } from '../format/numbers.ts';

/** A trace that is more than this page can show; the message says how much, and how much it could be. */
export class TooBig extends Error {}

/** Bounds of one opened trace. */
export type OpenLimits = {
  /** Of the file, or of what the agent sends. */
  readonly bytes: number;
  /** Records that are kept one by one: assets, long tasks, spans, marks, logs, losses. */
  readonly records: number;
  /** Of all its call trees together; what has no room is left out and told. */
  readonly nodes: number;
  /** That its records of stacks define, needed by a sample or not. */
  readonly definedNodes: number;
};

export const OPEN_LIMITS: OpenLimits = {
  bytes: 4 * 1024 ** 3,
  records: 8_000_000,
  nodes: 33_554_432,
  definedNodes: 134_217_728,
};

/** Throws TooBig. */
export function checkBytes(bytes: number, limits: OpenLimits): void {
  if (bytes <= limits.bytes) return;
  throw new TooBig(
    `It has ${formatBytes(bytes)}; this page opens up to ${formatBytes(limits.bytes)}`,
  );
}

/** Throws TooBig. */
export function checkRecords(records: number, limits: OpenLimits): void {
  if (records <= limits.records) return;
  const most = formatCount(limits.records);
  throw new TooBig(
    `It has more than the ${most} assets, spans, marks and logs that this page holds`,
  );
}

/** Throws TooBig. */
export function checkDefinedNodes(nodes: number, limits: OpenLimits): void {
  if (nodes <= limits.definedNodes) return;
  const most = formatCount(limits.definedNodes);
  throw new TooBig(`Its stacks define more than the ${most} nodes that this page holds`);
}

/** Where a stack leaves the tree it needs a node that says so: an eighth more than the tree itself has. */
export function treeRoom({ nodes }: OpenLimits): TreeRoom {
  return { nodes, leftOut: Math.ceil(nodes / 8) };
}

/** What an allocation that failed comes to: how much was read until then. */
export function outOfMemory(bytes: number): TooBig {
  return new TooBig(
    `The browser gives this page no more memory: it ran out after ${formatBytes(bytes)}`,
  );
}
