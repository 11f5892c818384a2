// From a stranger's image to images that are ours: decoded, bounded, re-encoded without metadata, in the sizes pages need.
import type { PlatformLimits } from '@svc/contracts/platform';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { failure } from '../failure.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { createTurns } from './turns.ts';

const WIDTHS = [480, 960, 1920];
/** Side of an avatar: pages show it at 72 CSS pixels at most, on screens with up to three pixels for each. */
const AVATAR_PIXELS = 256;
const MAIN_SECONDS = 30;
/** A variant that takes longer is left out: the others are shown instead. */
const VARIANT_SECONDS = 10;

type Format = 'png' | 'jpeg' | 'webp' | 'avif';

const EXTENSIONS: Readonly<Record<Format, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  avif: 'avif',
};

/** A prepared file with what a page needs to know of it. `suffix` follows the id in its name. */
export type PreparedImage = {
  readonly path: string;
  readonly suffix: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
};

const NOT_AN_IMAGE = 'The image is not a PNG, JPEG, WebP or AVIF';

/** How images of all requests take turns. Decoding one may take hundreds of megabytes and a core, so two run at once. */
export const imageTurns = createTurns(2);

/** An image, and what its preparation depends on. `cut` ends the wait for a turn, and the work between two files. */
export type ImageWork = {
  readonly source: string;
  readonly folder: SpoolFolder;
  readonly limits: PlatformLimits;
  readonly cut: AbortSignal;
};

/** The image at its own size, and its smaller forms in WebP and AVIF. Throws `image_invalid` or `image_too_large`. */
export function prepareImage(
  work: ImageWork,
): Promise<{ main: PreparedImage; variants: PreparedImage[] }> {
  return imageTurns.run(work.cut, () => writeForms(work));
}

/** A square of {@link AVATAR_PIXELS} in WebP, cut from the middle of the image. Throws `image_invalid` or `image_too_large`. */
export function prepareAvatar(work: ImageWork): Promise<PreparedImage> {
  return imageTurns.run(work.cut, () => writeSquare(work));
}

async function writeForms({
  source,
  folder,
  limits,
  cut,
}: ImageWork): Promise<{ main: PreparedImage; variants: PreparedImage[] }> {
  const { format, width } = await inspect(source, limits);
  const image = (): Sharp => openImage(source, limits).autoOrient();
  const main = await write(encode(image(), format, 'main'), folder, format, '', MAIN_SECONDS);
  if (main === null) throw tooSlow();
  const widths = WIDTHS.filter((one) => one < width);
  if (widths.length < WIDTHS.length) widths.push(Math.min(width, WIDTHS.at(-1) ?? width));
  const variants: PreparedImage[] = [];
  for (const wanted of new Set(widths)) {
    for (const kind of ['webp', 'avif'] as const) {
      cut.throwIfAborted();
      const resized = image().resize({ width: wanted, withoutEnlargement: true });
      const encoded = encode(resized, kind, 'variant');
      const made = await write(encoded, folder, kind, `-${wanted}`, VARIANT_SECONDS);
      if (made !== null) variants.push(made);
    }
  }
  return { main, variants };
}

async function writeSquare({ source, folder, limits }: ImageWork): Promise<PreparedImage> {
  await inspect(source, limits);
  const square = openImage(source, limits)
    .autoOrient()
    .resize({ width: AVATAR_PIXELS, height: AVATAR_PIXELS, fit: 'cover' });
  const made = await write(encode(square, 'webp', 'variant'), folder, 'webp', '', MAIN_SECONDS);
  if (made === null) throw tooSlow();
  return made;
}

function tooSlow() {
  return failure('image_too_large', 'The image takes too long to read. Send a smaller one');
}

function openImage(source: string, limits: PlatformLimits): Sharp {
  return sharp(source, { limitInputPixels: limits.image_side_pixels ** 2, failOn: 'error' });
}

async function inspect(
  source: string,
  limits: PlatformLimits,
): Promise<{ format: Format; width: number }> {
  const metadata = await openImage(source, limits)
    .metadata()
    .catch((error: unknown) => {
      throw asImageFailure(error);
    });
  const format = formatOf(metadata);
  const { width, height, autoOrient } = metadata;
  if (format === null) {
    throw failure('image_invalid', NOT_AN_IMAGE);
  }
  if (Math.max(width, height) > limits.image_side_pixels) {
    const most = `Allowed: at most ${limits.image_side_pixels} pixels on each side`;
    throw failure('image_too_large', `The image has ${width} × ${height} pixels. ${most}`);
  }
  return { format, width: autoOrient.width };
}

function formatOf(metadata: Metadata): Format | null {
  const { format, compression } = metadata;
  if (format === 'heif') return compression === 'av1' ? 'avif' : null;
  return format === 'png' || format === 'jpeg' || format === 'webp' ? format : null;
}

function encode(image: Sharp, format: Format, use: 'main' | 'variant'): Sharp {
  const isMain = use === 'main';
  switch (format) {
    case 'png':
      return image.png({ compressionLevel: 7 });
    case 'jpeg':
      return image.jpeg({ quality: 88, mozjpeg: false });
    case 'webp':
      return image.webp({ quality: isMain ? 90 : 80, effort: 3 });
    case 'avif':
      return image.avif({ quality: isMain ? 70 : 55, effort: 1 });
  }
}

/** Writes the image; null where that takes longer than it may. */
async function write(
  image: Sharp,
  folder: SpoolFolder,
  format: Format,
  suffix: string,
  seconds: number,
): Promise<PreparedImage | null> {
  const path = folder.newFile();
  try {
    const { width, height, size } = await image.timeout({ seconds }).toFile(path);
    return {
      path,
      suffix: `${suffix}.${EXTENSIONS[format]}`,
      type: `image/${format}`,
      width,
      height,
      bytes: size,
    };
  } catch (error) {
    if (error instanceof Error && /timeout/i.test(error.message)) return null;
    throw asImageFailure(error);
  }
}

/** What the decoder says is about the image, so its sender's; only a full disk is ours. */
function asImageFailure(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (/no space|ENOSPC|write error/i.test(message)) {
    return failure('storage_full', 'Cannot keep the image: the server has no room left');
  }
  if (/unsupported image format/i.test(message)) return failure('image_invalid', NOT_AN_IMAGE);
  if (/pixel limit/i.test(message)) {
    return failure('image_too_large', 'The image has too many pixels. Send a smaller one');
  }
  return failure('image_invalid', 'The image is damaged or cut off: it cannot be decoded', {
    cause: error,
  });
}
