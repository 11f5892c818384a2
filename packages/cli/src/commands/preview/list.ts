// `svc preview list`: lists the links to play releases of a game, the newest first.
import type { Preview } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Paint } from '../../output/output.ts';
import { wrapText } from '../../output/table.ts';
import { safeLine } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';

export const listPreviewsCommand = defineCommand({
  name: 'list',
  summary: 'List the links to play releases of the game in this folder',
  options: [API_OPTION, PROJECT_OPTION],
  document: 'preview-list',
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      await requireFeature(platform, 'previews_per_project');
      const { previews } = await platform.call('previews', { params: { id } });
      call.output.result({ previews }, (paint) =>
        previews.length === 0
          ? 'There are no links. Run svc publish --stage, or svc preview create VERSION.'
          : previews.flatMap((preview) => linesOf(preview, paint)),
      );
    });
  },
});

const INDENT = '  ';
/** Lines fit into a terminal of 80 columns, but for addresses. */
const WIDTH = 80 - INDENT.length;

/** The name of a link is not cut, because svc preview revoke needs it. */
function linesOf(preview: Preview, paint: Paint): string[] {
  const { id, name, version, url, expires_at, last_used_at } = preview;
  const used = last_used_at === null ? 'never used' : `last used ${dayOf(last_used_at)}`;
  const facts = `version ${version}, expires ${dayOf(expires_at)}, ${used}`;
  const details = [...wrapText(safeLine(facts), WIDTH), safeLine(url)];
  return [paint('bold', safeLine(name ?? id)), ...details.map((line) => INDENT + line)];
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
