// All existing textures, buffers and renderbuffers: their GPU memory and their assets.
import type { AssetKind } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import { Uploads } from './uploads.ts';

/** Unnamed objects that are smaller share one asset per sort, because engines create thousands of them. */
export const SMALL_BYTES = 65_536;

/** GPU memory of one WebGL context or WebGPU device by asset. It is freed when the context or device is lost. */
type Ledger = { lost: boolean; readonly bytes: Map<Asset, number> };

/** One object of a graphics API. */
export type GpuObject = {
  asset: Asset;
  bytes: number;
  /** Bytes of each image of a texture, by level and face; empty for buffers. */
  readonly images: number[];
  /** Format and size of its largest image; empty and null for buffers. */
  format: string;
  dims: readonly number[] | null;
  /** The ledger of its context; null if the context is unknown. */
  readonly ledger: Ledger | null;
};

/** A call that stored an object or wrote into it. */
type Upload = {
  /** The sort of object, for the name of an unnamed asset. */
  readonly what: string;
  readonly kind: AssetKind;
  /** When the call started, and its main-thread time in milliseconds. */
  readonly at: number;
  readonly ms: number;
  /** The bytes of the object after the call. */
  readonly bytes: number;
  /** The asset that the data came from; absent if it is unknown. */
  readonly from?: Asset | undefined;
};

export class GpuObjects {
  readonly assets: Assets;
  readonly uploads: Uploads;
  readonly #objects = new WeakMap<object, GpuObject>();
  readonly #ledgers = new WeakMap<object, Ledger>();
  /** Called with each context or device when its first object is seen. */
  onContext: (context: object) => void = () => {};

  constructor(assets: Assets) {
    this.assets = assets;
    this.uploads = new Uploads(assets);
  }

  /** The entry of an object; a new one is added. Undefined if `object` is not an object. `context` is its context or device. */
  of(
    object: unknown,
    what: string,
    kind: AssetKind,
    context: object | null,
  ): GpuObject | undefined {
    if (typeof object !== 'object' || object === null) return undefined;
    const found = this.#objects.get(object);
    if (found !== undefined) return found;
    const { assets } = this;
    const asset = assets.of(object, kind) ?? assets.ofName(`small ${what} objects`, kind, 'shared');
    const ledger = context === null ? null : this.#ledgerOf(context);
    const made: GpuObject = { asset, bytes: 0, images: [], format: '', dims: null, ledger };
    this.#objects.set(object, made);
    return made;
  }

  /** The asset of an object, unless it is a shared one. */
  assetOf(object: object): Asset | undefined {
    const asset = this.#objects.get(object)?.asset;
    return asset?.standing === 'shared' ? undefined : asset;
  }

  /** Moves an object to the asset that the game has named. */
  give(object: object, to: Asset): void {
    const found = this.#objects.get(object);
    if (found !== undefined) this.#give(found, to);
  }

  /** Records a call that stored an object or wrote into it. */
  update(object: GpuObject, { what, kind, at, ms, bytes, from }: Upload): void {
    settle(object);
    const { standing } = object.asset;
    if (from !== undefined && standing !== 'known') this.#give(object, from);
    else if (standing === 'shared' && bytes >= SMALL_BYTES) {
      this.#give(object, this.assets.unnamed(what, kind));
    }
    if (object.asset.kind === 'other') object.asset.kind = kind;
    const kept = object.ledger?.lost === true ? 0 : bytes;
    const grown = kept - object.bytes;
    object.bytes = kept;
    count(object, object.asset, grown);
    if (from === undefined || from === object.asset) {
      this.uploads.add(object.asset, at, ms, grown);
      return;
    }
    this.uploads.add(object.asset, at, 0, grown);
    this.uploads.add(from, at, ms, 0);
  }

  /** Sets format and size of the object's asset, if this image is the largest so far. */
  describe(
    object: GpuObject,
    format: string,
    [width = 0, height = 0, depth = 0]: readonly number[],
  ): void {
    if (!(width > 0 && height > 0)) return;
    const dims = [width, height, ...(depth > 1 ? [depth] : [])];
    if (areaOf(dims) < areaOf(object.dims)) return;
    object.format = format;
    object.dims = dims;
    copyShape(object);
  }

  /** Records that an object was deleted and its memory freed. */
  remove(object: unknown, at: number, ms: number): void {
    if (typeof object !== 'object' || object === null) return;
    const found = this.#objects.get(object);
    if (found === undefined) return;
    this.#objects.delete(object);
    settle(found);
    count(found, found.asset, -found.bytes);
    const { asset, bytes } = found;
    // A lost context freed it before.
    if (bytes > 0) this.uploads.release(asset, at, ms, bytes);
    else this.uploads.add(asset, at, ms, 0);
  }

  /** Records that a context or device was lost with the memory of its objects. A WebGL context may be restored (`forGood` false). */
  loseContext(context: object, at: number, forGood: boolean): void {
    const ledger = this.#ledgers.get(context);
    if (ledger === undefined) return;
    ledger.lost = true;
    for (const [asset, bytes] of ledger.bytes) this.uploads.add(asset, at, 0, -bytes);
    ledger.bytes.clear();
    if (!forGood) this.#ledgers.set(context, { lost: false, bytes: new Map() });
  }

  #ledgerOf(context: object): Ledger {
    const found = this.#ledgers.get(context);
    if (found !== undefined) return found;
    const made: Ledger = { lost: false, bytes: new Map() };
    this.#ledgers.set(context, made);
    this.onContext(context);
    return made;
  }

  #give(object: GpuObject, to: Asset): void {
    settle(object);
    if (object.asset !== to) {
      this.uploads.move(object.asset, to, object.bytes);
      count(object, object.asset, -object.bytes);
      count(object, to, object.bytes);
    }
    object.asset = to;
    copyShape(object);
  }
}

/** An object of a lost context has no memory. */
function settle(object: GpuObject): void {
  if (object.ledger?.lost === true) object.bytes = 0;
}

/** Adds the change of an object's memory to its ledger. */
function count({ ledger }: GpuObject, asset: Asset, grown: number): void {
  if (ledger !== null && grown !== 0)
    ledger.bytes.set(asset, (ledger.bytes.get(asset) ?? 0) + grown);
}

/** Copies format and size to the asset, except to a shared one. An asset with a number is also named by them. */
function copyShape({ asset, format, dims }: GpuObject): void {
  if (asset.standing === 'shared' || dims === null || areaOf(dims) < areaOf(asset.dims)) return;
  asset.format = format;
  asset.dims = dims;
  if (asset.standing === 'numbered') {
    const size = ` ${dims.join('×')} ${format.toUpperCase()} `;
    asset.name = asset.name.replace(/ .*?(?=\d+$)/, size);
  }
}

function areaOf(dims: readonly number[] | null): number {
  const [width = 0, height = 0] = dims ?? [];
  return width * height;
}
