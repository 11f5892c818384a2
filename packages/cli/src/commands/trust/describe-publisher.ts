// How trusted publishers are shown.
import type { Publisher } from '@svc/contracts/platform';
import { safeLine } from '../../output/text.ts';

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
