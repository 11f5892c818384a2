// The viewer compared with speedscope in the same Chromium: time to the first flame graph and peak memory for the same folded
// file. Then the main-thread work of panning with a million boxes, and the frames while the crosshair moves over an hour of
// frames. Prints ratios.
//
//   npm run bench -- viewer                               25 MB, 250 MB, panning, the crosshair
//   SVC_BENCH_VIEWER=250,pan npm run bench -- viewer      a part of it
//   SVC_BENCH_RUNS=1 npm run bench -- viewer              once each instead of the best of three
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { finished } from 'node:stream/promises';
import { readViewer, startAgent } from '@svc/agent';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BROWSER_ARGS, findBrowser } from '../scripts/find-browser.ts';
import { ROOT } from '../scripts/workspaces.ts';

const MB = 1_000_000;
const RUNS = Number(process.env['SVC_BENCH_RUNS'] ?? 3);
const SPEEDSCOPE = join(ROOT, 'bench/node_modules/speedscope');

/** The result of opening a file. */
type Outcome = { readonly ms: number; readonly peakMb: number };

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const { version } = JSON.parse(await readFile(join(SPEEDSCOPE, 'package.json'), 'utf8'));
    console.log(`speedscope ${version}, Chromium at ${findBrowser()}, best of ${RUNS}`);
    const parts = (process.env['SVC_BENCH_VIEWER'] ?? '25,250,pan,crosshair').split(',');
    for (const size of parts.map(Number).filter(Boolean)) {
      const file = join(folder, `stacks-${size}.folded`);
      await writeFolded(file, size * MB);
      const peer = await best(() => withSpeedscope((page, url) => openIn(page, url, file, PEER)));
      const ours = await best(() =>
        withViewer(folder, (page, url) => openIn(page, url, file, OURS)),
      );
      console.log(
        `${size} MB: first flame graph ${line(peer.ms, ours.ms, 'ms')}; peak memory ${line(peer.peakMb, ours.peakMb, 'MB')}`,
      );
    }
    if (parts.includes('pan')) await panMillion(folder);
    if (parts.includes('crosshair')) await moveCrosshair(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function line(peer: number, ours: number, unit: string): string {
  return `speedscope ${peer.toFixed(0)} ${unit}, ours ${ours.toFixed(0)} ${unit}, ratio ${(peer / ours).toFixed(2)}`;
}

async function best(run: () => Promise<Outcome>): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < RUNS; i++) outcomes.push(await run());
  return {
    ms: Math.min(...outcomes.map((one) => one.ms)),
    peakMb: Math.min(...outcomes.map((one) => one.peakMb)),
  };
}

/** How a program opens a file, and how to detect that its flame graph is visible. */
type Program = { readonly input: (page: Page) => Promise<void>; readonly ready: string };

const OURS: Program = {
  input: (page) => page.getByRole('button', { name: 'Open…', exact: true }).click(),
  // The legend appears with the response after which the same worker draws at once.
  ready: '.legend li',
};
const PEER: Program = {
  input: (page) => page.getByText('Browse', { exact: true }).click(),
  ready: 'text=Left Heavy',
};

async function openIn(page: Page, url: string, file: string, program: Program): Promise<Outcome> {
  await page.goto(url);
  await page.waitForTimeout(500);
  const chooser = page.waitForEvent('filechooser');
  await program.input(page);
  const memory = watchMemory(await browserProcess(page));
  const start = performance.now();
  await (await chooser).setFiles(file);
  await page.waitForSelector(program.ready, { timeout: 300_000 });
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  const ms = performance.now() - start;
  return { ms, peakMb: memory.stop() / MB };
}

