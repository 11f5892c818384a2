import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Media, MediaVariant } from '@svc/contracts/platform';
import { coverImage, drawnCover, picture, sharedImage } from './cover.ts';

const variant = (type: 'avif' | 'webp', width: number): MediaVariant => ({
  url: `https://m/${width}.${type}`,
  type: `image/${type}`,
  width,
  height: width / 2,
});
const VARIANTS = [480, 960, 1920, 2560].flatMap((width) => [
  variant('webp', width),
  variant('avif', width),
]);
const GAME = { slug: 'moon', title: 'Moon', cover_url: 'https://m/whole.png' };

/** The widths in the `srcset` attributes, by type. */
function widths(text: string): Record<string, string[]> {
  return Object.fromEntries(
    [...text.matchAll(/<source type="image\/(\w+)" srcset="([^"]+)" sizes="[^"]+">/g)].map(
      ([, type = '', set = '']) => [type, set.split(', ').map((one) => one.split(' ')[1] ?? '')],
    ),
  );
}

test('coverImage offers no variant that is wider than its place needs', () => {
  const rows = [
    ['row', ['480w']],
    ['card', ['480w', '960w']],
    ['feature', ['480w', '960w', '1920w']],
  ] as const;
  for (const [place, sizes] of rows) {
    const { text } = coverImage({ ...GAME, cover_variants: VARIANTS }, place);
    assert.deepEqual(widths(text), { avif: sizes, webp: sizes }, place);
    assert.match(text, /<img src="https:\/\/m\/whole\.png" alt="" width="640" height="400"/);
  }
  const { text } = coverImage(GAME, 'card');
  assert.doesNotMatch(text, /<source/);
});

test('AVIF is listed before WebP, so that a browser prefers it', () => {
  const { text } = coverImage({ ...GAME, cover_variants: VARIANTS }, 'card');
  assert.ok(text.indexOf('image/avif') < text.indexOf('image/webp'));
  const { text: webp } = coverImage({ ...GAME, cover_variants: [variant('webp', 480)] }, 'card');
  assert.deepEqual(widths(webp), { webp: ['480w'] });
});

test('an eager image is loaded with the page, and others lazily', () => {
  assert.match(coverImage(GAME, 'card', true).text, / fetchpriority="high" decoding="sync">/);
  assert.match(coverImage(GAME, 'card').text, / loading="lazy" decoding="async">/);
});

test('picture has the owner’s alternative text, escaped', () => {
  const media: Media = {
    id: 'm',
    kind: 'image',
    url: 'https://m/shot.png',
    type: 'image/png',
    width: 800,
    height: 500,
    bytes: 1,
    alt: null,
    variants: [],
  };
  const options = { alt: 'Screenshot 1', sizes: '20rem' };
  assert.match(picture(media, options).text, / alt="Screenshot 1" width="800" height="500" /);
  assert.match(picture({ ...media, alt: 'A "moon"' }, options).text, / alt="A &quot;moon&quot;" /);
  assert.match(picture({ ...media, alt: '' }, options).text, / alt="" /);
});

test('sharedImage returns the widest WebP variant, else the original, else null', () => {
  assert.equal(sharedImage('https://m/whole.png', VARIANTS), 'https://m/2560.webp');
  assert.equal(sharedImage('https://m/whole.png', [variant('avif', 480)]), 'https://m/whole.png');
  assert.equal(sharedImage('https://m/whole.png'), 'https://m/whole.png');
  assert.equal(sharedImage(null), null);
  assert.equal(sharedImage(undefined, []), null);
});

test('a drawn cover is constant for a game and differs between games', () => {
  const of = (slug: string, title = 'T'): string => drawnCover({ slug, title }).text;
  assert.equal(of('moon'), of('moon', 'Another title'));
  const drawn = new Set(['moon', 'moon2', 'noom', 'a', 'b'].map((slug) => of(slug)));
  assert.equal(drawn.size, 5);
  assert.match(coverImage({ ...GAME, cover_url: null }, 'card').text, /^<svg class="cover"/);
  for (const slug of ['a', 'x'.repeat(63)]) {
    assert.doesNotMatch(of(slug), /NaN|undefined|-\d+ \d+%/);
  }
});
