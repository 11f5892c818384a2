// `svc trust list`: lists the CI runs that may publish a game.
import type { Publisher } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Paint } from '../../output/output.ts';
import { wrapText } from '../../output/table.ts';
import { safeLine } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';
import { describePublisher } from './describe-publisher.ts';

export const listPublishersCommand = defineCommand({
  name: 'list',
  summary: 'List the CI runs that may publish the game in this folder',
  options: [API_OPTION, PROJECT_OPTION],
  document: 'trust-list',
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      await requireFeature(platform, 'publishers_per_project');
      const { publishers } = await platform.call('publishers', { params: { id } });
      call.output.result({ publishers }, (paint) =>
        publishers.length === 0
          ? 'No CI is trusted. Run svc trust add --github OWNER/NAME.'
          : publishers.flatMap((publisher) => linesOf(publisher, paint)),
      );
    });
  },
});

const INDENT = '  ';
const WIDTH = 80 - INDENT.length;

function linesOf(publisher: Publisher, paint: Paint): string[] {
  const { id, issuer, audience, last_used_at } = publisher;
  const used = last_used_at === null ? 'never used' : `last used ${last_used_at.slice(0, 10)}`;
  const details = [describePublisher(publisher), `issuer ${issuer}`, `audience ${audience}`, used];
  return [
    paint('bold', safeLine(id)),
    ...details.flatMap((line) => wrapText(safeLine(line), WIDTH)).map((line) => INDENT + line),
  ];
}