async function withSpeedscope<T>(use: (page: Page, url: string) => Promise<T>): Promise<T> {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
  };
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
    const body = await readFile(join(SPEEDSCOPE, 'dist/release', path)).catch(() => null);
    response.writeHead(body === null ? 404 : 200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
    });
    response.end(body ?? undefined);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    return await withPage((page) => use(page, `http://127.0.0.1:${port}/index.html`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function withViewer<T>(
  folder: string,
  use: (page: Page, url: string) => Promise<T>,
): Promise<T> {
  const agent = await startAgent({
    viewer: () => readViewer(join(ROOT, 'packages/viewer/dist')),
    port: 0,
    pid: null,
    startTicks: null,
    program: null,
    launched: false,
    start: false,
    file: null,
    dataDir: join(folder, 'data'),
    ttlMs: 3_600_000,
    storageCapBytes: 2 ** 31,
    importLimitBytes: 2 ** 31,
    pssIntervalMs: 1000,
    probes: [],
    follow: null,
    providerUrl: null,
    env: {},
    version: '0.0.0-bench',
  });
  try {
    return await withPage((page) => use(page, agent.url));
  } finally {
    agent.end('off');
    await agent.ended;
  }
}

async function withPage<T>(use: (page: Page, browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({
    executablePath: findBrowser() ?? '',
    args: [...BROWSER_ARGS],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    return await use(await context.newPage(), browser);
  } finally {
    await browser.close();
  }
}

/** The renderer process of a page and its workers. The other processes are the same for both programs. */
async function browserProcess(page: Page): Promise<number[]> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] };
  await session?.detach();
  return processInfo.filter((one) => one.type === 'renderer').map((one) => one.id);
}

/** Measures the maximum of the processes' total PSS from now on, in bytes. */
function watchMemory(pids: readonly number[]): { stop(): number } {
  let peak = 0;
  let over = false;
  const look = async (): Promise<void> => {
    while (!over) {
      let sum = 0;
      for (const pid of pids) {
        const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
        sum += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
      }
      peak = Math.max(peak, sum);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  void look();
  return {
    stop: () => {
      over = true;
      return peak;
    },
  };
}

const FUNCTIONS = 4000;

/** The maximum number of callees of a function. */
const CALLEES = 7;

/** Folded stacks like those of a sampler: random walks over a call graph in which some callees are much more likely. */
async function writeFolded(path: string, bytes: number): Promise<void> {
  const out = createWriteStream(path);
  const next = numbers(12345);
  const names = Array.from(
    { length: FUNCTIONS },
    (_, i) => `engine::module_${i % 61}::Type${i % 17}<T>::function_${i}`,
  );
  const callees = names.map(() =>
    Array.from({ length: CALLEES }, () => Math.floor(next() * FUNCTIONS)),
  );
  for (let written = 0; written < bytes; ) {
    const lines = Array.from({ length: 500 }, () => {
      const frames = ['main', 'engine::run'];
      let at = 0;
      for (let depth = 6 + Math.floor(next() * 34); depth > 0; depth--) {
        at = callees[at]?.[Math.floor(next() * next() * next() * CALLEES)] ?? 0;
        frames.push(names[at] ?? '');
      }
      return `${frames.join(';')} ${1 + Math.floor(next() * 50)}\n`;
    });
    const text = lines.join('');
    written += text.length;
    if (!out.write(text)) await new Promise((done) => out.once('drain', () => done(null)));
  }
  out.end();
  await finished(out);
}

/** A generator of numbers from 0 to 1 with a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Folded stacks with exactly a million nodes. */
async function writeMillion(path: string): Promise<void> {
  const out = createWriteStream(path);
  for (let a = 0; a < 1000; a++) {
    const lines: string[] = [];
    for (let b = 0; b < 111; b++)
      lines.push(
        `main;area_${a};part_${b};one_${b % 7};two_${b % 11};three_${b % 5};four;five_${a % 9};six;seven;eight 3\n`,
      );
    if (!out.write(lines.join('')))
      await new Promise((done) => out.once('drain', () => done(null)));
  }
  out.end();
  await finished(out);
}

const PAN_STEPS = 240;

async function panMillion(folder: string): Promise<void> {
  const file = join(folder, 'million.folded');
  await writeMillion(file);
  await withViewer(folder, async (page, url) => {
    await openIn(page, url, file, OURS);
    const graph = page.locator('.flame-boxes');
    const box = await graph.boundingBox();
    if (box === null) throw new Error('no flame graph');
    await page.mouse.move(box.x + 700, box.y + 200);
    await page.keyboard.down('Control');
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -60);
    await page.keyboard.up('Control');
    // Panning is measured after the agent has imported the file.
    await page.waitForTimeout(6000);
    const { frames, work } = await tracePanning(page);
    const sorted = work.toSorted((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
    const usual = median(frames);
    const missed = frames.filter((ms) => ms > usual * 1.5).length / frames.length;
    console.log(
      `panning 1,000,000 boxes: main-thread work per frame p50 ${median(work).toFixed(2)} ms, p95 ${p95.toFixed(2)} ms (aim 8); ${(missed * 100).toFixed(1)} % of ${frames.length} frames missed (aim under 1)`,
    );
  });
}

/** Pans one step per frame in the page. The trace contains the work of the main thread between two frames. */
async function tracePanning(page: Page): Promise<{ frames: number[]; work: number[] }> {
  const browser = page.context().browser();
  await browser?.startTracing(page, {
    categories: [
      'toplevel',
      'blink.user_timing',
      'disabled-by-default-devtools.timeline',
      'devtools.timeline',
    ],
  });
  const frames = await page.evaluate(async (steps) => {
    const element = document.querySelector('.flame-boxes');
    const deltas: number[] = [];
    let last = await new Promise<number>((done) => requestAnimationFrame(done));
    for (let i = 0; i < steps; i++) {
      performance.mark('pan-step');
      element?.dispatchEvent(
        new WheelEvent('wheel', {
          deltaX: i % 80 < 40 ? 25 : -25,
          deltaY: i % 20 < 10 ? 4 : -4,
          bubbles: true,
          cancelable: true,
        }),
      );
      const now = await new Promise<number>((done) => requestAnimationFrame(done));
      deltas.push(now - last);
      last = now;
    }
    return deltas;
  }, PAN_STEPS);
  const trace = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] };
  return { frames, work: workBetweenSteps(trace.traceEvents) };
}

const HOUR_S = 3600;
const MOVE_MS = 2000;

/** An hour of frames, draws, memory, assets and stacks at one record of each kind per second. */
async function writeHour(path: string): Promise<void> {
  const out = createWriteStream(path);
  const next = numbers(99);
  const producer = { name: 'bench', version: '1' };
  out.write(`${JSON.stringify({ vpt: 1, producer, started_at: null, sources: ['browser'] })}\n`);
  const names = Array.from({ length: 500 }, (_, i) => `engine::part_${i % 17}::function_${i}`);
  for (let second = 0; second < HOUR_S; second++) {
    const t = second * 1000;
    const id = second;
    const duration_ms = Array.from({ length: 60 }, () => Math.round(15_000 + next() * 3000) / 1000);
    const draws = duration_ms.map(() => Math.floor(next() * 900));
    const samples = Array.from({ length: 50 }, () => Math.floor(next() * names.length));
    const isFirst = second === 0;
    const nodes = isFirst ? names.map((_, i) => i) : [];
    const records = [
      { type: 'frames', t, duration_ms, draws, triangles: draws.map((count) => count * 900) },
      { type: 'process', t, rss_bytes: 2e8 + Math.floor(next() * 1e7) },
      {
        type: 'asset',
        t,
        id,
        name: `textures/${id}.ktx2`,
        kind: 'texture',
        phase: 'load',
        duration_ms: 400,
      },
      {
        type: 'stacks',
        t,
        duration_ms: 1000,
        first_name: isFirst ? 0 : names.length,
        names: isFirst ? names : [],
        first_node: isFirst ? 0 : names.length,
        parents: nodes.map((node) => node - 1),
        node_names: nodes,
        samples: { node: samples, weight: samples.map(() => 1) },
        unit: 'samples',
      },
    ];
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    if (!out.write(text)) await new Promise((done) => out.once('drain', () => done(null)));
  }
  out.end();
  await finished(out);
}

async function moveCrosshair(folder: string): Promise<void> {
  const file = join(folder, 'hour.vpt');
  await writeHour(file);
  await withViewer(folder, async (page, url) => {
    await openIn(page, url, file, { ...OURS, ready: '.verdict h2' });
    await page.getByRole('navigation').getByRole('button', { name: 'Timeline' }).click();
    await page.locator('.track-canvas canvas').first().waitFor();
    // Moving is measured after the agent has imported the file.
    await page.waitForTimeout(4000);
    const frames = await page.evaluate(async (ms) => {
      const element = document.querySelector('.track-canvas');
      const box = element?.getBoundingClientRect() ?? new DOMRect();
      const deltas: number[] = [];
      let last = await new Promise<number>((done) => requestAnimationFrame(done));
      for (const end = last + ms; last < end; ) {
        const clientX = box.left + ((deltas.length * 7) % box.width);
        const place = { clientX, clientY: box.top + 60, bubbles: true };
        element?.dispatchEvent(new PointerEvent('pointermove', place));
        const now = await new Promise<number>((done) => requestAnimationFrame(done));
        deltas.push(now - last);
        last = now;
      }
      return deltas;
    }, MOVE_MS);
    const usual = median(frames);
    const missed = frames.filter((ms) => ms > usual * 1.5).length / frames.length;
    console.log(
      `moving the crosshair over an hour: ${(1000 / usual).toFixed(0)} fps (aim 60), ${(missed * 100).toFixed(1)} % of ${frames.length} frames missed`,
    );
  });
}

type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  tid: number;
  pid: number;
  cat: string;
};

function workBetweenSteps(events: readonly TraceEvent[]): number[] {
  const steps = events.filter((event) => event.name === 'pan-step');
  const [first] = steps;
  if (first === undefined) return [];
  const tasks = events.filter(
    (event) => event.name.endsWith('RunTask') && event.pid === first.pid && event.tid === first.tid,
  );
  return steps.slice(0, -1).map((step, index) => {
    const until = steps[index + 1]?.ts ?? step.ts;
    const within = tasks.filter((task) => task.ts + (task.dur ?? 0) > step.ts && task.ts < until);
    return (
      within.reduce(
        (sum, task) =>
          sum + Math.min(until, task.ts + (task.dur ?? 0)) - Math.max(step.ts, task.ts),
        0,
      ) / 1000
    );
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await main();
