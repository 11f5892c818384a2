// Releases that players do not get, and the links that play them.
import type { Preview } from '@svc/contracts/platform';
import type { Platform } from '../../platform/connect.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';

/** How a release is staged. `preview` is the name of its link; null for a new link without a name. */
export type Staging = { readonly preview: string | null };

/** The query of a publish. */
export function stagingQuery(staging: Staging | null): { stage?: 'true'; preview?: string } {
  if (staging === null) return {};
  return staging.preview === null ? { stage: 'true' } : { preview: staging.preview };
}

/** Throws an ExitError if the platform has no staged releases and links. Returns how many links a project can have. */
export async function requireStaging(platform: Platform): Promise<number> {
  const { limits } = await platform.call('limits', {});
  const { previews_per_project: most } = limits;
  if (most !== undefined) return most;
  throw new ExitError(
    EXIT.server,
    'platform_outdated',
    `The platform at ${platform.api} is too old for staged releases and preview links.`,
    { hint: 'Ask its operator to update it.' },
  );
}

/** Throws an ExitError if the project already has `most` links and the release needs another one. */
export async function requireRoomForLink(
  platform: Platform,
  id: string,
  { preview: name }: Staging,
  most: number,
): Promise<void> {
  const { previews } = await platform.call('previews', { params: { id } });
  const isKnown = name !== null && previews.some((one) => one.name === name);
  if (isKnown || previews.length < most) return;
  throw new ExitError(
    EXIT.too_large,
    'quota_exceeded',
    `Cannot make another link: the project has ${previews.length}.`,
    { hint: 'Revoke links that are not needed: svc preview list, then svc preview revoke.' },
  );
}

/** Makes a link that plays the version. A link of this name gets the version, and its whole time again. */
export async function linkTo(
  platform: Platform,
  id: string,
  version: string,
  { preview: name }: Staging,
): Promise<Preview> {
  const body = { version, name };
  const { preview } = await platform.call('createPreview', { params: { id }, body });
  return preview;
}

/** The lines that show a link. */
export function linkLines({ url, expires_at }: Preview): string[] {
  return [`Link  ${url}`, `Anyone with the link can play until ${expires_at.slice(0, 10)}.`];
}
