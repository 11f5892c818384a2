// The time from a model in memory to the overview of a trace: an hour at 60 fps with stacks, assets and memory. Prints the time as
// it is on this machine, its ratio to the time that reading the same trace takes, and the aim of 500 ms.
//
//   npm run bench -- overview
//   SVC_BENCH_ROUNDS=1 npm run bench -- overview      once instead of the median of seven
import { formatHeader, formatKnownRecord, type KnownRecord } from '@svc/trace/write';
import {
  modelOf,
  overviewOf,
  type TraceModel,
  TraceModelBuilder,
  traceBounds,
  VptReader,
  verdictOf,
} from '../packages/trace/src/index.ts';
import { percentile } from './collector/percentile.ts';

const SECONDS = 3600;
const SAMPLES_PER_SECOND = 400;
const NODES = 3000;
const NAMES = 800;
const AIM_MS = 500;
const ROUNDS = Number(process.env['SVC_BENCH_ROUNDS'] ?? 7);

function main(): void {
  const lines = hour();
  const reads: number[] = [];
  const overviews: number[] = [];
  let model: TraceModel | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    model = read(lines);
    const built = performance.now();
    overviewOf(model, { bounds: traceBounds(model) });
    reads.push(built - start);
    overviews.push(performance.now() - built);
  }
  const [read_ms, overview_ms] = [median(reads), median(overviews)];
  const megabytes = lines.reduce((sum, line) => sum + line.length, 0) / 1e6;
  console.log(
    `${megabytes.toFixed(0)} MB, Node ${process.version}, median of ${ROUNDS}: reading ${read_ms.toFixed(0)} ms, overview ${overview_ms.toFixed(0)} ms, ratio ${(overview_ms / read_ms).toFixed(2)}`,
  );
  console.log(
    `aim ${AIM_MS} ms: ${overview_ms <= AIM_MS ? 'met' : 'missed'} on this machine; first round ${overviews[0]?.toFixed(0)} ms`,
  );
  console.log(verdictOf(overviewOf(model ?? modelOf(''))).headline);
}

function read(lines: readonly Uint8Array[]): TraceModel {
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  for (const line of lines) reader.push(line);
  reader.finish();
  return builder.snapshot();
}

/** An hour in which one frame of a hundred is slow. */
function hour(): Uint8Array[] {
  const encoder = new TextEncoder();
  const header = formatHeader({
    ...{ vpt: 1, started_at: null, sources: ['browser'] },
    producer: { name: 'svc bench', version: '1' },
  });
  const random = randomFrom(7);
  const records: KnownRecord[] = [];
  for (let second = 0; second < SECONDS; second++) {
    const t = second * 1000;
    records.push(framesOf(t, random), stacksOf(t, random));
    records.push({ type: 'counter', t, name: 'js_heap_bytes', unit: 'bytes', value: 5e7 + t });
    if (second % 3 === 0) {
      const work = { main_thread_ms: 20, gpu_bytes: 1e6 };
      const about = { name: `tex${second}.png`, kind: 'texture', phase: 'upload' } as const;
      records.push({ type: 'asset', t: t + 100, id: second, ...about, ...work });
    }
    if (second % 60 === 0) {
      records.push({ type: 'span', t, duration_ms: 8000, name: 'load level', track: 'loading' });
    }
  }
  records.push({ type: 'end', t: SECONDS * 1000, reason: 'stopped' });
  return [header, ...records.map(formatKnownRecord)].map((line) => encoder.encode(line));
}

function framesOf(t: number, random: () => number): KnownRecord {
  const duration_ms: number[] = [];
  const main_ms: number[] = [];
  for (let left = 1000; left > 0; ) {
    const isSlow = random() < 0.01;
    const duration = Math.min(left, isSlow ? 30 + Math.floor(random() * 100) : 16);
    duration_ms.push(duration);
    main_ms.push(isSlow ? Math.max(0, duration - 2) : Math.min(6, duration));
    left -= duration;
  }
  return { type: 'frames', t, duration_ms, main_ms };
}

function stacksOf(t: number, random: () => number): KnownRecord {
  const isFirst = t === 0;
  const at = Array.from({ length: SAMPLES_PER_SECOND }, (_, i) => (i * 1000) / SAMPLES_PER_SECOND);
  const nodes = Array.from({ length: NODES }, (_, i) => i);
  return {
    ...{ type: 'stacks', t, duration_ms: 1000, unit: 'ms', scale: 1000 },
    first_name: isFirst ? 0 : NAMES,
    names: isFirst ? Array.from({ length: NAMES }, (_, i) => `fn${i} game.js:${i}`) : [],
    first_node: isFirst ? 0 : NODES,
    parents: isFirst ? nodes.map((i) => (i === 0 ? -1 : Math.floor(random() * i * 0.9))) : [],
    node_names: isFirst ? nodes.map((i) => i % NAMES) : [],
    categories: isFirst ? nodes.map((i) => (i === 0 ? 'main' : 'js')) : [],
    samples: {
      node: at.map(() => 1 + Math.floor(random() * (NODES - 1))),
      weight: at.map(() => 900),
      at_ms: at,
    },
  };
}

/** A linear congruential generator, so that each run has the same trace. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

main();
