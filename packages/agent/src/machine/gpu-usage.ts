// The work and the memory of a process on graphics cards, from what their drivers report of its open devices.
import { readdirSync, readlinkSync } from 'node:fs';
import type { CounterRecord } from '@svc/trace';
import { type DrmClient, type EngineWork, parseDrmClient } from './parse-drm-client.ts';
import { readText } from './read-text.ts';

/** Descriptors are listed again after as many readings, because a link costs 2 µs each. */
const READINGS_PER_LIST = 10;

/** The most open devices that are read, and the most descriptors that are listed. */
const MOST_DEVICES = 64;
const MOST_DESCRIPTORS = 4096;

type Client = { readonly label: string; readonly engines: DrmClient['engines'] };

export class GpuUsage {
  readonly #folder: string;
  /** Numbers of descriptors that are graphics devices. */
  #devices: string[] = [];
  #readings = 0;
  /** The number of each graphics card, from 1. */
  readonly #cards = new Map<string, number>();
  #before: { readonly atMs: number; readonly clients: ReadonlyMap<string, Client> } | null = null;

  /** `folder` is the `/proc/PID` of the process. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The counters at a trace time: the percentage that each engine worked for the process since the last reading, and the bytes
   * of each region. Empty if no driver reports any. `atMs` is the time of the reading on a clock that does not jump.
   */
  read(t: number, atMs: number): CounterRecord[] {
    if (this.#readings++ % READINGS_PER_LIST === 0) this.#devices = this.#list();
    const clients = new Map<string, Client>();
    const memory = new Map<string, number>();
    for (const device of this.#devices) {
      const client = parseDrmClient(readText(`${this.#folder}/fdinfo/${device}`) ?? '');
      const key = client === null ? '' : `${client.card} ${client.client}`;
      // Copies of a descriptor belong to the same client, which counts once.
      if (client === null || clients.has(key)) continue;
      const label = this.#labelOf(client.card);
      clients.set(key, { label, engines: client.engines });
      for (const [region, bytes] of client.memory) add(memory, `${label} memory ${region}`, bytes);
    }
    const busy = this.#busySince(atMs, clients);
    this.#before = { atMs, clients };
    return [
      ...Array.from(busy, ([name, value]) =>
        counterOf(t, name, '%', Math.round(Math.min(100, value) * 10) / 10),
      ),
      ...Array.from(memory, ([name, value]) => counterOf(t, name, 'bytes', value)),
    ];
  }

  /** The percentage of each engine, summed over the clients of a card. */
  #busySince(atMs: number, clients: ReadonlyMap<string, Client>): Map<string, number> {
    const busy = new Map<string, number>();
    if (this.#before === null || atMs <= this.#before.atMs) return busy;
    const elapsedMs = atMs - this.#before.atMs;
    for (const [key, { label, engines }] of clients) {
      const earlier = this.#before.clients.get(key);
      for (const [name, work] of engines) {
        const before = earlier?.engines.get(name);
        if (before !== undefined) add(busy, `${label} ${name}`, percentOf(before, work, elapsedMs));
      }
    }
    return busy;
  }

  #labelOf(card: string): string {
    const number = this.#cards.get(card) ?? this.#cards.size + 1;
    this.#cards.set(card, number);
    return number === 1 ? 'GPU' : `GPU ${number}`;
  }

  #list(): string[] {
    try {
      return readdirSync(`${this.#folder}/fd`)
        .slice(0, MOST_DESCRIPTORS)
        .filter((name) => isGraphicsDevice(`${this.#folder}/fd/${name}`))
        .slice(0, MOST_DEVICES);
    } catch {
      return [];
    }
  }
}

function isGraphicsDevice(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('/dev/dri/');
  } catch {
    return false; // it was closed meanwhile
  }
}

/** The part of the time that engines of a kind worked. At most 100, because drivers count in steps. */
function percentOf(before: EngineWork, now: EngineWork, elapsedMs: number): number {
  const busy = Math.max(0, now.busy - before.busy);
  const whole = now.total === null ? elapsedMs * 1e6 : Math.max(1, now.total - (before.total ?? 0));
  return Math.min(100, (busy / whole / now.capacity) * 100);
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function counterOf(t: number, name: string, unit: string, value: number): CounterRecord {
  return { type: 'counter', t, name, unit, value };
}
