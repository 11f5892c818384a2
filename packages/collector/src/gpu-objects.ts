// The textures, buffers and renderbuffers alive: what each holds in GPU memory, and whose asset it is.
import type { AssetKind } from '@svc/trace/write';
import type { Asset, Assets } from './assets.ts';

/** Objects below this share one asset a sort unless something names them: an engine makes thousands of them. */
export const SMALL_BYTES = 65_536;

/** One object of a graphics API. */
export type GpuObject = {
  asset: Asset;
  bytes: number;
  /** Bytes of each image of a texture, by level and face; empty for what has none. */
  readonly images: number[];
  /** Of its largest image; empty and null for what has none. */
  format: string;
  dims: readonly number[] | null;
  /** All objects of its WebGL context, this one among them; null where no context can be lost. */
  readonly siblings: Set<GpuObject> | null;
};

export class GpuObjects {
  readonly assets: Assets;
  readonly #objects = new WeakMap<object, GpuObject>();
  readonly #ofContext = new WeakMap<object, Set<GpuObject>>();
  /** Told each WebGL context when its first object is seen. */
  onContext: (context: object) => void = () => {};

  constructor(assets: Assets) {
    this.assets = assets;
  }

  /** The object's entry, made if it is new; undefined where there is no object. `context` is the WebGL context it lives in. */
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
    const siblings = context === null ? null : this.#objectsOf(context);
    const made: GpuObject = { asset, bytes: 0, images: [], format: '', dims: null, siblings };
    siblings?.add(made);
    this.#objects.set(object, made);
    return made;
  }

  /** The asset of an object that has one to itself. */
  assetOf(object: object): Asset | undefined {
    const asset = this.#objects.get(object)?.asset;
    return asset?.standing === 'shared' ? undefined : asset;
  }

  /** The game says whose the object is. */
  give(object: object, to: Asset): void {
    const found = this.#objects.get(object);
    if (found !== undefined) this.#give(found, to);
  }

  /** What a call did: time on the main thread, the bytes the object holds now, and what it was fed from. */
  did(
    object: GpuObject,
    what: string,
    kind: AssetKind,
    at: number,
    ms: number,
    bytes: number,
    source: Asset | undefined,
  ): void {
    const { standing } = object.asset;
    if (source !== undefined && standing !== 'known') this.#give(object, source);
    else if (standing === 'shared' && bytes >= SMALL_BYTES) {
      this.#give(object, this.assets.unnamed(what, kind));
    }
    const grown = bytes - object.bytes;
    object.bytes = bytes;
    if (source === undefined || source === object.asset) {
      this.assets.upload(object.asset, at, ms, grown);
      return;
    }
    this.assets.upload(object.asset, at, 0, grown);
    this.assets.upload(source, at, ms, 0);
  }

  /** Format and size stand in the records of an asset: those of its largest image. */
  describe(object: GpuObject, format: string, [width, height, depth]: readonly number[]): void {
    const dims = [width ?? 0, height ?? 0, ...(depth !== undefined && depth > 1 ? [depth] : [])];
    if (areaOf(dims) < areaOf(object.dims)) return;
    object.format = format;
    object.dims = dims;
    tellShape(object);
  }

  /** The object is gone: its memory is free. */
  gone(object: unknown, at: number, ms: number): void {
    if (typeof object !== 'object' || object === null) return;
    const found = this.#objects.get(object);
    if (found === undefined) return;
    this.#objects.delete(object);
    found.siblings?.delete(found);
    this.assets.upload(found.asset, at, ms, -found.bytes);
  }

  /** The context is lost, and with it the memory of all its objects. */
  lost(context: object, at: number): void {
    const objects = this.#ofContext.get(context);
    for (const object of objects ?? []) {
      this.assets.upload(object.asset, at, 0, -object.bytes);
      object.bytes = 0;
      object.images.length = 0;
    }
    objects?.clear();
  }

  #objectsOf(context: object): Set<GpuObject> {
    const found = this.#ofContext.get(context);
    if (found !== undefined) return found;
    const made = new Set<GpuObject>();
    this.#ofContext.set(context, made);
    this.onContext(context);
    return made;
  }

  #give(object: GpuObject, to: Asset): void {
    if (object.asset !== to) this.assets.move(object.asset, to, object.bytes);
    object.asset = to;
    tellShape(object);
  }
}

/** What many small things share has no shape. */
function tellShape({ asset, format, dims }: GpuObject): void {
  if (asset.standing === 'shared' || dims === null || areaOf(dims) < areaOf(asset.dims)) return;
  asset.format = format;
  asset.dims = dims;
}

function areaOf(dims: readonly number[] | null): number {
  const [width = 0, height = 0] = dims ?? [];
  return width * height;
}
