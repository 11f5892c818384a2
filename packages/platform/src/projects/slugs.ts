// Slugs. One is derived from the title unless the developer chooses one. A developer keeps a slug after the game is removed.
import { randomBytes } from 'node:crypto';
import { type PlatformLimits, RESERVED_SLUGS } from '@svc/contracts/platform';
import type { Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { checkName } from '../http/check-names.ts';
import type { Platform } from '../platform.ts';

const NUMBERED_TRIES = 50;
const RANDOM_CHARACTERS = 6;
/** Space for `-` and a number after a slug that is in use. */
const SUFFIX_CHARACTERS = 5;

/** The slug that a developer wants for a game. `gameId` is null for a new one. */
type WantedSlug = {
  readonly uid: string;
  readonly slug: string;
  readonly gameId: string | null;
};

/** Claims the slug that the developer chose. Throws `invalid_input` if it is reserved or contains a blocked word, `slug_taken` if it is in use. */
export async function claimChosenSlug(
  platform: Platform,
  trx: Trx,
  wanted: WantedSlug,
): Promise<string> {
  const { slug } = wanted;
  checkAllowed(platform, slug);
  await claimOrThrow(trx, wanted);
  return slug;
}

/** Claims the slug that the developer chose for a game that has another one. Throws as {@link claimChosenSlug}. */
export async function claimNextSlug(
  platform: Platform,
  trx: Trx,
  wanted: WantedSlug,
  before: string,
): Promise<void> {
  checkAllowed(platform, wanted.slug);
  // Both, in the order in which {@link claimSlugFor} locks them: `x-9` before `x-10`.
  const inOrder = [before, wanted.slug].toSorted(
    (one, other) => one.length - other.length || (one < other ? -1 : 1),
  );
  for (const slug of inOrder) await claimOrThrow(trx, { ...wanted, slug });
}

function checkAllowed(platform: Platform, slug: string): void {
  checkName(platform.blockedWords, 'slug', slug);
  if (!isReserved(platform, slug)) return;
  const message = `The slug "${slug}" is reserved. Choose another`;
  throw failure('invalid_input', message, { details: [{ path: '/slug', message }] });
}

async function claimOrThrow(trx: Trx, wanted: WantedSlug): Promise<void> {
  const claimed = await claim(trx, wanted);
  if (claimed === 'free') return;
  const message =
    claimed === 'taken'
      ? `The slug "${wanted.slug}" is taken. Choose another`
      : `The slug "${wanted.slug}" belongs to a game that you have deleted. Restore that game, remove it for good, or choose another slug`;
  throw failure('slug_taken', message, { details: [{ path: '/slug', message }] });
}

/** Claims a slug derived from the title: `my-game`, `my-game-2` …, or a random one if these are in use. */
export async function claimSlugFor(
  platform: Platform,
  trx: Trx,
  uid: string,
  title: string,
): Promise<string> {
  const base = slugFromTitle(title, platform.limits);
  for (let number = 1; base !== null && number <= NUMBERED_TRIES; number++) {
    const slug = number === 1 ? base : `${base}-${number}`;
    if (isReserved(platform, slug) || platform.blockedWords.isIn(slug)) continue;
    if ((await claim(trx, { uid, slug, gameId: null })) === 'free') return slug;
  }
  for (;;) {
    const slug = `game-${randomBytes(RANDOM_CHARACTERS / 2).toString('hex')}`;
    if ((await claim(trx, { uid, slug, gameId: null })) === 'free') return slug;
  }
}

/** Whether the platform uses the slug itself, in an address or a host name. */
function isReserved({ addresses }: Platform, slug: string): boolean {
  return RESERVED_SLUGS.includes(slug) || addresses.heldSlugs.has(slug);
}

/** Converts the title to a slug. Returns null if too few characters remain. */
function slugFromTitle(title: string, limits: PlatformLimits): string | null {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, limits.slug_characters - SUFFIX_CHARACTERS)
    .replaceAll(/^-+|-+$/g, '');
  return slug.length < limits.slug_minimum_characters ? null : slug;
}

/**
 * Claims the slug. Returns `taken` if it belongs to another developer, or if another game has it or had it; `deleted` if that game is one
 * that the developer has deleted and can restore.
 */
async function claim(
  trx: Trx,
  { uid, slug, gameId }: WantedSlug,
): Promise<'free' | 'taken' | 'deleted'> {
  const holder = await trx
    .insertInto('slugs')
    .values({ slug, developer_uid: uid, game_id: null })
    // Locks the row, so that only one of several claims at once finds it free.
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet((eb) => ({ slug: eb.ref('slugs.slug') })),
    )
    .returning(['developer_uid', 'game_id'])
    .executeTakeFirstOrThrow();
  if (holder.developer_uid !== uid) return 'taken';
  const games = trx.selectFrom('games').select(['id', 'deleted_at']);
  const game = await (holder.game_id === null
    ? games.where('slug', '=', slug)
    : games.where('id', '=', holder.game_id)
  ).executeTakeFirst();
  if (game === undefined || game.id === gameId) return 'free';
  return game.deleted_at === null ? 'taken' : 'deleted';
}
