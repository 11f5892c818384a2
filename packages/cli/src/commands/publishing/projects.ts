// `svc projects`: lists the games of the token's owner.
import type { Game } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable } from '../../output/table.ts';
import { safeLine } from '../../output/text.ts';
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
          : [...table(games), ...games.flatMap(takenDownLines)],
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
    games.map((game) => [game.title, game.slug, statusOf(game), game.version ?? '-', game.id]),
  );
}

function statusOf({ status, taken_down }: Game): string {
  return taken_down == null ? status : 'taken down';
}

/** Why the operator has taken the game down. */
function takenDownLines({ slug, taken_down }: Game): string[] {
  if (taken_down == null) return [];
  const why = taken_down.reason === null ? 'No reason was given.' : `Reason: ${taken_down.reason}`;
  return ['', safeLine(`The operator of the platform has taken ${slug} down. ${why}`)];
}
