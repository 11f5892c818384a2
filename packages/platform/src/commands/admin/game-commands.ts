// `svc-platform admin game …`: find games, take them or their releases down, restore them.
import { formatNumber } from '@svc/contracts/faults';
import { type AdminGame, type Release, requestSchemas } from '@svc/contracts/platform';
import {
  adminGameRecords,
  findAllGames,
  findAnyGame,
  findGameByName,
  releasesOf,
} from '../../admin/find-all-games.ts';
import { restoreGame, takeDown } from '../../admin/take-down.ts';
import type { GamesTable } from '../../database/schema.ts';
import { pageSlug } from '../../projects/game-records.ts';
import {
  type AdminCommand,
  type Call,
  checkBody,
  describeRestriction,
  printFields,
  printRows,
  readList,
  shortTime,
  userOf,
} from './admin-command.ts';

export const gameCommands: readonly AdminCommand[] = [
  {
    name: 'game list',
    takes: [],
    optionHelp: '[--search TEXT] [--developer USER] [--taken-down] [--limit N]',
    options: {
      search: { type: 'string' },
      developer: { type: 'string' },
      'taken-down': { type: 'boolean' },
      limit: { type: 'string' },
    },
    run: listGames,
  },
  {
    name: 'game show',
    takes: ['SLUG'],
    optionHelp: '',
    options: {},
    run: async (call) => showGame(call, await wantedGame(call)),
  },
  {
    name: 'game take-down',
    takes: ['SLUG'],
    optionHelp: '[--version VERSION] [--reason TEXT]',
    options: { version: { type: 'string' }, reason: { type: 'string' } },
    run: takeGameDown,
  },
  {
    name: 'game restore',
    takes: ['SLUG'],
    optionHelp: '[--version VERSION]',
    options: { version: { type: 'string' } },
    run: restore,
  },
];

function wantedGame({ admin, words }: Call): Promise<GamesTable> {
  return findGameByName(admin.db, words[0] ?? '');
}

async function listGames(call: Call): Promise<void> {
  const { admin, text, has, json, print } = call;
  const developer = text('developer');
  const filter = {
    limit: String(admin.limits.list_maximum),
    ...(text('search') === undefined ? {} : { q: text('search') }),
    ...(developer === undefined ? {} : { developer: (await userOf(admin, developer)).uid }),
    ...(has('taken-down') ? { taken_down: 'true' as const } : {}),
  };
  const rows: string[][] = [];
  const { isCut } = await readList(
    call,
    async (cursor) => {
      const { games, next_cursor } = await findAllGames(admin, { ...filter, cursor });
      return { entries: games, next_cursor };
    },
    (game) => {
      if (json) print(JSON.stringify(game));
      else rows.push(rowOf(game));
    },
  );
  if (json) return;
  const titles = ['SLUG', 'TITLE', 'DEVELOPER', 'VERSION', 'STATE'];
  printRows(call, titles, rows, { isCut, nothing: 'No game was found' });
}

function rowOf(game: AdminGame): string[] {
  return [game.slug, game.title, game.developer.name, game.version ?? '', stateOf(game)];
}

function stateOf({ status, ...game }: AdminGame): string {
  const { taken_down, release_taken_down, developer_suspended, deleted_at = null } = game;
  if (deleted_at !== null) return taken_down === null ? 'deleted' : 'deleted, taken down';
  if (taken_down !== null) return 'taken down';
  if (release_taken_down !== null) return 'live release taken down';
  return developer_suspended === null ? status : 'developer suspended';
}

async function showGame(call: Call, { id }: GamesTable): Promise<void> {
  const { admin, json, print } = call;
  const row = await findAnyGame(admin, id);
  const [game] = await adminGameRecords(admin, [row]);
  if (game === undefined) throw new Error('Cannot show the game');
  const releases = await releasesOf(admin, row);
  if (json) return print(JSON.stringify({ ...game, releases }));
  printFields(call, [
    ['id', game.id],
    ['title', game.title],
    ['page', game.url],
    ['developer', `${game.developer.name} (${game.developer.uid})`],
    ['state', stateOf(game)],
    ['since', shortTime(game.created_at)],
    ['stored', `${formatNumber(game.bytes)} bytes`],
    ['deleted', game.deleted_at == null ? null : shortTime(game.deleted_at)],
    ['taken down', describeRestriction(game.taken_down)],
    ['suspended', describeRestriction(game.developer_suspended)],
  ]);
  print('');
  printRows(call, ['VERSION', 'PUBLISHED', 'STATE'], releases.map(releaseRow), {
    isCut: false,
    nothing: 'The game has no releases',
  });
}

function releaseRow(release: Release): string[] {
  const { version, created_at, live, staged, taken_down } = release;
  const down = taken_down == null ? '' : `taken down ${describeRestriction(taken_down)}`;
  const state = live ? 'live' : staged === true ? 'staged' : '';
  return [version, shortTime(created_at), [state, down].filter(Boolean).join(', ')];
}

/** Prints the outcome of an act: sentences, or the changed game as JSON. */
async function report(call: Call, game: GamesTable, sentence: string): Promise<void> {
  if (call.json) await showGame(call, game);
  else call.print(sentence);
}

async function takeGameDown(call: Call): Promise<void> {
  const { admin, text } = call;
  const reason = text('reason') ?? null;
  const version = text('version') ?? null;
  checkBody(requestSchemas(admin.limits).TakeDown, { reason });
  const { id } = await wantedGame(call);
  const game = await takeDown(admin, { gameId: id, version }, reason);
  const seen =
    game.status === 'published'
      ? 'The game is played in another version'
      : 'Players cannot see the game';
  await report(call, game, `Took ${whatOf(game, version)} down. ${seen}`);
}

async function restore(call: Call): Promise<void> {
  const version = call.text('version') ?? null;
  const { id } = await wantedGame(call);
  const game = await restoreGame(call.admin, { gameId: id, version });
  const [record] = await adminGameRecords(call.admin, [game]);
  const state = record === undefined ? game.status : stateOf(record);
  await report(call, game, `Restored ${whatOf(game, version)}. The state of the game: ${state}`);
}

function whatOf(game: GamesTable, version: string | null): string {
  return version === null ? pageSlug(game) : `version ${version} of ${pageSlug(game)}`;
}
