// `svc promote`: makes a staged release live. Nothing is uploaded.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';
import { reportLive } from './report-live.ts';

export const promoteCommand = defineCommand({
  name: 'promote',
  summary: 'Make a staged release live',
  description:
    'Players get exactly the files that testers have played. Nothing is uploaded. For a release that was live before, use svc rollback.',
  arguments: [{ name: '<VERSION>', help: 'the staged version, from svc releases' }],
  options: [API_OPTION, PROJECT_OPTION],
  document: 'promote',
  async run(call) {
    const id = projectIdOf(call);
    const [version = ''] = call.args;
    await withPlatform(call, async ({ platform }) => {
      await requireFeature(platform, 'previews_per_project');
      const input = { params: { id }, body: { version } };
      reportLive(call, await platform.call('promote', input, { repeat: 'safe' }));
    });
  },
});
