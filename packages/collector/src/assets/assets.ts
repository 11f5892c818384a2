// All assets of a recording, and the browser objects that belong to each: a URL, its blob or buffer, the image or bitmap
// created from it, the texture that it was uploaded to. Uploads are summed here, so that not every call gets a record.
import { type AssetKind, type AssetPhase, type AssetRecord, roundMs } from '@svc/trace/write';
import type { Sink } from '../sink/sink.ts';
import { nameOf, nameOfUrl } from './names.ts';

/** Most assets. All later ones share one. */
const ASSETS = 20_000;
/** Most `blob:` URLs that are kept, also after they are revoked, because engines revoke them before the upload. */
const BLOB_URLS = 2_000;
/** Uploads of an asset in one frame that take longer than this get their own record. */
const OWN_RECORD_MS = 0.25;
/** Uploads within a second that take less than this are added to a later record. */
const RECORDED_MS = 0.05;

/** One asset, and its uploads that are not recorded yet. */
export type Asset = {
  readonly id: number;
  name: string;
  kind: AssetKind;
  /** `known`: named by its URL or the game. `numbered`: named by the collector. `shared`: the asset of many small objects. */
  standing: 'known' | 'numbered' | 'shared';
  gpuBytes: number;
  /** Totals for the overlay. */
  mainMs: number;
  bytes: number;
  /** Whether it is in the list of assets with uploads that are not recorded yet. */
  waiting: boolean;
  /** `gpuBytes` in the last record; −1 without one. */
  lastGpuBytes: number;
  /** The frame and the start of the latest uploads, and the time of those that are not recorded yet. */
  upFrame: number;
  upAt: number;
  upMs: number;
  format: string;
  dims: readonly number[] | null;
};

/** The fields of a record besides its asset and phase. */
export type AssetFacts = Partial<
  Omit<AssetRecord, 'type' | 'id' | 'name' | 'kind' | 'phase' | 't' | 'source'>
>;

