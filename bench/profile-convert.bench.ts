// Converts a Chrome trace of 200 MB to `.vpt`, compared with a plain JSON.parse of the same file: time and peak memory. The
// programs run in turns, each in a process of its own.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConverter } from '../packages/trace/src/index.ts';

const BYTES = 200e6;
const ROUNDS = 5;
const CHUNK_BYTES = 1024 * 1024;

type Measured = { readonly ms: number; readonly rssMib: number };

const WAYS = {
  'svc trace convert': convert,
  'JSON.parse': (file: string): number => JSON.parse(readFileSync(file, 'utf8')).traceEvents.length,
} as const;
type Way = keyof typeof WAYS;

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-profile-'));
  try {
    const file = join(folder, 'trace.json');
    writeTrace(file);
    const names = Object.keys(WAYS) as Way[];
    const runs = new Map<Way, Measured[]>(names.map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of names) runs.get(name)?.push(measure(name, file));
    }
    report(runs, statSync(file).size);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Events in the proportions of a recording of the Performance panel: mostly tasks, then frames, calls and chunks of samples. */
function writeTrace(file: string): void {
  const out = openSync(file, 'w');
  const base = { pid: 11402, tid: 11402, tts: 76053 };
  const thread = {
    name: 'thread_name',
    ph: 'M',
    pid: 11402,
    tid: 11402,
    ts: 0,
    args: { name: 'CrRendererMain' },
  };
  const start = {
    name: 'Profile',
    ph: 'P',
    id: '0x1',
    ts: 0,
    ...base,
    args: { data: { startTime: 0 } },
  };
  let bytes = writeSync(
    out,
    `{"traceEvents":[${JSON.stringify(thread)},\n${JSON.stringify(start)}`,
  );
  for (let i = 0; bytes < BYTES; i++) {
    const ts = i * 16_667;
    const data = {
      frame: 'EDFAFB87406CB69B2ED58D7C9AAB64BD',
      id: i,
      sampleTraceId: 8361329301781907,
    };
    const call = {
      ...data,
      functionName: `update${i % 400}`,
      lineNumber: i % 900,
      columnNumber: 15,
      url: 'https://example.com/assets/game.js',
    };
    const events = [
      ...Array.from({ length: 40 }, (_, k) => ({
        args: { src_file: 'base/task/sequence_manager.cc', src_func: 'PostDelayedTask' },
        cat: 'toplevel',
        dur: 300,
        name: 'RunTask',
        ph: 'X',
        ts: ts + k * 400,
        ...base,
      })),
      {
        args: { data },
        cat: 'devtools.timeline',
        dur: 2043,
        name: 'FireAnimationFrame',
        ph: 'X',
        ts,
        ...base,
      },
      {
        args: { data: call },
        cat: 'devtools.timeline',
        dur: 1969,
        name: 'FunctionCall',
        ph: 'X',
        ts,
        ...base,
      },
      {
        args: { data: { ...sampled(i), lines: Array(80).fill(i % 900) } },
        cat: 'v8',
        id: '0x1',
        name: 'ProfileChunk',
        ph: 'P',
        ts,
        ...base,
      },
    ];
    bytes += writeSync(out, events.map((event) => `,\n${JSON.stringify(event)}`).join(''));
  }
  writeSync(out, ']}');
  closeSync(out);
}

function sampled(i: number) {
  const callFrame = {
    functionName: `update${i}`,
    url: 'https://example.com/assets/game.js',
    lineNumber: i % 5000,
    columnNumber: i % 90,
    scriptId: 4,
    codeType: 'JS',
  };
  const node = { id: i + 1, callFrame, ...(i % 20 > 0 && { parent: i }) };
  const samples = Array.from({ length: 80 }, (_, k) => Math.max(1, i + 1 - (k % 7)));
  return {
    cpuProfile: { nodes: [node], samples },
    timeDeltas: samples.map((_, k) => 190 + (k % 30)),
  };
}

function convert(file: string): number {
  let characters = 0;
  const converter = openConverter('chrome', (text) => {
    characters += text.length;
  });
  const input = openSync(file, 'r');
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let got = readSync(input, buffer); got > 0; got = readSync(input, buffer)) {
    converter.push(buffer.subarray(0, got));
  }
  closeSync(input);
  converter.finish();
  return characters;
}

function measure(name: Way, file: string): Measured {
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, name, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${name} failed`);
  return JSON.parse(stdout);
}

function report(runs: ReadonlyMap<Way, readonly Measured[]>, bytes: number): void {
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const all = [...runs].map(([name, list]) => ({
    name,
    ms: median(list.map(({ ms }) => ms)),
    rss: median(list.map(({ rssMib }) => rssMib)),
  }));
  const base = all.at(-1);
  for (const { name, ms, rss } of all) {
    const time = `${(ms / (base?.ms ?? Number.NaN)).toFixed(2)} × the time`;
    const memory = `${(rss / (base?.rss ?? Number.NaN)).toFixed(2)} × the memory of ${base?.name}`;
    console.log(
      `${name.padEnd(18)} ${ms.toFixed(0)} ms, ${rss.toFixed(0)} MiB: ${time}, ${memory}`,
    );
  }
  console.log(
    `${(bytes / 1e6).toFixed(0)} MB, Node ${process.version}, median of ${ROUNDS} rounds`,
  );
}

const [name, file] = process.argv.slice(2);
if (name === undefined || file === undefined) main();
else {
  const began = performance.now();
  WAYS[name as Way](file);
  const ms = performance.now() - began;
  console.log(
    JSON.stringify({ ms, rssMib: process.resourceUsage().maxRSS / 1024 } satisfies Measured),
  );
}
