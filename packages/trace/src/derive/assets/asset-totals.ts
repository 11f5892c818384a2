// What the records of each asset add up to, in columns: memory follows the assets and their main-thread work, not the records.

import { Float64List, Int32List } from '../../bytes/growable.ts';
import { hashBytes } from '../../bytes/hash-bytes.ts';
import { FloatColumn, IntColumn } from '../../bytes/paged-column.ts';
import {
  ASSET_KINDS,
  ASSET_PHASES,
  type AssetId,
  type AssetKind,
  type AssetPhase,
  type AssetRecord,
  type Source,
} from '../../format/records.ts';
import { type FrameNames, FrameTable } from '../../stacks/frame-table.ts';
import { type RecordScanner, SLOT } from '../../vpt/scan-record.ts';
import type { AssetWorks } from './asset-hitches.ts';
import { AssetKeys } from './asset-keys.ts';

/** One asset's totals. Times are sums over its records, sizes the latest; null where no record facts. */
export type AssetTotals = {
  readonly id: AssetId;
  readonly source: Source;
  readonly name: string;
  readonly kind: AssetKind;
  /** Records of work on it; naming it is none. */
  readonly uses: number;
  readonly uploads: number;
  readonly bytes: number | null;
  readonly encoded_bytes: number | null;
  readonly gpu_bytes: number | null;
  readonly format: string | null;
  /** Width and height, 0 where not known. */
  readonly dims: readonly [number, number];
  /** The longest main-thread work of one record. */
  readonly longest: { readonly phase: AssetPhase; readonly ms: number } | null;
  readonly isOpaque: boolean;
  /** Bytes that were read of it in all, and by how many calls; null where no record facts. Mappings are in the first alone. */
  readonly read_bytes: number | null;
  readonly reads: number;
};

/** What one record says of its asset: NaN where it says nothing, −1 for no format. Filled anew for each record. */
type RecordFacts = {
  t: number;
  phase: number;
  kind: number;
  name: number;
  bytes: number;
  encoded_bytes: number;
  gpu_bytes: number;
  duration_ms: number;
  main_thread_ms: number;
  read_bytes: number;
  /** Calls that read. */
  reads: number;
  format: number;
  width: number;
  height: number;
  opaque: boolean;
};

const NAMED = ASSET_PHASES.indexOf('named');
const UPLOAD = ASSET_PHASES.indexOf('upload');

/** Bits of what is known of an asset. Those below are the times of the phases, by their place in ASSET_PHASES. */
const MAIN_THREAD = 1 << 6;
const READ = 1 << 7;
const BYTES = 1 << 8;
const ENCODED = 1 << 9;
const GPU = 1 << 10;
const FORMAT = 1 << 11;
const DIMS = 1 << 12;
const NAME = 1 << 13;
const OPAQUE = 1 << 14;
const ANY = 1 << 15;

/** A value with the time of its record. Of two with the same time the one later in the file stays. */
class LatestColumn {
  readonly #t = new FloatColumn();
  readonly #value = new FloatColumn();
  readonly #bit: number;

  constructor(bit: number) {
    this.#bit = bit;
  }

