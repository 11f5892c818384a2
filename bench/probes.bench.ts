// The cost of native probes: CPU time per unit of work of the target, for computing, reading and presenting frames, with and
// without each probe; the same for another process; and the CPU time of the agent with its collectors. Measured in turns.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { createAgentClient } from '@svc/contracts/agent';
import { ROOT } from '../scripts/workspaces.ts';

const ROUNDS = 7;
const REPEATS = 2;
const STATES = ['none', 'stacks', 'files', 'frames'] as const;
type State = (typeof STATES)[number];
const TICKS_PER_SECOND = 100;
const BYSTANDER = 'bystander ';

const SVC = join(ROOT, 'packages/cli/bin/svc.mjs');
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-probes-'));

type Worker = AsyncDisposable & { readonly pid: number; work(line: string): Promise<number> };

/** The works of each probe. A bystander is another process that does the same. */
const COMPUTING = ['cpu', 'read 4096', 'read 65536', 'bystander read 4096'] as const;
const PRESENTING = ['present 60', 'present 240', 'present 1000'] as const;
const WORKS = {
  stacks: [...COMPUTING, ...PRESENTING],
  files: [...COMPUTING, ...PRESENTING],
  frames: [...PRESENTING, 'bystander present 0'],
} as const;
const ALL_WORKS = [...new Set(Object.values(WORKS).flat())];

/** CPU time per unit of work in nanoseconds, by the name of the work; that of the agent in percent of one core. */
type Costs = Map<string, number>;

async function main(): Promise<void> {
  const program = join(folder, 'worker');
  const file = join(folder, 'file.bin');
  execFileSync('cc', [
    '-O1',
    '-fno-omit-frame-pointer',
    '-o',
    program,
    `${import.meta.dirname}/probes/worker.c`,
    '-ldl',
  ]);
  writeFileSync(file, Buffer.alloc(16 << 20, 'x'));
  const library = join(folder, 'libGLX.so.0');
  const present = join(ROOT, 'packages/agent/test/targets/present-library.c');
  execFileSync('cc', ['-shared', '-fPIC', '-DPRESENT=glXSwapBuffers', '-o', library, present]);
  await using target = startWorker(program, [file, library]);
  await using bystander = startWorker(program, [file, library]);
  const costs: Record<State, Costs[]> = { none: [], stacks: [], files: [], frames: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of STATES) costs[state].push(await measure(state, target, bystander));
  }
  report(costs);
}

function startWorker(program: string, files: readonly string[]): Worker {
  const child = spawn(program, files, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    work: async (line) => {
      child.stdin.write(`${line}\n`);
      return Number((await lines.next()).value);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** One turn: a new session, and the best of a few repeats. */
async function measure(state: State, target: Worker, bystander: Worker): Promise<Costs> {
  const probes = state === 'none' ? [] : ['--probes', state];
  const options = ['--port', '0', '--no-open', '--json', '--data-dir', folder, ...probes];
  const child = spawn(
    process.execPath,
    [SVC, 'dashboard', '--pid', String(target.pid), ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const { origin, token } = JSON.parse((await lines[Symbol.asyncIterator]().next()).value ?? '');
  const client = createAgentClient({ baseUrl: origin, send: fetch, credential: () => token });
  await client.call('start', {});
  while (state !== 'none') {
    const probe = (await client.call('status', {})).probes.find(({ id }) => id === state);
    if (probe?.state === 'running') break;
    if (probe?.state !== 'starting') throw new Error(`Cannot measure ${state}: ${probe?.reason}`);
    await wait(50);
  }
  const costs: Costs = new Map();
  for (const work of state === 'none' ? ALL_WORKS : WORKS[state]) {
    const worker = work.startsWith(BYSTANDER) ? bystander : target;
    const before = { ticks: ticksOf(child.pid ?? 0), ms: performance.now() };
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) times.push(await worker.work(work.replace(BYSTANDER, '')));
    const seconds = (performance.now() - before.ms) / 1000;
    const ticks = ticksOf(child.pid ?? 0) - before.ticks;
    costs.set(work, Math.min(...times));
    costs.set(`agent % at ${work}`, (ticks / TICKS_PER_SECOND / seconds) * 100);
  }
  await client.call('off', {});
  await exit;
  return costs;
}

/** CPU time of a process and its descendants, also those that have exited, in ticks. */
function ticksOf(root: number): number {
  const processes = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
    } catch {
      return [];
    }
  });
  const sum = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce(
        (total, one) => total + sum(one.pid),
        processes.find((one) => one.pid === pid)?.ticks ?? 0,
      );
  return sum(root);
}

function report(costs: Record<State, Costs[]>): void {
  const bpftrace = execFileSync('bpftrace', ['--version'], { encoding: 'utf8' }).trim();
  console.log(`${bpftrace}, median of ${ROUNDS} rounds, in turns; ns of CPU per unit`);
  for (const work of ALL_WORKS) {
    const values = (state: State): number[] => costs[state].map((one) => one.get(work) ?? NaN);
    const none = values('none');
    const cells = STATES.filter((state) => costs[state][0]?.has(work)).map((state) => {
      const own = values(state);
      const ratios = own.map((value, round) => value / (none[round] ?? NaN));
      const more = median(own.map((value, round) => value - (none[round] ?? NaN)));
      return `${state} ${median(own).toFixed(0)} (${median(ratios).toFixed(3)} ×${frameShare(work, more)})`;
    });
    console.log(`${work.padEnd(20)} ${cells.join('   ')}`);
    const agent = STATES.filter((state) => costs[state][0]?.has(work)).map((state) => {
      const percents = costs[state].map((one) => one.get(`agent % at ${work}`) ?? NaN);
      return `${state} ${median(percents).toFixed(1)}`;
    });
    console.log(`${'  agent, % of a core'.padEnd(20)} ${agent.join('   ')}`);
  }
}

/** What more CPU time per frame is of the time of the frame. */
function frameShare(work: string, moreNs: number): string {
  const fps = Number(/present (\d+)/.exec(work)?.[1] ?? 0);
  const more = `, ${moreNs < 0 ? '' : '+'}${moreNs.toFixed(0)} ns`;
  return fps === 0 ? more : `${more}, ${((moreNs * fps) / 1e7).toFixed(3)} % of the frame`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
