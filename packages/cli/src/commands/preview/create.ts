// `svc preview create`: makes a link to play a release.
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { defineCommand, type OptionSpec } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';
import { parsePreviewName } from '../publishing/release-options.ts';
import { linkLines } from '../publishing/staging.ts';

const { preview_default_days: DEFAULT_DAYS, preview_maximum_days: MAXIMUM_DAYS } = PLATFORM_LIMITS;

const OPTIONS = [
  API_OPTION,
  PROJECT_OPTION,
  {
    flags: '--name <NAME>',
    help: 'point the link of this name to the release (default: a new link without a name)',
    parse: parsePreviewName,
  },
  {
    flags: '--expires-in-days <N>',
    help: `days until the link expires, at most ${MAXIMUM_DAYS} (default: ${DEFAULT_DAYS})`,
    parse: (text: string) => parseCount(text, MAXIMUM_DAYS),
  },
] as const satisfies readonly OptionSpec[];

export const createPreviewCommand = defineCommand({
  name: 'create',
  summary: 'Make a link to play a release',
  description:
    'Anyone with the link can play the release, even if it is staged or was replaced. The link is not in the catalog, and search engines are asked not to index it.',
  arguments: [{ name: '<VERSION>', help: 'the version to play, from svc releases' }],
  options: OPTIONS,
  document: 'preview-create',
  async run(call) {
    const id = projectIdOf(call);
    const [version = ''] = call.args;
    const { name, expiresInDays } = call.options;
    await withPlatform(call, async ({ platform }) => {
      await requireFeature(platform, 'previews_per_project');
      const params = { id };
      const before =
        name === undefined ? [] : (await platform.call('previews', { params })).previews;
      const isKnown = before.some((one) => one.name === name);
      const body = { version, name: name ?? null, expires_in_days: expiresInDays ?? null };
      const { preview } = await platform.call('createPreview', { params, body });
      call.output.result({ preview }, () => [
        isKnown
          ? `The link ${name} now plays version ${version}.`
          : `Created a link to version ${version}.`,
        ...linkLines(preview),
      ]);
    });
  },
});
