// Gives a player the role of a developer.
import type { Answer } from '../routes/route.ts';
import { readDevice } from '../session/device-cookie.ts';
import { openApiSession } from '../session/open-api-session.ts';
import { becomeDeveloperPage } from './become-developer-page.ts';
import { describeRejection } from './forms/outcome.ts';
import type { MemberVisit } from './member.ts';

/** Asks the API for the role. If the store does not accept new developers, the page shows the API's message. */
export async function becomeDeveloper(visit: MemberVisit): Promise<Answer> {
  const { web, request, session } = visit;
  // With the device, so that this is not a sign-in on another one.
  const known = await readDevice(web.cookies, request.headers.cookie);
  try {
    const body = { id_token: session.idToken, role: 'developer', ...known } as const;
    await openApiSession(visit.memberApi, body);
    return { to: '/dashboard' };
  } catch (error) {
    const outcome = describeRejection(error);
    const { user } = await visit.memberApi.call('me', {});
    return becomeDeveloperPage(user, outcome);
  }
}
