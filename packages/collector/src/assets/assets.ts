// All assets of a recording, and the browser objects that belong to each: a URL, its blob or buffer, the image or bitmap
// created from it, the texture that it was uploaded to.
import type { AssetKind, AssetPhase, AssetRecord } from '@svc/trace/write';
import type { Sink } from '../sink/sink.ts';
import { nameOf, nameOfUrl } from './names.ts';

/** Most assets. All later ones share one. */
const ASSETS = 20_000;
/** Most `blob:` URLs that are kept, also after they are revoked, because engines revoke them before the upload. */
const BLOB_URLS = 2_000;

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
  /** Whether it has a record. */
  isRecorded: boolean;
  /** Whether it is in the list of assets with uploads that are not recorded yet. */
  waiting: boolean;
  /** `gpuBytes` in the last record; 0 without one. */
  gpuRecorded: number;
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
  readonly sink: Sink;
  readonly #byKey = new Map<string, Asset>();
  readonly #ofObject = new WeakMap<object, Asset>();
  readonly #ofBlobUrl = new Map<string, Asset>();
  readonly #numbers = new Map<string, number>();
  #overflow: Asset | null = null;

  constructor(sink: Sink) {
    this.sink = sink;
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
    asset.isRecorded = true;
    const { id, name, kind } = asset;
    this.sink.write({ type: 'asset', t: this.sink.since(at), id, name, kind, phase, ...facts });
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
      isRecorded: false,
      waiting: false,
      gpuRecorded: 0,
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
}
