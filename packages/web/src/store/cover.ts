// Pictures of games: the owner's in the sizes that fit, or one made from the game's name where there is none.
import type { Media } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

/** An image in the forms the browser can choose from. `sizes` as in HTML; the first seen ones are not lazy. */
export function picture(
  media: Media,
  options: { alt: string; sizes: string; eager?: boolean; class?: string },
): Html {
  const variants = (type: string): string =>
    media.variants
      .filter((variant) => variant.type === type)
      .map((variant) => `${variant.url} ${variant.width}w`)
      .join(', ');
  const sources = ['image/avif', 'image/webp'].map((type) => {
    const set = variants(type);
    return set !== '' && html`<source type="${type}" srcset="${set}" sizes="${options.sizes}">`;
  });
  return html`<picture class="${options.class ?? ''}">${sources}<img src="${media.url}" alt="${media.alt ?? options.alt}" width="${media.width}" height="${media.height}" ${options.eager === true ? html`fetchpriority="high"` : html`loading="lazy" decoding="async"`}></picture>`;
}

/** A game's cover by its address alone, or a drawn one. */
export function coverImage(
  game: { slug: string; title: string; cover_url: string | null },
  eager = false,
): Html {
  if (game.cover_url === null) return drawnCover(game);
  return html`<img class="cover" src="${game.cover_url}" alt="" width="640" height="400" ${eager ? html`fetchpriority="high"` : html`loading="lazy" decoding="async"`}>`;
}

/** A quiet landscape, always the same for the same game. */
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
