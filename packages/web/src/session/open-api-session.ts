// Opens a session at the API with what the device has kept.
import {
  type CallAnswer,
  type OpenSession,
  type PlatformClient,
  PlatformError,
} from '@svc/contracts/platform';

/** Opens the session. An API of a version that does not know the field `device` is asked again without it. Throws the errors of the API. */
export async function openApiSession(
  api: PlatformClient,
  body: OpenSession,
): Promise<CallAnswer<'openSession'>> {
  try {
    return await api.call('openSession', { body });
  } catch (error) {
    const { device, ...rest } = body;
    const isUnknown = error instanceof PlatformError && error.code === 'invalid_input';
    if (device === undefined || !isUnknown) throw error;
    return await api.call('openSession', { body: rest });
  }
}
