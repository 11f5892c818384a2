// Gives a player the role of a developer.
import type { Answer } from '../routes/route.ts';
import { becomeDeveloperPage } from './become-developer-page.ts';
import { describeRejection } from './forms/outcome.ts';
import type { MemberVisit } from './member.ts';

/** Asks the API for the role. If the store does not accept new developers, the page shows the API's message. */
export async function becomeDeveloper(visit: MemberVisit): Promise<Answer> {
  try {
    const body = { id_token: visit.session.idToken, role: 'developer' } as const;
    await visit.memberApi.call('openSession', { body });
    return { to: '/dashboard' };
  } catch (error) {
    const outcome = describeRejection(error);
    const { user } = await visit.memberApi.call('me', {});
    return becomeDeveloperPage(user, outcome);
  }
}
