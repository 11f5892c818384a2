// Calls that a page can do without.
import { PlatformError } from '@svc/contracts/platform';

/** The answer to a call; null if the API is of a version that does not have it, or if the page can do without it. */
export async function ifKnown<Known>(
  call: Promise<Known>,
  mayFail: (error: unknown) => boolean = () => false,
): Promise<Known | null> {
  try {
    return await call;
  } catch (error) {
    if ((error instanceof PlatformError && error.status === 404) || mayFail(error)) return null;
    throw error;
  }
}
