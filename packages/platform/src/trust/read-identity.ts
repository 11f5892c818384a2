// Reads who a CI's identity token is about. Each provider names its claims differently.
import type { Provenance, PublisherProvider } from '@svc/contracts/platform';

/** Longer claims are treated as absent. */
const CLAIM_CHARACTERS = 255;

/** The claims of an identity token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A run of a CI. What its provider does not state is null. */
export type CiIdentity = Provenance & {
  /** The id of the repository at its host. Another repository of the same name has another id. */
  readonly repositoryId: string | null;
  /** The branch that was built; null for a tag or a pull request. */
  readonly branch: string | null;
  readonly environment: string | null;
  /** The file name of the workflow. */
  readonly workflow: string | null;
  /** Whether everybody can see the repository. */
  readonly isPublic: boolean;
};

/** Returns the identity in verified claims. */
export function readIdentity(provider: PublisherProvider, claims: Claims): CiIdentity {
  const text = (name: string): string | null => readText(claims[name]);
  const base = {
    ...{ issuer: text('iss') ?? '', subject: text('sub') ?? '' },
    ...{ repository: null, repositoryId: null, ref: null, branch: null },
    ...{ environment: null, workflow: null, isPublic: false },
    ...{ commit: null, commit_url: null, run_url: null },
  };
  switch (provider) {
    case 'github':
      return readGithub(base, text);
    case 'gitlab':
      return readGitlab(base, text);
    case 'other':
      return base;
  }
}

type ReadClaim = (name: string) => string | null;

/** Claims of GitHub Actions, and of servers that copy it, such as Forgejo. */
function readGithub(base: CiIdentity, text: ReadClaim): CiIdentity {
  const repository = text('repository');
  const commit = readHash(text('sha'));
  const run = text('run_id');
  const ref = text('ref');
  const home = repository === null ? null : `${githubServer(base.issuer)}/${repository}`;
  return {
    ...base,
    repository,
    repositoryId: text('repository_id'),
    ref: ref?.replace(/^refs\/(?:heads|tags)\//, '') ?? null,
    // Such a run of a pull request, also from a fork, has the branch of its target.
    branch: text('event_name') === 'pull_request_target' ? null : after(ref, 'refs/heads/'),
    environment: text('environment'),
    workflow: repository === null ? null : workflowFile(text('workflow_ref'), repository),
    isPublic: text('repository_visibility') === 'public',
    commit,
    commit_url: home === null || commit === null ? null : `${home}/commit/${commit}`,
    run_url: home === null || run === null ? null : readAddress(`${home}/actions/runs/${run}`),
  };
}

/**
 * The claims name the project whose commit is built. A pipeline of a merge request may run in another project, whose runners then
 * have the identity; it is no identity of the project, and its branch is that of the source.
 */
function readGitlab(base: CiIdentity, text: ReadClaim): CiIdentity {
  const job = text('job_project_id');
  const isElsewhere = job !== null && job !== text('project_id');
  const repository = isElsewhere ? null : text('project_path');
  const commit = readHash(text('sha'));
  const run = text('job_id');
  const ref = text('ref');
  const isMergeRequest = text('pipeline_source') === 'merge_request_event';
  const home = repository === null ? null : `${base.issuer.replace(/\/$/, '')}/${repository}/-`;
  return {
    ...base,
    repository,
    repositoryId: text('project_id'),
    ref,
    branch: text('ref_type') === 'branch' && !isMergeRequest ? ref : null,
    environment: text('environment'),
    isPublic: text('project_visibility') === 'public',
    commit,
    commit_url: home === null || commit === null ? null : `${home}/commit/${commit}`,
    run_url: home === null || run === null ? null : readAddress(`${home}/jobs/${run}`),
  };
}

/** Returns the address of the repositories of an issuer. GitHub's issuers have hosts of their own; those of other servers do not. */
function githubServer(issuer: string): string {
  const { origin, hostname } = new URL(issuer);
  if (hostname === 'token.actions.githubusercontent.com') return 'https://github.com';
  return hostname.startsWith('token.actions.') ? origin.replace('token.actions.', '') : origin;
}

/** Returns the file of a reference such as `acme/moonhop/.github/workflows/release.yml@refs/heads/main`. */
function workflowFile(reference: string | null, repository: string): string | null {
  const path = after(reference, `${repository}/.github/workflows/`) ?? '';
  return /^([^/@]+)@/.exec(path)?.[1] ?? null;
}

function after(text: string | null, prefix: string): string | null {
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : null;
}

/** Returns the claim as text. Numbers are ids. */
function readText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > CLAIM_CHARACTERS) return null;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? null : value;
}

function readHash(commit: string | null): string | null {
  return commit !== null && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

function readAddress(address: string): string | null {
  return URL.canParse(address) ? new URL(address).href : null;
}
