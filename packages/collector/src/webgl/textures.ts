// Memory of WebGL textures and renderbuffers: all calls that store an image, with its bytes and the source of its data.
import type { GpuObject, GpuObjects } from '../gpu/gpu-objects.ts';
import { type Format, fullMipLevels, imageBytes, mipChainBytes } from '../gpu/texture-size.ts';
import { field } from '../hooks/field.ts';
import { whole } from '../hooks/whole.ts';
import type { Sink } from '../sink/sink.ts';
import { boundTo, faceOf, TEXTURE_3D, TEXTURE_CUBE_MAP } from './bindings.ts';
import { type AfterGl, timeGl } from './contexts.ts';
import { formatOf } from './formats.ts';

/** The image that a call stores (null: it only writes into an existing image), and the source of its data. */
type Stored = { readonly image: Image | null; readonly source: unknown };
/** One image: its mip level, format and size in pixels. */
type Image = {
  readonly level: number;
  readonly format: Format | undefined;
  readonly size: readonly [number, number, number];
};

/** The first image of a texture, which generateMipmap starts from. */
type Base = { readonly format: Format; readonly size: readonly [number, number, number] };

/** Calls that write into an existing image. */
const SUB_IMAGE_CALLS = [
  'texSubImage2D',
  'texSubImage3D',
  'compressedTexSubImage2D',
  'compressedTexSubImage3D',
];

/** Tracks textures and renderbuffers of the given context prototypes. */
export function followTextures(
  sink: Sink,
  objects: GpuObjects,
  owners: readonly object[],
): ((() => void) | null)[] {
  const bases = new WeakMap<GpuObject, Base>();
  const time = (name: string, after: AfterGl) => timeGl(sink, owners, name, after);

  const store = (name: string, read: (args: readonly unknown[]) => Stored) =>
    time(name, (gl, args, _result, at, ms) => {
      const target = whole(args[0]);
      const texture = objects.of(boundTo(gl, target), 'texture', 'texture', gl);
      if (texture === undefined) return;
      const { image, source } = read(args);
      const from = objects.assets.of(source, 'texture');
      const bytes = image === null ? texture.bytes : put(texture, image, faceOf(target));
      if (image !== null && image.level === 0) remember(bases, texture, image);
      objects.update(texture, { what: 'texture', kind: 'texture', at, ms, bytes, from });
      if (image !== null && image.level === 0 && image.format !== undefined)
        objects.describe(texture, image.format.name, image.size);
    });

  const storage = (name: string, depthAt: number) =>
    time(name, (gl, args, _result, at, ms) => {
      const [target = 0, levels = 0, internal = 0, width = 0, height = 0] = args.map(whole);
      const texture = objects.of(boundTo(gl, target), 'texture', 'texture', gl);
      const format = formatOf(internal);
      if (texture === undefined || format === undefined) return;
      const depth = depthAt === 0 ? 1 : whole(args[depthAt]);
      const faces = target === TEXTURE_CUBE_MAP ? 6 : 1;
      const shrinkDepth = target === TEXTURE_3D;
      const chain = mipChainBytes(format, [width, height, depth], { levels, shrinkDepth });
      const bytes = chain * faces;
      objects.update(texture, { what: 'texture', kind: 'texture', at, ms, bytes });
      objects.describe(texture, format.name, [width, height, depth]);
    });

  return [
    ...store('texImage2D', readTexImage2D),
    ...store('texImage3D', readTexImage3D),
    ...store('compressedTexImage2D', (args) => readCompressed(args, 1)),
    ...store('compressedTexImage3D', (args) => readCompressed(args, whole(args[5]))),
    ...store('copyTexImage2D', readCopy),
    ...SUB_IMAGE_CALLS.flatMap((name) => store(name, readSub)),
    ...storage('texStorage2D', 0),
    ...storage('texStorage3D', 5),
    ...time('generateMipmap', (gl, args, _result, at, ms) => {
      const target = whole(args[0]);
      const texture = objects.of(boundTo(gl, target), 'texture', 'texture', gl);
      const base = texture === undefined ? undefined : bases.get(texture);
      if (texture === undefined) return;
      const bytes = base === undefined ? texture.bytes : fillMips(texture, base, target);
      objects.update(texture, { what: 'texture', kind: 'texture', at, ms, bytes });
    }),
    ...time('deleteTexture', (_gl, args, _result, at, ms) => objects.remove(args[0], at, ms)),
    ...followRenderbuffers(objects, time),
  ];
}

