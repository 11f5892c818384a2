// `svc projects`: lists the games of the token's owner.
import type { Game } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable } from '../../output/table.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';

export const projectsCommand = defineCommand({
  name: 'projects',
  summary: 'List your games on the platform, including drafts',
  options: [API_OPTION],
  document: 'projects',
  async run(call) {
    await withPlatform(call, async ({ platform }) => {
      const games: Game[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: '100', ...(cursor === undefined ? {} : { cursor }) };
        const page = await platform.call('projects', { query });
        games.push(...page.games);
        cursor = page.next_cursor;
      }
      call.output.result({ games }, () =>
        games.length === 0
          ? 'There are no games yet. Run svc init, then svc publish.'
          : table(games),
      );
    });
  },
});

function table(games: readonly Game[]): string[] {
  return formatTable(
    [
      { title: 'TITLE', max: 40 },
      { title: 'SLUG' },
      { title: 'STATUS' },
      { title: 'VERSION' },
      { title: 'ID' },
    ],
    games.map((game) => [game.title, game.slug, game.status, game.version ?? '-', game.id]),
  );
}
