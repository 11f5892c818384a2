// One recording: starts the parts, writes their records once per second, ends, and exports the trace.
import { formatHeader, formatKnownRecord } from '@svc/trace/write';
import type { Parts, StartOptions, Status } from '../api.ts';
import { Assets } from '../assets/assets.ts';
import type { GpuObjects } from '../gpu/gpu-objects.ts';
import { audio } from '../loads/audio.ts';
import { images } from '../loads/images.ts';
import { resources } from '../loads/resources.ts';
import { frames } from '../page/frames.ts';
import { longTasks } from '../page/long-tasks.ts';
import { heap, pageMemory } from '../page/memory.ts';
import { visibility } from '../page/visibility.ts';
import { ByteLog } from '../sink/byte-log.ts';
import { formatLoss, type Part, quietly, Sink } from '../sink/sink.ts';
import { VERSION } from './version.ts';

const DEFAULT_BUDGET_BYTES = 67_108_864;
const SMALLEST_BUDGET_BYTES = 65_536;
const WRITE_EVERY_MS = 1_000;
/** Longest wait of a write for idle time. */
const IDLE_WAIT_MS = 500;

/** The option of a part, the part, and its name in the trace if it is not available (by default the option). */
type NamedParts = readonly (readonly [option: keyof Parts, part: Part, what?: string])[];

/** Creates the parts that record graphics APIs, and their objects. Returns null if none are recorded. */
export type Graphics = (
  assets: Assets,
  wanted: Parts,
) => { readonly objects: GpuObjects; readonly parts: NamedParts } | null;

export class Recording {
  readonly sink: Sink;
  readonly assets: Assets;
  readonly objects: GpuObjects | null;
  readonly #mayDrop: boolean;
  readonly #spool: StartOptions['spool'];
  readonly #header: string;
  readonly #stops: (() => void)[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #end = '';

  constructor(options: StartOptions, graphics: Graphics) {
    this.#mayDrop = options.whenFull !== 'stop';
    this.#spool = options.spool;
    this.#header = formatHeader({
      vpt: 1,
      producer: { name: 'svc-collector', version: VERSION },
      started_at: new Date().toISOString(),
      sources: ['browser'],
    });
    this.sink = new Sink(new ByteLog(budgetOf(options.budgetBytes)), options.spool);
    this.assets = new Assets(this.sink);
    const wanted = options.parts ?? {};
    const drawn = graphics(this.assets, wanted);
    this.objects = drawn?.objects ?? null;
    quietly(() => options.spool?.append(new TextEncoder().encode(this.#header)));
    this.#startParts(wanted, drawn?.parts ?? []);
    quietly(() => {
      this.#timer = setInterval(() => this.#writeWhenIdle(), WRITE_EVERY_MS);
    });
  }

  /** Ends the recording. The trace is kept until the next start. A second call does nothing. */
  stop(reason: string): void {
    if (!this.sink.on) return;
    quietly(() => clearInterval(this.#timer));
    for (const stop of this.#stops.toReversed()) quietly(stop);
    this.sink.ending = true;
    this.sink.flush(true, this.#mayDrop);
    this.sink.on = false;
    this.#end = formatKnownRecord({ type: 'end', t: this.sink.now(), reason });
    quietly(() => this.#spool?.append(new TextEncoder().encode(this.#end)));
  }

  /** Frees the bytes of a trace that is not needed any more. A hook that could not be removed may still refer to the recording. */
  release(): void {
    this.sink.log.clear();
  }

  /** The whole trace in parts. While the recording runs, it has no end. */
  parts(): (string | Uint8Array<ArrayBuffer>)[] {
    this.#write(true);
    const kept = this.sink.kept?.lines() ?? [];
    return [this.#header, this.#lossLine(), ...this.sink.log.parts(), ...kept, this.#end];
  }

  status(): Status {
    return {
      state: this.sink.on ? 'recording' : 'stopped',
      bytes: this.sink.log.bytes,
      records: this.sink.records,
      lost: this.sink.lost,
      absent: [...this.sink.missing],
    };
  }

  #startParts(wanted: Parts, drawn: NamedParts): void {
    const { assets } = this;
    const parts: NamedParts = [
      ['frames', frames],
      ['frames', visibility, 'hidden tab'],
      ['longTasks', longTasks],
      ['memory', heap, 'JS heap'],
      ['memory', pageMemory, 'page memory'],
      ['resources', resources(assets)],
      ['images', images(assets)],
      ['audio', audio(assets)],
      ...drawn,
    ];
    for (const [option, part, what = option] of parts) {
      if (wanted[option] === false) continue;
      try {
        const stop = part(this.sink);
        if (typeof stop === 'string') this.sink.skip(what, stop);
        else this.#stops.push(stop);
      } catch (error) {
        this.sink.skip(what, error instanceof Error ? error.message : 'it cannot be started');
      }
    }
  }

  #writeWhenIdle(): void {
    const write = () => this.#write(false);
    quietly(() => {
      if (typeof requestIdleCallback === 'function')
        requestIdleCallback(write, { timeout: IDLE_WAIT_MS });
      else write();
    });
  }

  /** Writes what is pending. Does nothing after the end. */
  #write(all: boolean): void {
    quietly(() => {
      if (this.sink.on && !this.sink.flush(all, this.#mayDrop)) this.stop('storage_cap');
    });
  }

  /** The loss that the budget caused. It precedes the other records. */
  #lossLine(): string {
    const { dropped } = this.sink.log;
    return dropped === null ? '' : formatLoss(dropped);
  }
}

function budgetOf(bytes: number | undefined): number {
  const given = typeof bytes === 'number' && bytes > 0 ? bytes : DEFAULT_BUDGET_BYTES;
  return Math.max(SMALLEST_BUDGET_BYTES, given);
}