  /** Whether a value at time `t` counts; if so it replaces the known one. */
  take(row: number, known: number, t: number, value: number): boolean {
    if ((known & this.#bit) !== 0 && this.#t.get(row) > t) return false;
    this.#t.set(row, t);
    this.#value.set(row, value);
    return true;
  }

  get(row: number): number {
    return this.#value.get(row);
  }
}

export class AssetTable {
  readonly #keys = new AssetKeys();
  /** Names and formats. */
  readonly #texts = new FrameTable();
  readonly #known = new IntColumn();
  readonly #uses = new IntColumn();
  readonly #uploads = new IntColumn();
  readonly #times = ASSET_PHASES.map(() => new FloatColumn());
  readonly #mainThread = new FloatColumn();
  readonly #longestMs = new FloatColumn();
  readonly #longestPhase = new IntColumn();
  readonly #readBytes = new FloatColumn();
  readonly #reads = new FloatColumn();
  readonly #bytes = new LatestColumn(BYTES);
  readonly #encodedBytes = new LatestColumn(ENCODED);
  readonly #gpuBytes = new LatestColumn(GPU);
  readonly #format = new LatestColumn(FORMAT);
  readonly #width = new LatestColumn(DIMS);
  readonly #height = new FloatColumn();
  /** Of the latest record of any phase, and of the latest that only names. */
  readonly #seenName = new LatestColumn(ANY);
  readonly #seenKind = new IntColumn();
  readonly #givenName = new LatestColumn(NAME);
  readonly #givenKind = new IntColumn();
  readonly #works = new Map<Source, { owner: Int32List; start: Float64List; end: Float64List }>();
  readonly #facts: RecordFacts = {
    t: 0,
    phase: 0,
    kind: 0,
    name: 0,
    bytes: 0,
    encoded_bytes: 0,
    gpu_bytes: 0,
    duration_ms: 0,
    main_thread_ms: 0,
    read_bytes: 0,
    reads: 0,
    format: 0,
    width: 0,
    height: 0,
    opaque: false,
  };

  /** How many assets there are. */
  get length(): number {
    return this.#keys.length;
  }

  take(record: AssetRecord, source: Source): void {
    const facts = this.#facts;
    facts.t = record.t;
    facts.phase = ASSET_PHASES.indexOf(record.phase);
    facts.kind = ASSET_KINDS.indexOf(record.kind);
    facts.name = this.#texts.internText(record.name);
    facts.bytes = record.bytes ?? Number.NaN;
    facts.encoded_bytes = record.encoded_bytes ?? Number.NaN;
    facts.gpu_bytes = record.gpu_bytes ?? Number.NaN;
    facts.duration_ms = record.duration_ms ?? Number.NaN;
    facts.main_thread_ms = record.main_thread_ms ?? Number.NaN;
    facts.read_bytes = record.read_bytes ?? Number.NaN;
    facts.reads = record.mapped === true ? 0 : (record.count ?? 1);
    facts.format = record.format === undefined ? -1 : this.#texts.internText(record.format);
    facts.width = record.dims === undefined ? Number.NaN : (record.dims[0] ?? 0);
    facts.height = record.dims?.[1] ?? 0;
    facts.opaque = record.opaque === true;
    this.#add(this.#keys.row(source, record.id), source);
  }

  /** The same from the bytes of the record's line. */
  takeScanned(record: RecordScanner): void {
    const facts = this.#facts;
    facts.t = record.numbers[SLOT.t] ?? 0;
    facts.phase = record.numbers[SLOT.phase] ?? 0;
    facts.kind = record.numbers[SLOT.kind] ?? 0;
    facts.name = this.#internSlot(record, SLOT.name);
    facts.bytes = record.numberOf(SLOT.bytes);
    facts.encoded_bytes = record.numberOf(SLOT.encoded_bytes);
    facts.gpu_bytes = record.numberOf(SLOT.gpu_bytes);
    facts.duration_ms = record.numberOf(SLOT.duration_ms);
    facts.main_thread_ms = record.numberOf(SLOT.main_thread_ms);
    facts.read_bytes = record.numberOf(SLOT.read_bytes);
    const count = record.has(SLOT.count) ? record.numberOf(SLOT.count) : 1;
    facts.reads = record.numberOf(SLOT.mapped) === 1 ? 0 : count;
    facts.format = record.has(SLOT.format) ? this.#internSlot(record, SLOT.format) : -1;
    facts.width = record.numberOf(SLOT.dims);
    facts.height = record.secondDim;
    facts.opaque = record.numberOf(SLOT.opaque) === 1;
    const { source, bytes, starts, ends } = record;
    const row = record.idIsText
      ? this.#keys.rowOfText(source, bytes, starts[SLOT.id] ?? 0, ends[SLOT.id] ?? 0)
      : this.#keys.rowOfNumber(source, record.numbers[SLOT.id] ?? 0);
    this.#add(row, source);
  }

  /** Reads the ids of assets. */
  ids(): (row: number) => AssetId {
    return this.#keys.ids();
  }

  sourceOf(row: number): Source {
    return this.#keys.sourceOf(row);
  }

  usesOf(row: number): number {
    return this.#uses.get(row);
  }

  bytesOf(row: number): number | null {
    return this.#isKnown(row, BYTES) ? this.#bytes.get(row) : null;
  }

  gpuBytesOf(row: number): number | null {
    return this.#isKnown(row, GPU) ? this.#gpuBytes.get(row) : null;
  }

  mainThreadOf(row: number): number | null {
    return this.#isKnown(row, MAIN_THREAD) ? this.#mainThread.get(row) : null;
  }

  /** The time of one phase, or of two together; null where no record has one. */
  timeOf(row: number, phase: AssetPhase, other: AssetPhase = phase): number | null {
    const [first, second] = [ASSET_PHASES.indexOf(phase), ASSET_PHASES.indexOf(other)];
    if (!this.#isKnown(row, (1 << first) | (1 << second))) return null;
    const ms = this.#times[first]?.get(row) ?? 0;
    return first === second ? ms : ms + (this.#times[second]?.get(row) ?? 0);
  }

  /** An asset's name by its place in `names`. */
  nameOf(row: number): number {
    return (this.#isKnown(row, NAME) ? this.#givenName : this.#seenName).get(row);
  }

  names(): FrameNames {
    return this.#texts.names();
  }

  /** Main-thread work of a source's assets, in file order; `owner` is the asset's row. */
  worksOf(source: Source): AssetWorks | null {
    const works = this.#works.get(source);
    if (works === undefined) return null;
    const { owner, start, end } = works;
    return { owner: owner.trimmed(), start: start.trimmed(), end: end.trimmed() };
  }

  /** Reads the totals of single assets. */
  totals(names: FrameNames): (row: number) => AssetTotals {
    const ids = this.#keys.ids();
    return (row) => {
      const kind = (this.#isKnown(row, NAME) ? this.#givenKind : this.#seenKind).get(row);
      const ms = this.#longestMs.get(row);
      return {
        id: ids(row),
        source: this.sourceOf(row),
        name: names.text(this.nameOf(row)),
        kind: ASSET_KINDS[kind] ?? 'other',
        uses: this.usesOf(row),
        uploads: this.#uploads.get(row),
        bytes: this.bytesOf(row),
        encoded_bytes: this.#isKnown(row, ENCODED) ? this.#encodedBytes.get(row) : null,
        gpu_bytes: this.gpuBytesOf(row),
        format: this.#isKnown(row, FORMAT) ? names.text(this.#format.get(row)) : null,
        dims: [this.#width.get(row), this.#height.get(row)],
        longest: ms > 0 ? { ms, phase: ASSET_PHASES[this.#longestPhase.get(row)] ?? 'load' } : null,
        isOpaque: this.#isKnown(row, OPAQUE),
        read_bytes: this.#isKnown(row, READ) ? this.#readBytes.get(row) : null,
        reads: this.#reads.get(row),
      };
    };
  }

  #isKnown(row: number, bits: number): boolean {
    return (this.#known.get(row) & bits) !== 0;
  }

  #internSlot({ bytes, starts, ends }: RecordScanner, slot: number): number {
    const start = starts[slot] ?? 0;
    const end = ends[slot] ?? 0;
    return this.#texts.intern(bytes, start, end, hashBytes(bytes, start, end));
  }

  #add(row: number, source: Source): void {
    const facts = this.#facts;
    const known = this.#known.get(row);
    let bits = known | ANY;
    if (facts.phase === NAMED) bits |= NAME;
    else this.#uses.set(row, this.#uses.get(row) + 1);
    if (facts.phase === UPLOAD) this.#uploads.set(row, this.#uploads.get(row) + 1);
    if (!Number.isNaN(facts.duration_ms)) {
      this.#times[facts.phase]?.add(row, facts.duration_ms);
      bits |= 1 << facts.phase;
    }
    if (!Number.isNaN(facts.main_thread_ms)) {
      this.#addMainThread(row, source);
      bits |= MAIN_THREAD;
    }
    if (!Number.isNaN(facts.read_bytes)) {
      this.#readBytes.add(row, facts.read_bytes);
      this.#reads.add(row, facts.reads);
      bits |= READ;
    }
    if (facts.opaque) bits |= OPAQUE;
    this.#addName(row, known);
    this.#known.set(row, bits | this.#addLatest(row, known));
  }

  #addName(row: number, known: number): void {
    const { t, name, kind, phase } = this.#facts;
    if (this.#seenName.take(row, known, t, name)) this.#seenKind.set(row, kind);
    if (phase === NAMED && this.#givenName.take(row, known, t, name)) {
      this.#givenKind.set(row, kind);
    }
  }

  /** The sizes, the format, the dimensions; returns the bits of those that the record has. */
  #addLatest(row: number, known: number): number {
    const { t, bytes, encoded_bytes, gpu_bytes, format, width, height } = this.#facts;
    let bits = 0;
    if (!Number.isNaN(bytes)) {
      this.#bytes.take(row, known, t, bytes);
      bits |= BYTES;
    }
    if (!Number.isNaN(encoded_bytes)) {
      this.#encodedBytes.take(row, known, t, encoded_bytes);
      bits |= ENCODED;
    }
    if (!Number.isNaN(gpu_bytes)) {
      this.#gpuBytes.take(row, known, t, gpu_bytes);
      bits |= GPU;
    }
    if (format >= 0) {
      this.#format.take(row, known, t, format);
      bits |= FORMAT;
    }
    if (!Number.isNaN(width)) {
      if (this.#width.take(row, known, t, width)) this.#height.set(row, height);
      bits |= DIMS;
    }
    return bits;
  }

  #addMainThread(row: number, source: Source): void {
    const { t, main_thread_ms: ms, phase } = this.#facts;
    this.#mainThread.add(row, ms);
    if (ms === 0) return;
    if (ms > this.#longestMs.get(row)) {
      this.#longestMs.set(row, ms);
      this.#longestPhase.set(row, phase);
    }
    const works = this.#works.get(source) ?? {
      owner: new Int32List(),
      start: new Float64List(),
      end: new Float64List(),
    };
    this.#works.set(source, works);
    works.owner.push(row);
    works.start.push(t);
    works.end.push(t + ms);
  }
}
