// Traces for the viewer's tests: a deterministic trace with all kinds of records.
import { formatHeader, formatRecord, type KnownRecord, type TraceRecord } from '@svc/trace';

/** Options of the sample. */
export type SampleOptions = {
  readonly seconds?: number;
  /** One frame in this number is long. */
  readonly hitchEvery?: number;
  /** Without its clean end. */
  readonly partial?: boolean;
};

const FUNCTIONS = [
  'update',
  'render',
  'physics',
  'upload_texture',
  'decode',
  'gc',
  'animate',
  'mix',
  'cull',
  'sort',
];

/** `.vpt` text from a browser and an agent: samples, frames, long tasks, assets, marks, spans, counters, stacks, losses. */
export function sampleTrace({
  seconds = 60,
  hitchEvery = 97,
  partial = false,
}: SampleOptions = {}): string {
  const next = random(42);
  const lines = [
    formatHeader({
      vpt: 1,
      producer: { name: 'sample', version: '1.0.0' },
      started_at: '2026-11-20T10:00:00.000Z',
      sources: ['native', 'browser'],
      target: { pid: 4711, name: 'moonhop', started_at: '2026-11-20T09:59:58.000Z' },
    }),
  ];
  const put = (record: TraceRecord): void => {
    if (record.type !== 'unknown') lines.push(formatRecord(record));
  };
  let firstName = 0;
  let firstNode = 0;
  for (let second = 0; second < seconds; second++) {
    const t = second * 1000;
    put(processRecord(t, second, next));
    for (const record of framesOf(t, second, hitchEvery, next)) put(record);
    if (second % 3 === 1) for (const record of assetsOf(t, second)) put(record);
    if (second % 10 === 4)
      put({ type: 'mark', t: t + 200, source: 'browser', name: `wave ${second}` });
    if (second % 10 === 6) {
      const text = `texture cache missed ${second} times`;
      put({ type: 'log', t: t + 440, source: 'browser', level: 'warn', text });
    }
    if (second % 7 === 2) {
      const duration_ms = 300 + Math.round(next() * 500);
      put({
        type: 'span',
        t: t + 100,
        source: 'browser',
        duration_ms,
        name: `level part ${second}`,
        track: 'Levels',
      });
    }
    const heap = 40e6 + Math.round(12e6 * Math.abs(Math.sin(second / 4)));
    put({
      type: 'counter',
      t,
      source: 'browser',
      name: 'js_heap_bytes',
      unit: 'bytes',
      value: heap,
    });
    const stacks = stacksOf(t, second, firstName, firstNode, next);
    firstName += stacks.names.length;
    firstNode += stacks.parents.length;
    put(stacks);
  }
  put({ type: 'loss', t: 20_000, source: 'native', reason: 'late_sampler', duration_ms: 2500 });
  put({
    type: 'loss',
    t: 40_000,
    source: 'browser',
    reason: 'hidden_tab',
    duration_ms: 3000,
    count: 180,
  });
  if (!partial) put({ type: 'end', t: seconds * 1000, reason: 'off' });
  return lines.join('');
}

function processRecord(t: number, second: number, next: () => number): TraceRecord {
  const rss_bytes = Math.round(180e6 + second * 1.1e6 + 8e6 * Math.sin(second / 5));
  return {
    type: 'process',
    t,
    source: 'native',
    ...(second > 0 && {
      cpu_percent: Math.round((60 + 35 * Math.sin(second / 6) + next() * 10) * 10) / 10,
    }),
    rss_bytes,
    pss_bytes: Math.round(rss_bytes * 0.86),
    threads: 14,
  };
}

function framesOf(
  t: number,
  second: number,
  hitchEvery: number,
  next: () => number,
): TraceRecord[] {
  const duration_ms: number[] = [];
  const records: TraceRecord[] = [];
  let at = t;
  for (let frame = 0; at < t + 990; frame++) {
    const number = second * 60 + frame;
    const hitch = number % hitchEvery === hitchEvery - 1;
    const ms = hitch
      ? 38 + Math.round(next() * 60)
      : Math.round((15.6 + next() * 1.6) * 1000) / 1000;
    if (hitch) {
      const scripts = [{ name: 'https://game.example/main.js:update', duration_ms: ms - 8 }];
      records.push({
        type: 'longtask',
        t: Math.round(at),
        source: 'browser',
        duration_ms: ms - 4,
        blocking_ms: Math.max(0, ms - 54),
        scripts,
      });
    }
    duration_ms.push(ms);
    at += ms;
  }
  const gpu_ms = duration_ms.map((ms) => Math.round(Math.min(ms, 40) * 400) / 1000);
  const draws = duration_ms.map((_, frame) => 300 + second + (frame % 7));
  const triangles = draws.map((calls) => calls * 900);
  return [
    { type: 'frames', t, source: 'browser', duration_ms, gpu_ms, draws, triangles },
    ...records,
  ];
}