export class Assets {
  readonly all: Asset[] = [];
  /** Bytes of all existing textures, buffers and renderbuffers. */
  gpuBytes = 0;
  readonly #sink: Sink;
  readonly #byKey = new Map<string, Asset>();
  readonly #ofObject = new WeakMap<object, Asset>();
  readonly #ofBlobUrl = new Map<string, Asset>();
  readonly #numbers = new Map<string, number>();
  readonly #waiting: Asset[] = [];
  #overflow: Asset | null = null;
  #lastGpuBytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    sink.collects.push((all) => this.#collect(all));
  }

  /** The asset of a URL; a new one is added. Undefined for URLs without a name (`data:`, unknown `blob:`). */
  ofUrl(url: string, kind: AssetKind): Asset | undefined {
    const blob = this.#ofBlobUrl.get(url);
    if (blob !== undefined || url === '') return blob;
    const key = url.replace(/#.*$/s, '');
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const name = nameOfUrl(key);
    if (name === null) return undefined;
    const asset = this.#make(name, kind, 'known');
    if (asset !== this.#overflow) this.#byKey.set(key, asset);
    return asset;
  }

  /** The asset of an absolute or relative URL, or of a key of the game. */
  ofAddress(text: string, kind: AssetKind, isUrl = /\.\w+($|[?#])|^\w+:\/\//.test(text)): Asset {
    const base = globalThis.document?.baseURI ?? globalThis.location?.href;
    const url = URL.parse?.(text, base)?.href ?? text;
    const known = this.#byKey.get(url.replace(/#.*$/s, '')) ?? this.#ofBlobUrl.get(url);
    if (known !== undefined) return known;
    return (isUrl ? this.ofUrl(url, kind) : null) ?? this.ofName(text, kind);
  }

  /** The asset of a name that is not a URL: given by the game, or shared by all small objects of a sort. */
  ofName(name: string, kind: AssetKind, standing: 'known' | 'shared' = 'known'): Asset {
    const key = ` ${name}`;
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const asset = this.#make(nameOf(name, 'unnamed'), kind, standing);
    if (asset !== this.#overflow) this.#byKey.set(key, asset);
    return asset;
  }

  /** The asset of an object, found by the object, its buffer or its URL. */
  of(object: unknown, kind: AssetKind): Asset | undefined {
    if (typeof object !== 'object' || object === null) return undefined;
    const own = this.#ofObject.get(object);
    if (own !== undefined) return own;
    if (ArrayBuffer.isView(object)) return this.#ofObject.get(object.buffer);
    if ('data' in object && ArrayBuffer.isView(object.data)) return this.of(object.data, kind);
    const url = 'currentSrc' in object ? object.currentSrc : 'src' in object ? object.src : '';
    return typeof url === 'string' ? this.ofUrl(url, kind) : undefined;
  }

  /** The asset that the object itself was tied to, without its buffer and URL. */
  tiedTo(object: object): Asset | undefined {
    return this.#ofObject.get(object);
  }

  /** Makes the object belong to the asset. */
  tie(object: unknown, asset: Asset | undefined): void {
    if (asset === undefined || typeof object !== 'object' || object === null) return;
    this.#ofObject.set(object, asset);
  }

  tieBlobUrl(url: string, asset: Asset | undefined): void {
    if (asset === undefined) return;
    this.#ofBlobUrl.set(url, asset);
    if (this.#ofBlobUrl.size > BLOB_URLS) {
      for (const oldest of this.#ofBlobUrl.keys()) {
        this.#ofBlobUrl.delete(oldest);
        break;
      }
    }
  }

  /** Adds an asset without a known name, for example "texture 3". */
  unnamed(what: string, kind: AssetKind): Asset {
    const number = (this.#numbers.get(what) ?? 0) + 1;
    this.#numbers.set(what, number);
    return this.#make(`${what} ${number}`, kind, 'numbered');
  }

  /** Writes a record of an asset. `at` is a time of the page's clock. */
  record(asset: Asset, phase: AssetPhase, at: number, facts: AssetFacts): void {
    asset.mainMs += facts.main_thread_ms ?? 0;
    asset.bytes = facts.bytes ?? asset.bytes;
    const { id, name, kind } = asset;
    this.#sink.write({ type: 'asset', t: this.#sink.since(at), id, name, kind, phase, ...facts });
  }

  /** Adds main-thread time and a change of GPU memory to the uploads of an asset. */
  upload(asset: Asset, at: number, ms: number, gpuBytes: number): void {
    const { frame } = this.#sink;
    if (asset.waiting && asset.upFrame !== frame && asset.upMs >= OWN_RECORD_MS) this.#write(asset);
    if (asset.upMs === 0 || asset.upFrame !== frame) asset.upAt = at;
    asset.upFrame = frame;
    asset.upMs += ms;
    asset.mainMs += ms;
    asset.gpuBytes += gpuBytes;
    this.gpuBytes += gpuBytes;
    if (asset.waiting) return;
    asset.waiting = true;
    this.#waiting.push(asset);
  }

  /** Moves GPU memory from one asset to another. The upload time moves too if `from` is numbered and has no record yet. */
  move(from: Asset, to: Asset, gpuBytes: number): void {
    const unrecorded = from.standing === 'numbered' && from.lastGpuBytes < 0;
    this.upload(to, from.upAt, unrecorded ? from.upMs : 0, gpuBytes);
    this.upload(from, from.upAt, unrecorded ? -from.upMs : 0, -gpuBytes);
  }

  #make(name: string, kind: AssetKind, standing: Asset['standing']): Asset {
    if (this.#overflow !== null) return this.#overflow;
    const full = this.all.length === ASSETS;
    const asset: Asset = {
      id: this.all.length + 1,
      name: full ? 'assets beyond the first 20,000' : name,
      kind: full ? 'other' : kind,
      standing,
      gpuBytes: 0,
      mainMs: 0,
      bytes: 0,
      waiting: false,
      lastGpuBytes: -1,
      upFrame: -1,
      upAt: 0,
      upMs: 0,
      format: '',
      dims: null,
    };
    if (full) this.#overflow = asset;
    this.all.push(asset);
    return asset;
  }

  #collect(all: boolean): void {
    const { length } = this.#waiting;
    let kept = 0;
    for (let at = 0; at < length; at++) {
      const asset = this.#waiting[at];
      if (asset === undefined) continue;
      const recorded = Math.max(0, asset.lastGpuBytes);
      if (asset.upMs >= RECORDED_MS || asset.gpuBytes !== recorded || (all && asset.upMs > 0)) {
        this.#write(asset);
      }
      if (asset.upMs > 0) this.#waiting[kept++] = asset;
      else asset.waiting = false;
    }
    this.#waiting.length = kept;
    if (this.gpuBytes === this.#lastGpuBytes) return;
    this.#lastGpuBytes = this.gpuBytes;
    this.#sink.count('gpu_bytes', 'bytes', this.gpuBytes);
  }

  /** Writes one record of all uploads since the last record. */
  #write(asset: Asset): void {
    const ms = roundMs(asset.upMs);
    this.#sink.write({
      type: 'asset',
      t: this.#sink.since(asset.upAt),
      id: asset.id,
      name: asset.name,
      kind: asset.kind,
      phase: 'upload',
      gpu_bytes: asset.gpuBytes,
      ...(ms > 0 && { duration_ms: ms, main_thread_ms: ms }),
      ...(asset.dims !== null && { dims: asset.dims }),
      ...(asset.format !== '' && { format: asset.format }),
    });
    asset.lastGpuBytes = asset.gpuBytes;
    asset.upMs = 0;
  }
}
