// Which assets there are, and which objects of the browser belong to which: a URL, its blob or buffer, the image or
// bitmap made of it, the texture it went into. Uploads are summed up here, so that a busy buffer costs no record a call.
import { type AssetKind, type AssetPhase, type AssetRecord, roundMs } from '@svc/trace/write';
import type { Sink } from '../sink/sink.ts';
import { nameOf, nameOfUrl } from './names.ts';

/** Most assets told apart; what comes later shares one. */
const ASSETS = 20_000;
/** Most `blob:` URLs remembered, also after they were revoked: engines revoke before they upload. */
const BLOB_URLS = 2_000;
/** Main-thread time from which work of one frame gets a record of its own. */
const OWN_RECORD_MS = 0.25;
/** Main-thread time below which a second's uploads are not worth a record yet. */
const WORTH_TELLING_MS = 0.05;

/** One asset, and its uploads that no record tells yet. */
export type Asset = {
  readonly id: number;
  name: string;
  kind: AssetKind;
  /** Named by its URL or the game; or only numbered by us; or shared by many small things. */
  standing: 'known' | 'numbered' | 'shared';
  gpuBytes: number;
  /** Totals for the overlay. */
  mainMs: number;
  bytes: number;
  waiting: boolean;
  toldGpuBytes: number;
  upFrame: number;
  upAt: number;
  upMs: number;
  format: string;
  dims: readonly number[] | null;
};

/** What a record says beside its asset and phase. */
export type AssetFacts = Partial<
  Omit<AssetRecord, 'type' | 'id' | 'name' | 'kind' | 'phase' | 't' | 'source'>
>;

export class Assets {
  readonly all: Asset[] = [];
  /** Bytes of all textures, buffers and renderbuffers alive. */
  gpuBytes = 0;
  readonly #sink: Sink;
  readonly #byKey = new Map<string, Asset>();
  readonly #ofObject = new WeakMap<object, Asset>();
  readonly #ofBlobUrl = new Map<string, Asset>();
  readonly #numbers = new Map<string, number>();
  readonly #waiting: Asset[] = [];
  #tooMany: Asset | null = null;
  #saidGpuBytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    sink.collects.push((all) => this.#collect(all));
  }

  /** The asset behind a URL, made known if it is new; undefined for a URL that names nothing (`data:`, a stray `blob:`). */
  ofUrl(url: string, kind: AssetKind): Asset | undefined {
    const blob = this.#ofBlobUrl.get(url);
    if (blob !== undefined || url === '') return blob;
    const key = url.replace(/#.*$/s, '');
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const name = nameOfUrl(key);
    if (name === null) return undefined;
    const asset = this.#make(name, kind, 'known');
    if (asset !== this.#tooMany) this.#byKey.set(key, asset);
    return asset;
  }

  /** The asset of a URL, relative ones too, or of a key of the game's own: one that no load has made known. */
  ofAddress(text: string, kind: AssetKind, isUrl = /\.\w+($|[?#])|^\w+:\/\//.test(text)): Asset {
    const base = globalThis.document?.baseURI ?? globalThis.location?.href;
    const url = URL.parse?.(text, base)?.href ?? text;
    const known = this.#byKey.get(url.replace(/#.*$/s, '')) ?? this.#ofBlobUrl.get(url);
    if (known !== undefined) return known;
    return (isUrl ? this.ofUrl(url, kind) : null) ?? this.ofName(text, kind);
  }

  /** The asset of a name that is no URL: made up by the game, or shared by all small things of a sort. */
  ofName(name: string, kind: AssetKind, standing: 'known' | 'shared' = 'known'): Asset {
    const key = ` ${name}`;
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const asset = this.#make(nameOf(name, 'unnamed'), kind, standing);
    if (asset !== this.#tooMany) this.#byKey.set(key, asset);
    return asset;
  }

  /** The asset an object belongs to, by the object itself, the buffer under it, or the URL it was loaded from. */
  of(object: unknown, kind: AssetKind): Asset | undefined {
    if (typeof object !== 'object' || object === null) return undefined;
    const own = this.#ofObject.get(object);
    if (own !== undefined) return own;
    if (ArrayBuffer.isView(object)) return this.#ofObject.get(object.buffer);
    if ('data' in object && ArrayBuffer.isView(object.data)) return this.of(object.data, kind);
    const url = 'currentSrc' in object ? object.currentSrc : 'src' in object ? object.src : '';
    return typeof url === 'string' ? this.ofUrl(url, kind) : undefined;
  }

  /** The asset an object was tied to, itself. */
  own(object: object): Asset | undefined {
    return this.#ofObject.get(object);
  }

  /** From now on the object belongs to the asset. */
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

  /** An asset nobody named, called after what it is: "texture 3". */
  unnamed(what: string, kind: AssetKind): Asset {
    const number = (this.#numbers.get(what) ?? 0) + 1;
    this.#numbers.set(what, number);
    return this.#make(`${what} ${number}`, kind, 'numbered');
  }

  /** Writes what happened to an asset. `at` is a time on the page's time line. */
  tell(asset: Asset, phase: AssetPhase, at: number, facts: AssetFacts): void {
    asset.mainMs += facts.main_thread_ms ?? 0;
    asset.bytes = facts.bytes ?? asset.bytes;
    const { id, name, kind } = asset;
    this.#sink.write({ type: 'asset', t: this.#sink.since(at), id, name, kind, phase, ...facts });
  }

  /** Adds work on the main thread to an asset's uploads, and what it changed in GPU memory. */
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

  /** Moves bytes of GPU memory from one asset to another; of a numbered asset never told, its time too. */
  move(from: Asset, to: Asset, gpuBytes: number): void {
    const untold = from.standing === 'numbered' && from.toldGpuBytes < 0;
    this.upload(to, from.upAt, untold ? from.upMs : 0, gpuBytes);
    this.upload(from, from.upAt, untold ? -from.upMs : 0, -gpuBytes);
  }

  #make(name: string, kind: AssetKind, standing: Asset['standing']): Asset {
    if (this.#tooMany !== null) return this.#tooMany;
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
      toldGpuBytes: -1,
      upFrame: -1,
      upAt: 0,
      upMs: 0,
      format: '',
      dims: null,
    };
    if (full) this.#tooMany = asset;
    this.all.push(asset);
    return asset;
  }

  #collect(all: boolean): void {
    const { length } = this.#waiting;
    let kept = 0;
    for (let at = 0; at < length; at++) {
      const asset = this.#waiting[at];
      if (asset === undefined) continue;
      const told = Math.max(0, asset.toldGpuBytes);
      if (asset.upMs >= WORTH_TELLING_MS || asset.gpuBytes !== told || (all && asset.upMs > 0)) {
        this.#write(asset);
      }
      if (asset.upMs > 0) this.#waiting[kept++] = asset;
      else asset.waiting = false;
    }
    this.#waiting.length = kept;
    if (this.gpuBytes === this.#saidGpuBytes) return;
    this.#saidGpuBytes = this.gpuBytes;
    this.#sink.count('gpu_bytes', 'bytes', this.gpuBytes);
  }

  /** One record of all uploads since the last. */
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
    asset.toldGpuBytes = asset.gpuBytes;
    asset.upMs = 0;
  }
}
