// `svc unpublish`: takes a game offline. Its files and releases are kept.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

export const unpublishCommand = defineCommand({
  name: 'unpublish',
  summary: 'Take the game offline and keep its releases',
  description:
    'Players can no longer open the game. Preview links still work; revoke them with svc preview revoke. Run svc rollback to put the game online again.',
  options: [API_OPTION, PROJECT_OPTION],
  document: 'unpublish',
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      const { game } = await platform.call('unpublish', { params: { id } }, { repeat: 'safe' });
      call.output.result({ game }, () => [
        `${game.title} is offline (${game.status}).`,
        'Run svc rollback to put it online again.',
      ]);
    });
  },
});
