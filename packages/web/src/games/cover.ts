// Images of games: the owner's image in responsive sizes, or a cover that is drawn from the game's name.
import type { Game, Media, MediaVariant } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

type Options = {
  /** Alternative text for an image whose owner has not written one. */
  readonly alt: string;
  /** The `sizes` attribute. */
  readonly sizes: string;
  /** Whether the image is visible when the page opens. Other images are loaded when they come near the viewport. */
  readonly eager?: boolean;
  readonly class?: string;
};

/** A `picture` element with all variants of an image. */
export function picture(media: Media, options: Options): Html {
  const { url, width, height, alt } = media;
  return pictureOf(media.variants, { url, width, height }, { ...options, alt: alt ?? options.alt });
}

/** The image is decoded before the first paint. An asynchronously decoded large image appears at least a frame later. */
const EAGER = html`fetchpriority="high" decoding="sync"`;

function pictureOf(
  variants: readonly MediaVariant[],
  whole: { readonly url: string; readonly width: number | null; readonly height: number | null },
  { alt, sizes, eager = false, class: name = '' }: Options,
): Html {
  const sources = ['image/avif', 'image/webp'].map((type) => {
    const set = variants
      .filter((variant) => variant.type === type)
      .map((variant) => `${variant.url} ${variant.width}w`)
      .join(', ');
    return set !== '' && html`<source type="${type}" srcset="${set}" sizes="${sizes}">`;
  });
  return html`<picture class="${name}">${sources}<img src="${whole.url}" alt="${alt}" width="${whole.width}" height="${whole.height}" ${eager ? EAGER : html`loading="lazy" decoding="async"`}></picture>`;
}

/** The width of a cover on a card, on the newest game and in a row of the dashboard, and the widest variant for it in pixels. */
const COVERS = {
  card: { sizes: '(min-width: 34rem) 20rem, 92vw', most: 960 },
  feature: { sizes: '(min-width: 110rem) 60rem, (min-width: 52rem) 60vw, 92vw', most: 1920 },
  row: { sizes: '11rem', most: 480 },
} as const;

/** A game's cover, or a drawn one if it has none. It has no alternative text, because the title is next to it. */
export function coverImage(
  game: Pick<Game, 'slug' | 'title' | 'cover_url' | 'cover_variants'>,
  place: keyof typeof COVERS,
  eager = false,
): Html {
  if (game.cover_url === null) return drawnCover(game);
  const whole = { url: game.cover_url, width: 640, height: 400 };
  const { sizes, most } = COVERS[place];
  const variants = (game.cover_variants ?? []).filter(({ width }) => width <= most);
  return pictureOf(variants, whole, { alt: '', sizes, eager, class: 'cover' });
}

/** The image for link previews, which allow one address and limit its size: the widest WebP variant, else the original. */
export function sharedImage(
  url: string | null | undefined,
  variants: readonly MediaVariant[] = [],
): string | null {
  const [widest] = variants
    .filter(({ type }) => type === 'image/webp')
    .toSorted((a, b) => b.width - a.width);
  return widest?.url ?? url ?? null;
}

/** Draws a landscape. The same slug always yields the same drawing. */
export function drawnCover(game: { slug: string; title: string }): Html {
  const seed = hash(game.slug);
  const hue = seed % 360;
  const second = (hue + 40 + (seed % 50)) % 360;
  const [x, y, r] = [120 + (seed % 400), 70 + ((seed >> 4) % 120), 40 + ((seed >> 8) % 60)];
  const hill = (base: number, step: number): string => {
    const at = (index: number): number => base + (hash(`${game.slug}${step}${index}`) % 70) - 35;
    return `M0 400V${at(0)}C160 ${at(1)} 240 ${at(2)} 320 ${at(3)}S560 ${at(4)} 640 ${at(5)}V400Z`;
  };
  const id = `sky-${seed.toString(36)}`;
  return html`<svg class="cover" viewBox="0 0 640 400" preserveAspectRatio="xMidYMid slice" aria-hidden="true"><defs><linearGradient id="${id}" x2="0" y2="1"><stop stop-color="hsl(${hue} 45% 22%)"/><stop offset="1" stop-color="hsl(${second} 52% 48%)"/></linearGradient></defs><rect width="640" height="400" fill="url(#${id})"/><circle cx="${x}" cy="${y}" r="${r}" fill="hsl(${second} 80% 82%)" opacity=".85"/><path d="${hill(250, 1)}" fill="hsl(${hue} 40% 30%)" opacity=".7"/><path d="${hill(310, 2)}" fill="hsl(${hue} 42% 20%)" opacity=".85"/><path d="${hill(365, 3)}" fill="hsl(${hue} 45% 12%)"/></svg>`;
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value >>> 1;
}
