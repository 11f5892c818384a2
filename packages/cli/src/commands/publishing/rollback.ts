// `svc rollback`: makes an earlier release live, also of an unpublished game. Nothing is uploaded.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import type { Platform } from '../../platform/connect.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { usageError } from '../../process/exit-codes.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';
import { reportLive } from './report-live.ts';

export const rollbackCommand = defineCommand({
  name: 'rollback',
  summary: 'Make an earlier release live, or put an unpublished game online again',
  description:
    'Nothing is uploaded or deleted. An unpublished game goes online again, without VERSION with the one that was live last. To undo a rollback, roll back to the version that was live before it. Run svc releases for the versions.',
  arguments: [
    { name: '[VERSION]', help: 'the version to make live (unpublished game: the last live one)' },
  ],
  options: [API_OPTION, PROJECT_OPTION],
  document: 'rollback',
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      const version = call.args[0] ?? (await lastLive(platform, id));
      const input = { params: { id }, body: { version } };
      reportLive(call, await platform.call('rollback', input, { repeat: 'safe' }));
    });
  },
});

/** The version that was live when the game was unpublished. Throws a usage error for a game that is online. */
async function lastLive(platform: Platform, id: string): Promise<string> {
  const { game, live_release: live } = await platform.call('project', { params: { id } });
  if (game.status === 'draft' && live !== null) return live.version;
  throw usageError(
    live === null ? `${game.title} was never online.` : `${game.title} is online.`,
    live === null
      ? 'Run svc publish, or svc promote VERSION for a staged release.'
      : 'Name the version to roll back to, from svc releases.',
  );
}
