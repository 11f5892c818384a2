// The cost of native probes: CPU time per unit of work of the target, for computing and for reading, with and without each
// probe; the same for another process; and the CPU time of the agent with its collectors. Measured in turns.
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
const STATES = ['none', 'stacks', 'files'] as const;
type State = (typeof STATES)[number];
const TICKS_PER_SECOND = 100;

const SVC = join(ROOT, 'packages/cli/bin/svc.mjs');
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-probes-'));

type Worker = AsyncDisposable & { readonly pid: number; work(line: string): Promise<number> };

/** CPU time per unit of work in nanoseconds; the agent's in percent of one core. */
type Costs = Record<'cpu' | 'read 4096' | 'read 65536' | 'bystander read 4096' | 'agent %', number>;
const WORKS = ['cpu', 'read 4096', 'read 65536', 'bystander read 4096', 'agent %'] as const;

async function main(): Promise<void> {
  const program = join(folder, 'worker');
  const file = join(folder, 'file.bin');
  execFileSync('cc', [
    '-O1',
    '-fno-omit-frame-pointer',
    '-o',
    program,
    `${import.meta.dirname}/probes/worker.c`,
  ]);
  writeFileSync(file, Buffer.alloc(16 << 20, 'x'));
  await using target = startWorker(program, file);
  await using bystander = startWorker(program, file);
  const costs: Record<State, Costs[]> = { none: [], stacks: [], files: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of STATES) costs[state].push(await measure(state, target, bystander));
  }
  report(costs);
}

function startWorker(program: string, file: string): Worker {
  const child = spawn(program, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
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
  const before = { ticks: ticksOf(child.pid ?? 0), ms: performance.now() };
  const best = async (worker: Worker, line: string): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) times.push(await worker.work(line));
    return Math.min(...times);
  };
  const costs: Costs = {
    cpu: await best(target, 'cpu'),
    'read 4096': await best(target, 'read 4096'),
    'read 65536': await best(target, 'read 65536'),
    'bystander read 4096': await best(bystander, 'read 4096'),
    'agent %': 0,
  };
  const seconds = (performance.now() - before.ms) / 1000;
  costs['agent %'] = ((ticksOf(child.pid ?? 0) - before.ticks) / TICKS_PER_SECOND / seconds) * 100;
  await client.call('off', {});
  await exit;
  return costs;
}

/** CPU time of a process and its descendants, in ticks. */
function ticksOf(root: number): number {
  const processes = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = Number(fields[11]) + Number(fields[12]);
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
  for (const work of WORKS) {
    const cells = STATES.map((state) => {
      const values = costs[state].map((one) => one[work]);
      if (work === 'agent %') return `${state} ${median(values).toFixed(1)}`;
      const ratios = values.map(
        (value, round) => value / (costs.none[round]?.[work] ?? Number.NaN),
      );
      return `${state} ${median(values).toFixed(0)} (${median(ratios).toFixed(3)} ×)`;
    });
    console.log(`${work.padEnd(20)} ${cells.join('   ')}`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
