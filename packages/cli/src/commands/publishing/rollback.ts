// `svc rollback`: makes an earlier release live, also of an unpublished game. Nothing is uploaded.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

export const rollbackCommand = defineCommand({
  name: 'rollback',
  summary: 'Make an earlier release live',
  description:
    'Nothing is uploaded or deleted. An unpublished game goes online again. Run svc releases for the versions.',
  arguments: [{ name: '<VERSION>', help: 'the version to make live' }],
  options: [API_OPTION, PROJECT_OPTION],
  document: 'rollback',
  async run(call) {
    const id = projectIdOf(call);
    const [version = ''] = call.args;
    await withPlatform(call, async ({ platform }) => {
      const input = { params: { id }, body: { version } };
      const { game, release } = await platform.call('rollback', input, { repeat: 'safe' });
      call.output.result({ game, release }, () => [
        `${game.title}: version ${release.version} is live.`,
        ...(game.play_url === null ? [] : [game.play_url]),
      ]);
    });
  },
});
