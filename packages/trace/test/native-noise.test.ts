// Native recordings without anything wrong: seeded noise of several kinds yields no findings. FC_SEED=number tries other noise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  analyzeTrace,
  formatHeader,
  formatRecord,
  modelOf,
  type ProcessRecord,
} from '../src/index.ts';

/** The rules are statistical, so that some noise will look like a finding one day. The seed is fixed, and the tests repeat. */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_301);
const RUNS = 150;
const MIB = 1_048_576;
const SECONDS = [60, 130, 400, 1000];

type Random = { uniform(): number; normal(): number };
/** The CPU use and the memory of each second, in percent and MiB. */
type Load = (random: Random) => (second: number) => { cpu: number; rss: number };

function randomFrom(seed: number): Random {
  let state = (seed % 2147483646) + 1;
  const uniform = (): number => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const normal = (): number => Array.from({ length: 12 }, uniform).reduce((a, b) => a + b, -6);
  return { uniform, normal };
}

const LOADS: Readonly<Record<string, Load>> = {
  idle:
    ({ uniform }) =>
    () => ({ cpu: uniform() < 0.05 ? 2 * uniform() : 0, rss: 80 }),
  'a steady load': ({ uniform, normal }) => {
    const level = 10 + 50 * uniform();
    return () => ({ cpu: level + 4 * normal(), rss: 300 + normal() });
  },
  'a random load':
    ({ uniform }) =>
    () => ({ cpu: 80 * uniform(), rss: 300 + 40 * uniform() }),
  'a drifting load': ({ normal }) => {
    let drift = 0;
    return () => {
      drift = 0.9 * drift + 5 * normal();
      return { cpu: Math.min(80, 40 + drift), rss: 400 + drift / 4 };
    };
  },
  'rare spikes':
    ({ uniform }) =>
    () => ({ cpu: uniform() < 0.06 ? 70 : 8, rss: 200 + uniform() }),
  'a start-up ramp': ({ uniform, normal }) => {
    const ready = 5 + 10 * uniform();
    return (second) => {
      const isStarting = second <= ready;
      const loaded = Math.min(1, second / ready);
      return {
        cpu: (isStarting ? 97 : 30) + 2 * normal(),
        rss: 50 + 400 * loaded + 2 * normal(),
      };
    };
  },
  'a level that loads once and stays': ({ uniform, normal }) => {
    const at = 15 + 30 * uniform();
    return (second) => ({
      cpu: (second > at && second < at + 4 ? 99 : 35) + 2 * normal(),
      rss: (second > at + 4 ? 500 : 300) + 2 * normal(),
    });
  },
};

function traceOf(load: Load, seconds: number, random: Random): string {
  const at = load(random);
  const records = Array.from({ length: seconds }, (_, second): ProcessRecord => {
    const { cpu, rss } = at(second);
    return {
      type: 'process',
      t: Math.round(second * 1000 + 5 * random.uniform()),
      cpu_percent: Math.max(0, Math.round(cpu * 10) / 10),
      rss_bytes: Math.round(rss * MIB),
      pss_bytes: Math.round(rss * 0.9 * MIB),
      pss_cost_ms: Math.round(3000 + 1000 * random.uniform()) / 1000,
      threads: 12,
    };
  });
  const producer = { name: 'test', version: '1' };
  const header = formatHeader({ vpt: 1, producer, started_at: null, sources: ['native'] });
  return header + records.map(formatRecord).join('');
}

for (const [name, load] of Object.entries(LOADS)) {
  test(`a native recording of ${name} yields no finding`, () => {
    for (let run = 0; run < RUNS; run++) {
      const seconds = SECONDS[run % SECONDS.length] ?? 400;
      const text = traceOf(load, seconds, randomFrom(SEED + run));
      const found = analyzeTrace(modelOf(text));
      const shown = `FC_SEED=${SEED + run}: ${seconds} s: ${JSON.stringify(found, null, 1)}`;
      assert.deepEqual(
        found.map(({ id }) => id),
        [],
        shown,
      );
    }
  });
}
