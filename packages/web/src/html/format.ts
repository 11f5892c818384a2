// Formats values for readers: dates, names of engines and categories, avatars.
import { CATEGORIES, type User } from '@svc/contracts/platform';
import { type Html, html } from './html.ts';

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A date, with the full time in the `datetime` attribute. `time` is an ISO 8601 time. */
export function formatDay(time: string): Html {
  return html`<time datetime="${time}">${DAY.format(new Date(time))}</time>`;
}

const MINUTE = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** The day and the minute in UTC, such as `Nov 26, 2026, 18:08 UTC`. `time` is an ISO 8601 time. */
export function minuteOf(time: string): string {
  return `${MINUTE.format(new Date(time))} UTC`;
}

/** The same with the full time in the `datetime` attribute. */
export function formatMinute(time: string): Html {
  return html`<time datetime="${time}">${minuteOf(time)}</time>`;
}

/** A message with a full stop at its end, if it has no final punctuation. */
export function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
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
