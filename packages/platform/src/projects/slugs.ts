// Slugs: made from a title where none is chosen, and held by their owner also after the game is gone.
import { randomBytes } from 'node:crypto';
import { type PlatformLimits, RESERVED_SLUGS } from '@svc/contracts/platform';
import type { Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';

const NUMBERED_TRIES = 50;
const RANDOM_CHARACTERS = 6;
/** Room for `-` and a number behind a slug that is taken. */
const SUFFIX_CHARACTERS = 5;

/** Claims the slug a developer chose. Throws `invalid_input` for a reserved word, `slug_taken` for another's. */
export async function claimChosenSlug(
  platform: Platform,
  trx: Trx,
  uid: string,
  slug: string,
): Promise<string> {
  if (isReserved(platform, slug)) {
    const message = `The slug "${slug}" is reserved. Choose another`;
    throw failure('invalid_input', message, { details: [{ path: '/slug', message }] });
  }
  if (await claim(trx, uid, slug)) return slug;
  const message = `The slug "${slug}" is taken. Choose another`;
  throw failure('slug_taken', message, { details: [{ path: '/slug', message }] });
}

/** Claims a slug made from the title: `my-game`, `my-game-2` …, or a random one where nothing else is left. */
export async function claimSlugFor(
  platform: Platform,
  trx: Trx,
  uid: string,
  title: string,
): Promise<string> {
  const base = slugFromTitle(title, platform.limits);
  for (let number = 1; base !== null && number <= NUMBERED_TRIES; number++) {
    const slug = number === 1 ? base : `${base}-${number}`;
    if (!isReserved(platform, slug) && (await claim(trx, uid, slug))) return slug;
  }
  for (;;) {
    const slug = `game-${randomBytes(RANDOM_CHARACTERS / 2).toString('hex')}`;
    if (await claim(trx, uid, slug)) return slug;
  }
}

/** Whether the slug is a name of the platform's own, in addresses or as a part of a host. */
function isReserved({ addresses }: Platform, slug: string): boolean {
  return RESERVED_SLUGS.includes(slug) || addresses.heldSlugs.has(slug);
}

/** The title in the letters of a slug; null where too little of it is left. */
export function slugFromTitle(title: string, limits: PlatformLimits): string | null {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, limits.slug_characters - SUFFIX_CHARACTERS)
    .replaceAll(/^-+|-+$/g, '');
  return slug.length < limits.slug_minimum_characters ? null : slug;
}

/** Whether the slug is now the developer's and no game has it. */
async function claim(trx: Trx, uid: string, slug: string): Promise<boolean> {
  await trx
    .insertInto('slugs')
    .values({ slug, developer_uid: uid })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .execute();
  const holder = await trx
    .selectFrom('slugs')
    .select('developer_uid')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  if (holder.developer_uid !== uid) return false;
  const game = await trx
    .selectFrom('games')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirst();
  return game === undefined;
}
