// Formats values for readers: dates, sizes, names of engines and categories, avatars.
import { CATEGORIES, type User } from '@svc/contracts/platform';
import { type Html, html } from './html.ts';

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A date, with the full time in the `datetime` attribute. `time` is an ISO 8601 time. */
export function formatDay(time: string): Html {
  return html`<time datetime="${time}">${DAY.format(new Date(time))}</time>`;
}

/** A size in the largest fitting unit of B, KiB, MiB and GiB. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`;
}

/** A message with a full stop at its end, if it has no final punctuation. */
export function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** The number of files, such as "1 file" or "2,000 files". */
export function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}

const ENGINE_NAMES: Readonly<Record<string, string>> = {
  html5: 'HTML5',
  phaser: 'Phaser',
  pixi: 'PixiJS',
  three: 'three.js',
  babylon: 'Babylon.js',
  playcanvas: 'PlayCanvas',
  construct: 'Construct',
  gamemaker: 'GameMaker',
  godot: 'Godot',
  unity: 'Unity',
  unreal: 'Unreal',
  bevy: 'Bevy',
  rpgmaker: 'RPG Maker',
  twine: 'Twine',
  pico8: 'PICO-8',
  other: 'Other',
};

/** The display name of an engine; the id if it is unknown. */
export function engineName(engine: string): string {
  return ENGINE_NAMES[engine] ?? engine;
}

/** The display name of a category; null if the id is unknown. */
export function categoryName(id: string | null): string | null {
  return CATEGORIES.find((category) => category.id === id)?.name ?? null;
}

/** The avatar of a user, or the first letter of the name if there is none. `size` is in CSS pixels. */
export function avatarImage(user: Pick<User, 'name' | 'avatar'>, size = 40): Html {
  if (user.avatar !== null) {
    return html`<img class="face" src="${user.avatar}" alt="" width="${size}" height="${size}" loading="lazy">`;
  }
  const [letter = '?'] = [...user.name.trim()];
  return html`<svg class="face" viewBox="0 0 40 40" width="${size}" height="${size}" aria-hidden="true"><text x="20" y="27" text-anchor="middle">${letter.toUpperCase()}</text></svg>`;
}
