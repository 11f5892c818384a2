// Converts an uploaded image: decodes it within limits and encodes it without metadata in the sizes that pages need.
import type { PlatformLimits } from '@svc/contracts/platform';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { failure } from '../failure.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { createTurns } from '../files/turns.ts';

const WIDTHS = [480, 960, 1920];
/** Width and height of an avatar. Pages show it at 72 CSS pixels at most, on screens with up to three pixels for each. */
const AVATAR_PIXELS = 256;
const MAIN_SECONDS = 30;
/** A variant that takes longer is omitted; pages use the others. */
const VARIANT_SECONDS = 10;

type Format = 'png' | 'jpeg' | 'webp' | 'avif';

const EXTENSIONS: Readonly<Record<Format, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  avif: 'avif',
};

/** A converted image with its properties. Its name is the id and `suffix`. */
export type PreparedImage = {
  readonly path: string;
  readonly suffix: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
};

const NOT_AN_IMAGE = 'The image is not a PNG, JPEG, WebP or AVIF';

/** Limits the images that are converted at once, over all requests. Decoding one may need hundreds of megabytes and a core. */
export const imageTurns = createTurns(2);

/** An image to convert. `signal` aborts the wait for a turn, and the work between two files. */
export type ImageWork = {
  readonly source: string;
  readonly folder: SpoolFolder;
  readonly limits: PlatformLimits;
  readonly signal: AbortSignal;
};

/** Converts the image at its own size and to smaller variants in WebP and AVIF. Throws `image_invalid` or `image_too_large`. */
export function prepareImage(
  work: ImageWork,
): Promise<{ main: PreparedImage; variants: PreparedImage[] }> {
  return imageTurns.run(work.signal, () => writeForms(work));
}

/** Crops the middle of the image to a square of {@link AVATAR_PIXELS} in WebP. Throws `image_invalid` or `image_too_large`. */
export function prepareAvatar(work: ImageWork): Promise<PreparedImage> {
  return imageTurns.run(work.signal, () => writeSquare(work));
}

async function writeForms({
  source,
  folder,
  limits,
  signal,
}: ImageWork): Promise<{ main: PreparedImage; variants: PreparedImage[] }> {
  const { format, width } = await inspect(source, limits);
  const image = (): Sharp => openImage(source, limits).autoOrient();
  const main = await write(encode(image(), format, 'main'), {
    path: folder.newFile(),
    format,
    suffix: '',
    seconds: MAIN_SECONDS,
  });
  if (main === null) throw tooSlow();
  const widths = WIDTHS.filter((one) => one < width);
  if (widths.length < WIDTHS.length) widths.push(Math.min(width, WIDTHS.at(-1) ?? width));
  const variants: PreparedImage[] = [];
  for (const wanted of new Set(widths)) {
    for (const kind of ['webp', 'avif'] as const) {
      signal.throwIfAborted();
      const resized = image().resize({ width: wanted, withoutEnlargement: true });
      const encoded = encode(resized, kind, 'variant');
      const made = await write(encoded, {
        path: folder.newFile(),
        format: kind,
        suffix: `-${wanted}`,
        seconds: VARIANT_SECONDS,
      });
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
  const made = await write(encode(square, 'webp', 'variant'), {
    path: folder.newFile(),
    format: 'webp',
    suffix: '',
    seconds: MAIN_SECONDS,
  });
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

/** Where and how an image is written. `seconds` is the time limit. */
type Output = {
  readonly path: string;
  readonly format: Format;
  readonly suffix: string;
  readonly seconds: number;
};

/** Writes the image. Returns null if that takes longer than `seconds`. */
async function write(
  image: Sharp,
  { path, format, suffix, seconds }: Output,
): Promise<PreparedImage | null> {
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

/** Converts an error of the decoder. The image causes all of them, except for a full disk. */
function asImageFailure(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (/no space|ENOSPC|write error/i.test(message)) {
    return failure('storage_full', 'Cannot store the image: the server has no disk space left');
  }
  if (/unsupported image format/i.test(message)) return failure('image_invalid', NOT_AN_IMAGE);
  if (/pixel limit/i.test(message)) {
    return failure('image_too_large', 'The image has too many pixels. Send a smaller one');
  }
  return failure('image_invalid', 'The image is damaged or incomplete: it cannot be decoded', {
    cause: error,
  });
}
