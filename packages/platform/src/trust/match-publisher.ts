// Decides whether an identity is a trusted publisher.
import type { PublishersTable } from '../database/schema.ts';
import type { CiIdentity } from './read-identity.ts';

/** The fields of a publisher that an identity must match. */
type Wanted = Pick<
  PublishersTable,
  'repository' | 'repository_id' | 'subject' | 'branch' | 'environment' | 'workflow'
>;

/** Whether the identity matches every field that is not null. */
export function matchesPublisher(wanted: Wanted, identity: CiIdentity): boolean {
  const { subject, branch, environment, workflow } = wanted;
  return (
    matchesRepository(wanted, identity) &&
    matchesPattern(subject, identity.subject) &&
    matchesPattern(branch, identity.branch) &&
    matchesPattern(environment, identity.environment) &&
    (workflow === null || workflow === identity.workflow)
  );
}

/** The name of a repository is case-insensitive, its id never changes. Without an id, a repository cannot be distinguished from a later one of its name. */
function matchesRepository({ repository, repository_id }: Wanted, identity: CiIdentity): boolean {
  if (repository === null) return true;
  if (identity.repository === null || identity.repositoryId === null) return false;
  if (repository_id !== null && repository_id !== identity.repositoryId) return false;
  return lowerAscii(repository) === lowerAscii(identity.repository);
}

/** Unlike `toLowerCase`, makes no two different letters the same, such as the Kelvin sign and k. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function matchesPattern(pattern: string | null, text: string | null): boolean {
  return pattern === null || (text !== null && matchesGlob(pattern, text));
}

/**
 * Whether the pattern matches the whole text. `*` matches any characters but `/` and `:`, `**` any characters. Takes time in
 * proportion to the product of the lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*|./gsu) ?? [];
  const letters = [...text];
  // Whether the tokens read so far match the first n letters.
  let ends = [true, ...letters.map(() => false)];
  for (const token of tokens) {
    const next = [isStar(token) && ends[0] === true];
    for (const [index, letter] of letters.entries()) {
      const isMatch = isStar(token)
        ? ends[index + 1] === true ||
          (next[index] === true && (token === '**' || !/[/:]/.test(letter)))
        : ends[index] === true && token === letter;
      next.push(isMatch);
    }
    ends = next;
  }
  return ends[letters.length] === true;
}

function isStar(token: string): boolean {
  return token === '*' || token === '**';
}
