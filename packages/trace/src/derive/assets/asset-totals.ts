// Totals of the records of each asset, in columns. Memory use depends on the assets and their main-thread work, not on the records.

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
  type ReleaseRecord,
  type Source,
} from '../../format/records.ts';
import { type FrameNames, FrameTable } from '../../stacks/frame-table.ts';
import { type RecordScanner, SLOT } from '../../vpt/scan-record.ts';
import type { AssetWorks } from './asset-hitches.ts';
import { AssetKeys } from './asset-keys.ts';

/** The totals of one asset. Times are sums over its records, sizes are the latest. A value that no record has is null. */
export type AssetTotals = {
  readonly id: AssetId;
  readonly source: Source;
  readonly name: string;
  readonly kind: AssetKind;
  /** The number of its records, except those of phase `named`. */
  readonly uses: number;
  readonly uploads: number;
  readonly bytes: number | null;
  readonly encoded_bytes: number | null;
  readonly gpu_bytes: number | null;
  readonly format: string | null;
  /** Width and height; 0 if unknown. */
  readonly dims: readonly [number, number];
  /** The longest main-thread work of a single record. */
  readonly longest: { readonly phase: AssetPhase; readonly ms: number } | null;
  readonly isOpaque: boolean;
  /** Total bytes read or mapped, and the number of calls that read. `read_bytes` is null if no record has it. */
  readonly read_bytes: number | null;
  readonly reads: number;
};

/** The values of one record. An absent number is NaN, an absent format −1. The object is reused for each record. */
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
  /** The number of calls that read. */
  reads: number;
  format: number;
  width: number;
  height: number;
  opaque: boolean;
};

const NAMED = ASSET_PHASES.indexOf('named');
const UPLOAD = ASSET_PHASES.indexOf('upload');

/** Bits of the known values of an asset. The lower bits are the times of the phases, by their index in ASSET_PHASES. */
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

/** The latest value of each row, by the time of its record. Of two records with the same time, the later one in the file counts. */
class LatestColumn {
  readonly #t = new FloatColumn();
  readonly #value = new FloatColumn();
  readonly #bit: number;

  constructor(bit: number) {
    this.#bit = bit;
  }

  /** Replaces the value of a row unless the known one is later than `t`. Returns whether it was replaced. */
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
  /** Name and kind of the latest record of any phase, and of the latest record of phase `named`. */
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

  /** The number of assets. */
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

  /** The same as `take`, from the bytes of the record's line. */
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

  /** Sets the sizes after a release. The release of an asset without a record is ignored. */
  takeRelease({ id, t, bytes, gpu_bytes }: ReleaseRecord, source: Source): void {
    const row = this.#keys.find(source, id);
    if (row < 0) return;
    const known = this.#known.get(row);
    if (bytes !== undefined) this.#bytes.take(row, known, t, bytes);
    if (gpu_bytes !== undefined) this.#gpuBytes.take(row, known, t, gpu_bytes);
    const bits = (bytes === undefined ? 0 : BYTES) | (gpu_bytes === undefined ? 0 : GPU);
    this.#known.set(row, known | bits);
  }

  /** A function that returns the id of an asset. */
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

  /** The total time of one phase, or of two; null if no record has it. */
  timeOf(row: number, phase: AssetPhase, other: AssetPhase = phase): number | null {
    const [first, second] = [ASSET_PHASES.indexOf(phase), ASSET_PHASES.indexOf(other)];
    if (!this.#isKnown(row, (1 << first) | (1 << second))) return null;
    const ms = this.#times[first]?.get(row) ?? 0;
    return first === second ? ms : ms + (this.#times[second]?.get(row) ?? 0);
  }

  /** The name of an asset, as an index of `names`. */
  nameOf(row: number): number {
    return (this.#isKnown(row, NAME) ? this.#givenName : this.#seenName).get(row);
  }

  names(): FrameNames {
    return this.#texts.names();
  }

  /** Main-thread work of the assets of a source in file order, or null. `owner` is the row of the asset. */
  worksOf(source: Source): AssetWorks | null {
    const works = this.#works.get(source);
    if (works === undefined) return null;
    const { owner, start, end } = works;
    return { owner: owner.trimmed(), start: start.trimmed(), end: end.trimmed() };
  }

  /** A function that returns the totals of one asset. */
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
    else this.#uses.add(row, 1);
    if (facts.phase === UPLOAD) this.#uploads.add(row, 1);
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

  /** Updates sizes, format and dimensions. Returns the bits of the values that the record has. */
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
