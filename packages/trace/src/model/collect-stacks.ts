// Collects the stacks records of one source: its tables, and a tree with sample times for each unit.

import { Float64List, Int32List } from '../bytes/growable.ts';
import type { Source, StacksRecord } from '../format/records.ts';
import { TreeBuilder, type TreeRoom } from '../stacks/build-tree.ts';
import {
  decimalsOf,
  type Exact,
  ExactColumn,
  exactOf,
  powerOfTen,
  times,
} from '../stacks/exact-column.ts';
import { FrameTable, suffixOf } from '../stacks/frame-table.ts';
import type { StackTree } from '../stacks/stack-tree.ts';
import { type SampleTimes, TIME_UNIT } from '../stacks/weigh-window.ts';
import type { Stacks } from './trace-model.ts';

/** Samples of one unit, in file order. */
type UnitSamples = {
  readonly tree: TreeBuilder;
  /** Node of the file → node of this tree; −1 until a sample uses it. */
  readonly nodeOf: Int32List;
  readonly t: Float64List;
  readonly duration: Float64List;
  readonly first: Int32List;
  readonly node: Int32List;
  /** The time of each sample, or NaN. */
  readonly at: Float64List;
  readonly weights: Exact[];
  readonly decimals: Int32List;
};

export class StackCollector {
  readonly #source: Source;
  readonly #room: TreeRoom | null;
  readonly #frames = new FrameTable();
  readonly #names: string[] = [];
  readonly #parents = new Int32List();
  /** Node of the file → frame. */
  readonly #nodeFrames = new Int32List();
  readonly #frameIds = new Map<string, number>();
  readonly #units = new Map<string, UnitSamples>();

  constructor(source: Source, room: TreeRoom | null) {
    this.#source = source;
    this.#room = room;
  }

  /** Adds a record that the reader has checked. */
  take(record: StacksRecord): void {
    for (const name of record.names) this.#names.push(name);
    for (let i = 0; i < record.parents.length; i++) {
      this.#parents.push(record.parents[i] ?? -1);
      const name = this.#names[record.node_names[i] ?? 0] ?? '';
      this.#nodeFrames.push(this.#frame(name + suffixOf(record.categories?.[i] ?? '')));
    }
    this.#takeSamples(record);
  }

  /** The trees so far, one per unit, with samples in time order. `hasFrames` is whether the source has frames. */
  finish(hasFrames: boolean): Stacks[] {
    const main_only = hasFrames || this.#source !== 'native';
    return [...this.#units].map(([unit, samples]) => {
      const tree = samples.tree.finish(unit);
      return { source: this.#source, tree, times: sortedTimes(samples, tree), main_only };
    });
  }

  #frame(text: string): number {
    const known = this.#frameIds.get(text);
    if (known !== undefined) return known;
    const id = this.#frames.internText(text);
    this.#frameIds.set(text, id);
    return id;
  }

  #takeSamples(record: StacksRecord): void {
    const unit = this.#units.get(record.unit) ?? newUnit(this.#frames, this.#room);
    this.#units.set(record.unit, unit);
    const decimals = decimalsOf(record.scale);
    const { node, weight, before, at_ms } = record.samples;
    const isTime = record.unit === TIME_UNIT;
    let duration = record.duration_ms ?? 0;
    unit.t.push(record.t);
    unit.first.push(unit.node.length);
    for (let i = 0; i < node.length; i++) {
      const leaf = this.#treeNode(unit, node[i] ?? 0);
      const value = exactOf(weight[i] ?? 0);
      const earlier = before?.[i];
      if (earlier === undefined) unit.tree.add(leaf, value, decimals);
      else unit.tree.add(leaf, value, decimals, exactOf(earlier), decimals);
      const offset = at_ms?.[i] ?? Number.NaN;
      const lasts = isTime ? Math.max(0, Number(value) / 10 ** decimals) : 0;
      if (offset + lasts > duration) duration = offset + lasts;
      unit.at.push(record.t + offset);
      unit.node.push(leaf);
      unit.weights.push(value);
      unit.decimals.push(decimals);
    }
    unit.duration.push(duration);
  }

  /** The tree node of a file node. Adds the missing nodes of its path, without recursion. */
  #treeNode(unit: UnitSamples, fileNode: number): number {
    const { nodeOf, tree } = unit;
    while (nodeOf.length < this.#parents.length) nodeOf.push(-1);
    const way: number[] = [];
    let at = fileNode;
    while (at >= 0 && nodeOf.values[at] === -1) {
      way.push(at);
      at = this.#parents.values[at] ?? -1;
    }
    let node = at < 0 ? -1 : (nodeOf.values[at] ?? -1);
    for (let step = way.pop(); step !== undefined; step = way.pop()) {
      node = tree.child(node, this.#nodeFrames.values[step] ?? 0);
      nodeOf.values[step] = node;
    }
    return node;
  }
}

function newUnit(frames: FrameTable, room: TreeRoom | null): UnitSamples {
  return {
    tree: new TreeBuilder(frames, room),
    nodeOf: new Int32List(),
    t: new Float64List(),
    duration: new Float64List(),
    first: new Int32List(),
    node: new Int32List(),
    at: new Float64List(),
    weights: [],
    decimals: new Int32List(),
  };
}

function sortedTimes(samples: UnitSamples, { decimals, unit }: StackTree): SampleTimes {
  const groups = samples.t.length;
  const t = samples.t.trimmed();
  const order = Array.from(t.keys()).sort((a, b) => (t[a] ?? 0) - (t[b] ?? 0));
  const first = new Int32Array(groups + 1);
  const node = new Int32Array(samples.node.length);
  const weight = new ExactColumn(samples.node.length);
  const at_ms = new Float64Array(samples.node.length);
  let timed = false;
  let at = 0;
  for (const [position, group] of order.entries()) {
    first[position] = at;
    const end = group + 1 < groups ? (samples.first.values[group + 1] ?? 0) : samples.node.length;
    for (let i = samples.first.values[group] ?? 0; i < end; i++, at++) {
      node[at] = samples.node.values[i] ?? 0;
      at_ms[at] = samples.at.values[i] ?? Number.NaN;
      timed ||= !Number.isNaN(at_ms[at]);
      const factor = powerOfTen(decimals - (samples.decimals.values[i] ?? 0));
      weight.set(at, times(samples.weights[i] ?? 0, factor));
    }
  }
  first[groups] = at;
  return {
    t: Float64Array.from(order, (group) => t[group] ?? 0),
    duration_ms: Float64Array.from(order, (group) => samples.duration.values[group] ?? 0),
    first,
    node,
    weight,
    at_ms: timed ? at_ms : null,
    weight_per_ms: unit === TIME_UNIT ? 10 ** decimals : null,
  };
}
