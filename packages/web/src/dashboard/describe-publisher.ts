// The words for a trusted publisher: its provider, whom it names, and the runs that it is limited to.
import type { Publisher, PublisherProvider } from '@svc/contracts/platform';

export const PROVIDER_NAMES: Readonly<Record<PublisherProvider, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI',
  other: 'OpenID Connect',
};

/** The repository, or the subject of an issuer whose identities name no repository. */
export function whoOf({ repository, subject }: Publisher): string {
  return repository ?? subject ?? '';
}

/** The fields besides the repository that a run must match, with their names. */
export function limitsOf({
  repository,
  subject,
  branch,
  environment,
  workflow,
}: Publisher): (readonly [name: string, value: string])[] {
  const limits = [
    ['branch', branch],
    ['environment', environment],
    ['workflow', workflow],
    ['subject', repository === null ? null : subject],
  ] as const;
  return limits.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** One line that distinguishes it from the others of the game, such as `acme/moonhop, branch main`. */
export function nameOf(publisher: Publisher): string {
  const limits = limitsOf(publisher).map(([name, value]) => `${name} ${value}`);
  return [whoOf(publisher), ...limits].join(', ');
}
