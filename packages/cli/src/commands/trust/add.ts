// `svc trust add`: lets CI runs publish a game with their own identity.
import type { CreatePublisher, Publisher } from '@svc/contracts/platform';
import {
  defineCommand,
  InvalidValueError,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { usageError } from '../../process/exit-codes.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';
import { describePublisher } from './describe-publisher.ts';

const OPTIONS = [
  API_OPTION,
  PROJECT_OPTION,
  {
    flags: '--github <REPOSITORY>',
    help: 'runs of GitHub Actions in this repository, such as acme/moonhop',
    parse: parseRepository,
  },
  {
    flags: '--gitlab <REPOSITORY>',
    help: 'runs of GitLab CI in this project, such as acme/moonhop',
    parse: parseRepository,
  },
  { flags: '--branch <PATTERN>', help: 'only runs of these branches, such as main or release/*' },
  { flags: '--environment <NAME>', help: 'only runs that deploy to this environment' },
  { flags: '--workflow <FILE>', help: 'only runs of this GitHub workflow, such as release.yml' },
  {
    flags: '--repository-id <ID>',
    help: 'the number of the repository at its host (default: that of the first run that publishes)',
  },
  {
    flags: '--issuer <URL>',
    help: 'OpenID Connect issuer of another CI, or of your own GitHub or GitLab server',
  },
  {
    flags: '--subject <PATTERN>',
    help: 'the claim "sub" of the identities; * is any text without / and :, ** any text',
  },
  {
    flags: '--audience <TEXT>',
    help: 'the claim "aud" of the identities (default: the address of the platform)',
  },
  ...SIGN_IN_OPTIONS,
] as const satisfies readonly OptionSpec[];

type AddOptions = OptionValues<typeof OPTIONS>;

export const addPublisherCommand = defineCommand({
  name: 'add',
  summary: 'Trust runs of a CI to publish the game in this folder',
  description: `A trusted run needs no stored token: svc exchanges the identity that the CI gives it for a token that publishes this game for 15 minutes. Name a repository with --github or --gitlab, or the identities of any other issuer with --issuer and --subject.

Every run that matches may publish. To keep others who can push to the repository from publishing, add --branch with a branch that is protected, or --environment with an environment that has protection rules; a workflow file alone protects nothing, because it can be changed on any branch. The id of the repository is noted when it publishes first: a later repository of the same name is not trusted.

${SIGN_IN_NOTE}`,
  options: OPTIONS,
  examples: [
    ['svc trust add --github acme/moonhop --branch main', 'GitHub Actions, on one branch'],
    ['svc trust add --gitlab acme/moonhop --branch main', 'GitLab CI'],
    [
      "svc trust add --issuer https://ci.example --subject 'job:moonhop:**'",
      'any other OpenID Connect issuer',
    ],
  ],
  document: 'trust-add',
  async run(call) {
    const id = projectIdOf(call);
    const body = requestOf(call.options);
    await asOwner(call, async (owner) => {
      await requireFeature(owner, 'publishers_per_project');
      const { publisher } = await owner.call('createPublisher', { params: { id }, body });
      call.output.result({ publisher }, () => `Trusted: ${describePublisher(publisher)}.`);
      call.output.note(nextStep(publisher, owner.api));
    });
  },
});

function requestOf(options: AddOptions): CreatePublisher {
  const { github, gitlab, issuer, subject, branch, environment, workflow, audience } = options;
  if (github !== undefined && gitlab !== undefined) {
    throw usageError('--github and --gitlab exclude each other.', 'Add one after the other.');
  }
  const isOther = github === undefined && gitlab === undefined;
  if (isOther && (issuer === undefined || subject === undefined)) {
    throw usageError(
      'No CI is named.',
      'Add --github OWNER/NAME or --gitlab GROUP/NAME, or --issuer and --subject for another one.',
    );
  }
  return {
    provider: isOther ? 'other' : github === undefined ? 'gitlab' : 'github',
    repository: github ?? gitlab ?? null,
    repository_id: options.repositoryId ?? null,
    issuer: issuer ?? null,
    subject: subject ?? null,
    branch: branch ?? null,
    environment: environment ?? null,
    workflow: workflow ?? null,
    audience: audience ?? null,
  };
}

/** What the job needs, so that svc finds its identity. In GitHub Actions, svc requests one for the address in SVC_API. */
function nextStep({ provider, audience }: Publisher, api: string): string {
  const isOwn = audience !== api;
  const needs =
    provider === 'github' && !isOwn
      ? '"permissions: id-token: write"'
      : provider === 'gitlab'
        ? `id_tokens: SVC_ID_TOKEN: aud: ${audience}`
        : `SVC_ID_TOKEN with the audience ${audience}`;
  return `In the job: ${needs}, SVC_API set to ${api}, and svc publish without SVC_TOKEN.`;
}

function parseRepository(text: string): string {
  if (/^[\w.-]+(?:\/[\w.-]+)+$/.test(text)) return text;
  throw new InvalidValueError('Write the repository as owner/name, such as acme/moonhop.');
}
