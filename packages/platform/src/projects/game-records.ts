// Games, releases and store pages as JSON records.
import {
  DEFAULT_LAYOUT,
  type Game,
  Game as GameSchema,
  type Isolation,
  Isolation as IsolationSchema,
  type Media,
  type MediaVariant,
  type Release,
  type Restriction,
  type StorePage,
} from '@svc/contracts/platform';
import type { GamesTable, MediaTable, ReleasesTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import type { Addresses, Platform } from '../platform.ts';
import type { StoredVariant } from '../storage/stored-bytes.ts';
import { readProvenance } from '../trust/provenance.ts';
import { type MediaAddress, mediaAddress } from './media-address.ts';

/** Who receives a record. Only the owner receives the address of the build and signed addresses of media. */
type Viewer = 'owner' | 'public';

/** Returns the games as records in the same order. Runs one query for all covers and one for all versions. */
export async function gameRecords(
  platform: Platform,
  games: readonly GamesTable[],
  viewer: Viewer,
): Promise<Game[]> {
  const covers = await findMedia(
    platform,
    games.flatMap((game) => game.cover_id ?? []),
  );
  const versions = await findVersions(
    platform,
    games.flatMap((game) => game.live_release_id ?? []),
  );
  return games.map((game) => {
    const version = versions.get(game.live_release_id ?? '') ?? null;
    const cover = covers.get(game.cover_id ?? '');
    const address = mediaAddress(platform, game, viewer);
    return {
      id: game.id,
      developer_uid: game.developer_uid,
      title: game.title,
      slug: pageSlug(game),
      engine: asEngine(game.engine),
      tagline: game.tagline,
      tags: JSON.parse(game.tags),
      category: asCategory(game.category),
      status: game.status,
      version,
      build_url: viewer === 'owner' ? buildUrl(platform.addresses, game.id, version) : null,
      cover_url: cover === undefined ? null : address(cover.file),
      cover_variants: cover === undefined ? [] : variantRecords(address, cover),
      play_url: game.status === 'published' ? playUrl(platform.addresses, game.slug) : null,
      created_at: formatTime(game.created_at),
      updated_at: formatTime(game.updated_at),
      published_at: game.status === 'published' ? formatTime(game.published_at) : null,
      taken_down: viewer === 'owner' ? takenDownRecord(game) : null,
    };
  });
}

/** Returns one game as a record. */
export async function gameRecord(
  platform: Platform,
  game: GamesTable,
  viewer: Viewer,
): Promise<Game> {
  const [record] = await gameRecords(platform, [game], viewer);
  if (record === undefined) throw new Error('Cannot show a game: there is no record');
  return record;
}

/** Returns the content of the game's store page. */
export async function storePage(
  platform: Platform,
  game: GamesTable,
  viewer: Viewer,
): Promise<StorePage> {
  const screenshots: string[] = JSON.parse(game.screenshots);
  const ids = [game.banner_id, game.cover_id, game.trailer_id, ...screenshots];
  const rows = await findMedia(
    platform,
    ids.flatMap((id) => id ?? []),
  );
  const address = mediaAddress(platform, game, viewer);
  const media = (id: string | null): Media | null => {
    const row = rows.get(id ?? '');
    return row === undefined ? null : mediaRecord(address, row);
  };
  return {
    tagline: game.tagline,
    description: game.description,
    category: asCategory(game.category),
    tags: JSON.parse(game.tags),
    layout: game.layout === null ? DEFAULT_LAYOUT : JSON.parse(game.layout),
    banner: media(game.banner_id),
    cover: media(game.cover_id),
    screenshots: screenshots.flatMap((id) => media(id) ?? []),
    trailer: media(game.trailer_id),
  };
}

/** Returns a release as a record. `isolation` is the one that play uses. */
export function releaseRecord(
  { addresses }: Pick<Platform, 'addresses'>,
  release: ReleasesTable,
  game: GamesTable,
  viewer: Viewer,
): Release {
  const isLive = game.live_release_id === release.id;
  const isPlayed =
    game.status === 'published' &&
    release.taken_down_at === null &&
    (isLive || release.playable === 1);
  return {
    id: release.id,
    version: release.version,
    notes: release.notes,
    created_at: formatTime(release.created_at),
    live: isLive,
    staged: release.staged === 1 && !isLive,
    provenance: readProvenance(release.provenance, viewer),
    playable: release.playable === 1,
    play_url: isPlayed ? releaseUrl(addresses, game.slug, release.id) : null,
    zip_bytes: release.zip_bytes,
    expanded_bytes: release.expanded_bytes,
    file_count: release.file_count,
    digest: release.digest,
    isolation: effectiveIsolation(game.isolation, release.isolation),
    taken_down: viewer === 'owner' ? takenDownRecord(release) : null,
  };
}

/** Returns when and why the operator took a game or a release down; null if it is not taken down. */
export function takenDownRecord({
  taken_down_at,
  taken_down_reason: reason,
}: Pick<GamesTable, 'taken_down_at' | 'taken_down_reason'>): Restriction | null {
  return taken_down_at === null ? null : { at: formatTime(taken_down_at), reason };
}

/** Returns the owner's setting, or the isolation found in the build if there is no setting. */
export function effectiveIsolation(chosen: string | null, found: string): Isolation {
  return asIsolation(chosen ?? found);
}

/** Parses an isolation from the database. Throws if it is unknown. */
export function asIsolation(value: string): Isolation {
  const known = IsolationSchema.enum.find((one) => one === value);
  if (known === undefined) throw new Error(`Cannot show the isolation "${value}": it is unknown`);
  return known;
}

/** Returns the slug in the address of the game's page. */
export function pageSlug({ slug, page_slug }: Pick<GamesTable, 'slug' | 'page_slug'>): string {
  return page_slug ?? slug;
}

/** Returns the address at which the game is played. For a reserved slug it is an address of the API that answers 404. */
export function playUrl({ playOrigin, publicUrl, heldSlugs }: Addresses, slug: string): string {
  if (playOrigin === null || heldSlugs.has(slug)) return `${publicUrl}/play/${slug}/`;
  return playOrigin.includes('{slug}')
    ? `${playOrigin.replace('{slug}', slug)}/`
    : `${playOrigin}/play/${slug}/`;
}

/** The name of a folder in which no game has files, because the names of its files do not begin with a dot. */
export const RELEASE_FOLDER = '.release';
/** As `RELEASE_FOLDER`: large files by their content, so that all releases that have one share its address. */
export const CONTENT_FOLDER = '.content';

/** Returns the address at which one release of the game is played. Its files never change. */
export function releaseUrl(addresses: Addresses, slug: string, releaseId: string): string {
  return `${playUrl(addresses, slug)}${RELEASE_FOLDER}/${releaseId}/`;
}

function mediaRecord(address: MediaAddress, row: MediaTable): Media {
  return {
    id: row.id,
    kind: row.kind,
    url: address(row.file),
    type: row.type,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    alt: row.alt,
    variants: variantRecords(address, row),
  };
}

function variantRecords(address: MediaAddress, row: MediaTable): MediaVariant[] {
  const variants: StoredVariant[] = JSON.parse(row.variants);
  return variants.map(({ file, type, width, height }) => ({
    url: address(file),
    type,
    width,
    height,
  }));
}

function buildUrl(addresses: Addresses, id: string, version: string | null): string | null {
  if (version === null) return null;
  return `${addresses.publicUrl}/projects/${id}/releases/${encodeURIComponent(version)}/build`;
}

async function findMedia(
  { db }: Platform,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MediaTable>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('media').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function findVersions(
  { db }: Platform,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('releases')
    .select(['id', 'version'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.version]));
}

function asEngine(name: string): Game['engine'] {
  return GameSchema.properties.engine.enum.find((one) => one === name) ?? 'other';
}

function asCategory(id: string | null): Game['category'] {
  return GameSchema.properties.category.anyOf[0].enum.find((one) => one === id) ?? null;
}
