// Limits of what one page opens. Beyond them the browser would end the page without a message.
import type { TreeRoom } from '@svc/trace';
import { formatBytes, formatCount } from '../format/numbers.ts';

/** A trace exceeds a limit. The message states its size and the limit. */
export class TooBigError extends Error {}

/** The limits of one open trace. */
export type OpenLimits = {
  /** The size of the file, or of the agent's trace. */
  readonly bytes: number;
  /** Records that are stored individually: assets, long tasks, spans, marks, logs, losses. */
  readonly records: number;
  /** Nodes of all its call trees together. Deeper frames are left out and counted. */
  readonly nodes: number;
  /** Nodes that its stack records define, whether a sample uses them or not. */
  readonly definedNodes: number;
};

export const OPEN_LIMITS: OpenLimits = {
  bytes: 4 * 1024 ** 3,
  records: 8_000_000,
  nodes: 33_554_432,
  definedNodes: 134_217_728,
};

/** Throws TooBigError. */
export function checkBytes(bytes: number, limits: OpenLimits): void {
  if (bytes <= limits.bytes) return;
  throw new TooBigError(
    `Its size is ${formatBytes(bytes)}, and this page opens at most ${formatBytes(limits.bytes)}`,
  );
}

/** Throws TooBigError. */
export function checkRecords(records: number, limits: OpenLimits): void {
  if (records <= limits.records) return;
  const most = formatCount(limits.records);
  throw new TooBigError(
    `It has more assets, spans, marks and logs than this page can hold (${most})`,
  );
}

/** Throws TooBigError. */
export function checkDefinedNodes(nodes: number, limits: OpenLimits): void {
  if (nodes <= limits.definedNodes) return;
  const most = formatCount(limits.definedNodes);
  throw new TooBigError(`Its stacks define more nodes than this page can hold (${most})`);
}

/** Returns the room for a call tree. A stack that is cut needs an extra node, so there is room for an eighth more. */
export function treeRoom({ nodes }: OpenLimits): TreeRoom {
  return { nodes, leftOut: Math.ceil(nodes / 8) };
}

/** The error for a failed allocation, with the number of bytes that were read until then. */
export function outOfMemory(bytes: number): TooBigError {
  return new TooBigError(`The browser ran out of memory for this page after ${formatBytes(bytes)}`);
}
