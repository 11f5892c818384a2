// Builds traces for tests from records: a model, or the bytes of a `.vpt` file.
import { type Header, type TraceModel, TraceModelBuilder, type TraceRecord } from '@svc/trace';

const HEADER: Header = {
  vpt: 1,
  producer: { name: 'test', version: '1' },
  started_at: null,
  sources: ['browser'],
};

/** Returns the model of these records. A record without a source has the source `browser`. */
export function modelOf(...records: readonly TraceRecord[]): TraceModel {
  const builder = new TraceModelBuilder();
  builder.header(HEADER);
  for (const record of records) builder.record(record);
  return builder.snapshot();
}

/** Returns the same records as a `.vpt` file. */
export function vptOf(...records: readonly TraceRecord[]): string {
  return [HEADER, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Returns samples of a call tree, one per millisecond and group: `t`, and the path and weight of each. */
export function stacksAt(
  t: number,
  duration_ms: number,
  samples: readonly (readonly [path: string, weight: number])[],
  known: { names: string[]; nodes: string[] } = { names: [], nodes: [] },
): TraceRecord {
  const first_name = known.names.length;
  const first_node = known.nodes.length;
  const parents: number[] = [];
  const node_names: number[] = [];
  const node: number[] = [];
  for (const [path] of samples) {
    const frames = path.split(';');
    for (const [depth, name] of frames.entries()) {
      const key = frames.slice(0, depth + 1).join(';');
      if (known.nodes.includes(key)) continue;
      if (!known.names.includes(name)) known.names.push(name);
      parents.push(known.nodes.indexOf(frames.slice(0, depth).join(';')));
      node_names.push(known.names.indexOf(name));
      known.nodes.push(key);
    }
    node.push(known.nodes.indexOf(path));
  }
  return {
    type: 'stacks',
    t,
    duration_ms,
    first_name,
    names: known.names.slice(first_name),
    first_node,
    parents,
    node_names,
    samples: { node, weight: samples.map(([, weight]) => weight) },
    unit: 'ms',
  };
}