function followRenderbuffers(
  objects: GpuObjects,
  time: (name: string, after: AfterGl) => ((() => void) | null)[],
): ((() => void) | null)[] {
  const storage = (name: string, samplesAt: number | null) =>
    time(name, (gl, args, _result, at, ms) => {
      const buffer = objects.of(boundTo(gl, whole(args[0])), 'renderbuffer', 'other', gl);
      const [internal = 0, width = 0, height = 0] = args.slice((samplesAt ?? 0) + 1).map(whole);
      const format = formatOf(internal);
      if (buffer === undefined || format === undefined) return;
      const samples = samplesAt === null ? 1 : Math.max(1, whole(args[samplesAt]));
      const bytes = imageBytes(format, width, height) * samples;
      objects.update(buffer, { what: 'renderbuffer', kind: 'other', at, ms, bytes });
      objects.describe(buffer, format.name, [width, height]);
    });
  return [
    ...storage('renderbufferStorage', null),
    ...storage('renderbufferStorageMultisample', 1),
    ...time('deleteRenderbuffer', (_gl, args, _result, at, ms) => objects.remove(args[0], at, ms)),
  ];
}

/** Sets one image of a texture. Returns the bytes of all its images. */
function put(texture: GpuObject, image: Image, face: number): number {
  const { level, format, size } = image;
  if (format === undefined || level < 0 || level > 31) return texture.bytes;
  const at = level * 6 + face;
  const bytes = imageBytes(format, ...size);
  const sum = texture.bytes - (texture.images[at] ?? 0) + bytes;
  texture.images[at] = bytes;
  return sum;
}

function remember(
  bases: WeakMap<GpuObject, Base>,
  texture: GpuObject,
  { format, size }: Image,
): void {
  if (format !== undefined) bases.set(texture, { format, size });
}

/** Sets all mip levels below the first on every face. Returns the bytes of all images. */
function fillMips(texture: GpuObject, { format, size }: Base, target: number): number {
  const shrinkDepth = target === TEXTURE_3D;
  const [width, height, depth] = size;
  const levels = fullMipLevels(width, height, shrinkDepth ? depth : 1);
  let bytes = 0;
  for (let face = 0; face < (target === TEXTURE_CUBE_MAP ? 6 : 1); face++) {
    bytes += texture.images[face] ?? 0;
    for (let level = 1; level < levels; level++) {
      const one = mipChainBytes(format, size, { levels: level + 1, from: level, shrinkDepth });
      texture.images[level * 6 + face] = one;
      bytes += one;
    }
  }
  return bytes;
}

function readTexImage2D(args: readonly unknown[]): Stored {
  const [, level = 0, internal = 0] = args.slice(0, 3).map(whole);
  if (args.length <= 6) {
    const source = args[5];
    const format = formatOf(internal, whole(args[4]));
    return { image: { level, format, size: sizeOf(source) }, source };
  }
  const format = formatOf(internal, whole(args[7]));
  return { image: { level, format, size: [whole(args[3]), whole(args[4]), 1] }, source: args[8] };
}

function readTexImage3D(args: readonly unknown[]): Stored {
  const [, level = 0, internal = 0, width = 0, height = 0, depth = 0] = args.slice(0, 6).map(whole);
  const format = formatOf(internal, whole(args[8]));
  return { image: { level, format, size: [width, height, depth] }, source: args[9] };
}

function readCompressed(args: readonly unknown[], depth: number): Stored {
  const [, level = 0, internal = 0, width = 0, height = 0] = args.slice(0, 5).map(whole);
  const source = args.slice(5).find((one) => typeof one === 'object');
  return { image: { level, format: formatOf(internal), size: [width, height, depth] }, source };
}

function readCopy(args: readonly unknown[]): Stored {
  const [, level = 0, internal = 0, , , width = 0, height = 0] = args.map(whole);
  return { image: { level, format: formatOf(internal), size: [width, height, 1] }, source: null };
}

function readSub(args: readonly unknown[]): Stored {
  return { image: null, source: args.findLast((one) => typeof one === 'object') };
}

/** The size in pixels of a texture source: image, bitmap, canvas, pixel data, video, video frame. */
function sizeOf(source: unknown): readonly [number, number, number] {
  const isSize = (value: unknown) => typeof value === 'number' && value > 0;
  const read = (...keys: string[]) => whole(keys.map((key) => field(source, key)).find(isSize));
  return [
    read('videoWidth', 'naturalWidth', 'displayWidth', 'width'),
    read('videoHeight', 'naturalHeight', 'displayHeight', 'height'),
    1,
  ];
}
