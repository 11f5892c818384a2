// `svc unpublish`: the game is a draft again; its files and releases are kept.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION, type ApiOptions } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, type ProjectOptions, projectIdOf } from './project-option.ts';

export const unpublishCommand = defineCommand<ApiOptions & ProjectOptions>({
  name: 'unpublish',
  summary: 'Take the game offline; its files are kept',
  description:
    'Players can no longer open it. svc publish, or svc rollback VERSION, puts it online again.',
  options: [API_OPTION, PROJECT_OPTION],
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      const { game } = await platform.call('unpublish', { params: { id } }, { repeat: 'safe' });
      call.output.result({ game }, () => [
        `${game.title} is offline (${game.status}).`,
        'svc publish puts it online again, and so does svc rollback VERSION.',
      ]);
    });
  },
});
