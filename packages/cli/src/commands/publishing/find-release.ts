// Finds a release of a project by its version.
import type { Release } from '@svc/contracts/platform';
import type { Session } from '../../platform/with-platform.ts';

/** Returns the release of that version. Null if the project has none. */
export async function findRelease(
  { platform, signal }: Pick<Session, 'platform' | 'signal'>,
  id: string,
  version: string,
): Promise<Release | null> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    signal.throwIfAborted();
    const query = { limit: '100', ...(cursor === undefined ? {} : { cursor }) };
    const page = await platform.call('releases', { params: { id }, query });
    const release = page.releases.find((one) => one.version === version);
    if (release !== undefined) return release;
    cursor = page.next_cursor;
  }
  return null;
}
