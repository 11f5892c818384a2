// `svc preview revoke`: revokes a link to play a release.
import type { Preview } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { findRelease } from '../publishing/find-release.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';

export const revokePreviewCommand = defineCommand({
  name: 'revoke',
  summary: 'Revoke a link to play a release',
  description:
    'The link stops working at once. If the release was published with svc publish --preview, it is deleted too, unless it was promoted or another link plays it.',
  arguments: [
    { name: '<LINK>', help: 'the name, the id or the address of the link, from svc preview list' },
  ],
  options: [API_OPTION, PROJECT_OPTION],
  document: 'preview-revoke',
  async run(call) {
    const id = projectIdOf(call);
    const [wanted = ''] = call.args;
    await withPlatform(call, async ({ platform, signal }) => {
      await requireFeature(platform, 'previews_per_project');
      const { previews } = await platform.call('previews', { params: { id } });
      const found = previews.find((one) => isNamed(one, wanted));
      if (found === undefined) {
        throw new ExitError(EXIT.not_found, 'not_found', `The game has no link "${wanted}".`, {
          hint: 'Run svc preview list for the links of the game.',
        });
      }
      await platform.call(
        'revokePreview',
        { params: { id, preview: found.id } },
        { repeat: 'safe' },
      );
      const label = found.name ?? found.id;
      const isDeleted = (await findRelease({ platform, signal }, id, found.version)) === null;
      const deleted_version = isDeleted ? found.version : null;
      call.output.result({ id: found.id, name: found.name, revoked: true, deleted_version }, () =>
        isDeleted ? `Revoked ${label} and deleted version ${found.version}.` : `Revoked ${label}.`,
      );
    });
  },
});

/** Whether the text is the name, the id or the address of the link. */
function isNamed({ name, id, url }: Preview, text: string): boolean {
  return name === text || id === text || url.replace(/\/$/, '') === text.replace(/\/$/, '');
}
