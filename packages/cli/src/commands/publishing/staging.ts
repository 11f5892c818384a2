// Releases that players do not get, and the links that play them.
import type { Preview } from '@svc/contracts/platform';
import type { Platform } from '../../platform/connect.ts';
import { requireFeature, type StatedLimits } from '../../platform/outdated.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';

/** How a release is staged. `preview` is the name of its link; null for a new link without a name. */
export type Staging = { readonly preview: string | null };

/** The query of a publish. */
export function stagingQuery(staging: Staging | null): { stage?: 'true'; preview?: string } {
  if (staging === null) return {};
  return staging.preview === null ? { stage: 'true' } : { preview: staging.preview };
}

/**
 * Throws an ExitError if the platform has no staged releases, or if the release needs another link than the project can have. An id of
 * null is a new project.
 */
export async function requireRoomForLink(
  platform: Platform,
  id: string | null,
  { preview: name }: Staging,
  limits: StatedLimits,
): Promise<void> {
  const most = await requireFeature(platform, 'previews_per_project', limits);
  if (id === null) return;
  const { previews } = await platform.call('previews', { params: { id } });
  const isKnown = name !== null && previews.some((one) => one.name === name);
  if (isKnown || previews.length < most) return;
  throw new ExitError(
    EXIT.too_large,
    'quota_exceeded',
    `Cannot create another link: the project has ${previews.length}.`,
    { hint: 'Revoke links that you no longer need: svc preview list, then svc preview revoke.' },
  );
}

/** A command that is repeated, for example because its answer was lost, finds the link that it has made. */
const REPEATED_MS = 3600 * 1000;

/**
 * Makes a link that plays the version. A link of this name gets the version, and its whole time again. Without a name, a link to the
 * version that was made in the last hour is used.
 */
export async function linkTo(
  platform: Platform,
  id: string,
  version: string,
  { preview: name }: Staging,
): Promise<Preview> {
  if (name === null) {
    const { previews } = await platform.call('previews', { params: { id } });
    const made = previews.find((one) => one.name === null && one.version === version);
    if (made !== undefined && Date.parse(made.created_at) > Date.now() - REPEATED_MS) return made;
  }
  const body = { version, name };
  const { preview } = await platform.call('createPreview', { params: { id }, body });
  return preview;
}

/** The lines that show a link. */
export function linkLines({ url, expires_at }: Preview): string[] {
  return [`Link  ${url}`, `Anyone with the link can play until ${expires_at.slice(0, 10)}.`];
}
