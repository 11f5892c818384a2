// How trusted publishers are shown, and the check that the platform has them.
import type { Publisher } from '@svc/contracts/platform';
import { safeLine } from '../../output/text.ts';
import type { Platform } from '../../platform/connect.ts';
import { outdatedError } from '../../platform/outdated.ts';

const HOSTS = { github: 'GitHub Actions', gitlab: 'GitLab CI', other: 'OpenID Connect' } as const;

/** Returns one line, such as `acme/moonhop on GitHub Actions, branch main`. */
export function describePublisher(publisher: Publisher): string {
  const { provider, repository, repository_id, subject, branch, environment, workflow } = publisher;
  const who = repository ?? subject ?? '';
  const id = repository_id === null ? '' : ` (id ${repository_id})`;
  const limits = [
    ['subject', repository === null ? null : subject],
    ['branch', branch],
    ['environment', environment],
    ['workflow', workflow],
  ] as const;
  const only = limits.flatMap(([name, value]) => (value === null ? [] : [`, ${name} ${value}`]));
  return safeLine(`${who}${id} on ${HOSTS[provider]}${only.join('')}`);
}

/** Throws an ExitError if the platform has no trusted publishers. */
export async function requireTrust(platform: Platform): Promise<void> {
  const { limits } = await platform.call('limits', {});
  if (limits['publishers_per_project'] !== undefined) return;
  throw outdatedError(platform, 'trusted publishers');
}