function assetsOf(t: number, second: number): TraceRecord[] {
  const kinds = ['texture', 'mesh', 'audio', 'shader', 'data'] as const;
  const kind = kinds[second % kinds.length] ?? 'other';
  const common = {
    source: 'browser',
    id: `${kind}-${second}`,
    name: `${kind}s/${['rock', 'tree', 'hero', 'sky'][second % 4]}_${second}.bin`,
    kind,
  } as const;
  return [
    {
      type: 'asset',
      t: t + 10,
      ...common,
      phase: 'load',
      duration_ms: 40 + second,
      transfer_bytes: 120_000 + second * 900,
      encoded_bytes: 119_000,
    },
    {
      type: 'asset',
      t: t + 80,
      ...common,
      phase: 'decode',
      duration_ms: 12,
      main_thread_ms: 6,
      bytes: 2_000_000 + second * 40_000,
    },
    {
      type: 'asset',
      t: t + 120,
      ...common,
      phase: 'upload',
      duration_ms: 9,
      main_thread_ms: 9,
      ...(kind === 'texture' && {
        gpu_bytes: 4_194_304 + second * 1024,
        dims: [1024, 1024],
        format: 'rgba8',
      }),
    },
  ];
}

function stacksOf(
  t: number,
  second: number,
  first_name: number,
  first_node: number,
  next: () => number,
) {
  const names = second === 0 ? ['main', 'loop', ...FUNCTIONS] : [];
  const parents: number[] = [];
  const node_names: number[] = [];
  const categories: string[] = [];
  const add = (parent: number, name: number, category = ''): number => {
    parents.push(parent);
    node_names.push(name);
    categories.push(category);
    return first_node + parents.length - 1;
  };
  const samples: { node: number[]; weight: number[] } = { node: [], weight: [] };
  const loop = add(add(-1, 0), 1);
  for (let i = 0; i < 12; i++) {
    let node = loop;
    for (let depth = 0; depth < 2 + Math.floor(next() * 6); depth++) {
      const kind = next();
      node = add(
        node,
        2 + Math.floor(next() * next() * FUNCTIONS.length),
        kind < 0.1 ? 'kernel' : kind < 0.2 ? 'jit' : kind < 0.25 ? 'inlined' : '',
      );
    }
    samples.node.push(node);
    samples.weight.push(1 + Math.floor(next() * 9));
  }
  return {
    type: 'stacks',
    t,
    source: 'native',
    duration_ms: 1000,
    first_name,
    names,
    first_node,
    parents,
    node_names,
    categories,
    samples,
    unit: 'samples',
  } as const;
}

/** `lines` deterministic folded stacks with many distinct paths. */
export function sampleFolded(lines: number, seed = 7): string {
  const next = random(seed);
  const text: string[] = [];
  for (let i = 0; i < lines; i++) {
    const frames = ['main', 'loop'];
    for (let depth = 0; depth < 2 + Math.floor(next() * 14); depth++) {
      const name = `${FUNCTIONS[Math.floor(next() * FUNCTIONS.length)]}_${Math.floor(next() * next() * 40)}`;
      const kind = next();
      frames.push(
        kind < 0.06
          ? `${name}_[k]`
          : kind < 0.12
            ? `${name}_[j]`
            : kind < 0.15
              ? `${name}_[i]`
              : name,
      );
    }
    text.push(`${frames.join(';')} ${1 + Math.floor(next() * 40)}`);
  }
  return `${text.join('\n')}\n`;
}

/** A generator of numbers from 0 to 1 with a seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** `.vpt` text of a browser with only these records, without a clean end. */
export function traceText(...records: KnownRecord[]): string {
  const header = formatHeader({
    vpt: 1,
    producer: { name: 'sample', version: '1.0.0' },
    started_at: null,
    sources: ['browser'],
  });
  return header + records.map(formatRecord).join('');
}
