// Serving files of a published game with PostgreSQL: compared with SQLite, and by two processes compared with one. In turns in
// one run.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newDatabase,
  type PlatformProcess,
  postgresMissing,
  startPostgres,
  startProcess,
} from '@svc/platform/testing';
import { cpuSeconds, hasProgram, median, requestsPerSecond, startWrk } from './platform/measure.ts';
import { publishGame } from './platform/publish-game.ts';

const ROUNDS = 5;
const SECONDS = 3;
const FILE = { 'f.bin': randomBytes(10_240) };

async function main(): Promise<void> {
  if (!hasProgram('wrk', 'everything')) return;
  const missing = postgresMissing();
  if (missing !== null) return console.log(`skipped: ${missing}`);
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-database-'));
  const servers: PlatformProcess[] = [];
  using postgres = startPostgres();
  try {
    const start = async (name: string, environment: Record<string, string>) => {
      const server = await startProcess(join(folder, name), environment);
      servers.push(server);
      return server;
    };
    const shared = { SVC_DATABASE_URL: await newDatabase(postgres.url) };
    const [sqlite, one] = [await start('sqlite', {}), await start('postgres', shared)];
    const path = `play/${await publishGame(one, FILE)}/f.bin`;
    measure({
      SQLite: `${sqlite.baseUrl}/play/${await publishGame(sqlite, FILE)}/f.bin`,
      PostgreSQL: `${one.baseUrl}/${path}`,
    });
    // The first one was started for its own folder, which the second one shares as it would a network folder.
    await measureTwo([one, await start('postgres', shared)], path);
  } finally {
    for (const server of servers) await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the addresses by name. Prints ratios to the first. */
function measure(addresses: Readonly<Record<string, string>>): void {
  const rates = new Map(Object.keys(addresses).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, address] of Object.entries(addresses)) {
      rates.get(name)?.push(requestsPerSecond(address, SECONDS));
    }
  }
  const [first = []] = rates.values();
  for (const [name, own] of rates) {
    const ratio = median(own.map((rate, round) => rate / (first[round] ?? Number.NaN)));
    console.log(
      `10 KB: ${name}: ${Math.round(median(own))} requests/s, ${ratio.toFixed(2)} of SQLite`,
    );
  }
}

/** Sends requests to one process, then to both at once. */
async function measureTwo(
  processes: readonly [PlatformProcess, PlatformProcess],
  path: string,
): Promise<void> {
  const rounds: { ratio: number; cpuRatio: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const one = await load(processes.slice(0, 1), path);
    const two = await load(processes, path);
    rounds.push({ ratio: two.rate / one.rate, cpuRatio: two.cpu / one.cpu });
  }
  const ratio = median(rounds.map((round) => round.ratio)).toFixed(2);
  const cpu = median(rounds.map((round) => round.cpuRatio)).toFixed(2);
  console.log(
    `10 KB: two processes: ${ratio} times the requests of one, ${cpu} times the processor time for each, on ${availableParallelism()} cores that they share with wrk`,
  );
}

/** Requests per second by 32 connections in all, and the servers' seconds of processor time for each request. */
async function load(processes: readonly PlatformProcess[], path: string) {
  const spent = (): number =>
    processes.reduce((sum, { child }) => sum + cpuSeconds(child.pid ?? 0), 0);
  const before = spent();
  const rates = await Promise.all(
    processes.map(({ baseUrl }) => startWrk(`${baseUrl}/${path}`, SECONDS, 32 / processes.length)),
  );
  const rate = rates.reduce((sum, one) => sum + one);
  return { rate, cpu: (spent() - before) / (rate * SECONDS) };
}

await main();
