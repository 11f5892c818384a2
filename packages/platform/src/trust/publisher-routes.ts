// Routes for trusted publishers: list, add, remove, and the exchange of an identity for a token.
import {
  type CreatePublisher,
  type Publisher,
  type PublisherProvider,
  requestSchemas,
} from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, PublishersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import { formatTime } from '../http/format-time.ts';
import { takeForms } from '../http/take-forms.ts';
import type { Platform } from '../platform.ts';
import { audienceOf, exchangeToken } from './exchange-token.ts';
import { findSameRepository } from './find-same-repository.ts';
import { lowerAscii } from './match-publisher.ts';
import { publishersOf } from './publishers-of.ts';

const ISSUERS: Readonly<Record<PublisherProvider, string | null>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  other: null,
};

export function publisherRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('publishers', async ({ game }) => ({
    publishers: await listPublishers(platform, game),
  }));
  handleRoute(
    'createPublisher',
    async ({ caller, game, body }) => ({
      publisher: await createPublisher(platform, { caller, game, body }),
    }),
    { body: requestSchemas(platform.limits).CreatePublisher },
  );
  handleRoute('removePublisher', async ({ caller, game, params }) => {
    await removePublisher(platform, { caller, game, id: params.publisher });
    return null;
  });
  takeForms(app, (scope) => {
    routesOn(scope, platform)('exchangeToken', ({ body }) => exchangeToken(platform, body));
  });
}

/** Returns the trusted publishers of a game, the last added first. */
export async function listPublishers(platform: Platform, game: GamesTable): Promise<Publisher[]> {
  const rows = await publishersOf(platform.db, game.id);
  return rows.toReversed().map((row) => publisherRecord(platform, row));
}

type CreateRequest = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly body: CreatePublisher;
};

async function createPublisher(
  platform: Platform,
  { caller, game, body }: CreateRequest,
): Promise<Publisher> {
  const at = platform.now();
  const wanted = publisherRow(game.id, body, at);
  const row = await platform.db.transaction().execute(async (trx) => {
    await lockOwnGame(platform, trx, caller, game.id);
    const others = await publishersOf(trx, game.id);
    checkNew(others, wanted);
    checkCount(others.length, platform.limits.publishers_per_project);
    const row = { ...wanted, repository_id: knownId(others, wanted) };
    await trx.insertInto('publishers').values(row).execute();
    const detail = row.repository ?? row.subject ?? row.issuer;
    await writeAudit(trx, {
      ...{ at, actor: actorOf(caller), action: 'publisher.added', subject: game.id, detail },
    });
    return row;
  });
  return publisherRecord(platform, row);
}

/** Throws `invalid_input` if the project has a publisher for the same runs. */
function checkNew(others: readonly PublishersTable[], wanted: PublishersTable): void {
  if (!others.some((publisher) => whichRuns(publisher) === whichRuns(wanted))) return;
  throw failure(
    'invalid_input',
    'The project trusts these runs already. Remove that publisher first, or change a field',
  );
}

function whichRuns(publisher: PublishersTable): string {
  const { provider, issuer, audience, repository, subject, branch, environment, workflow } =
    publisher;
  const name = repository === null ? null : lowerAscii(repository);
  return JSON.stringify([
    ...[provider, issuer, audience, name],
    ...[subject, branch, environment, workflow],
  ]);
}

/** Returns the id that other publishers have for the repository. Throws `invalid_input` if the wanted one is another. */
function knownId(others: readonly PublishersTable[], wanted: PublishersTable): string | null {
  if (wanted.repository === null) return null;
  const same = findSameRepository(others, wanted);
  const known = same.find(({ repository_id }) => repository_id !== null)?.repository_id ?? null;
  const { repository_id } = wanted;
  if (known === null || repository_id === null || known === repository_id)
    return known ?? repository_id;
  throw invalid(
    'repository_id',
    `Another trusted publisher of "${wanted.repository}" has the repository id ${known}. Remove it first`,
  );
}

/** Returns the row. Throws `invalid_input` for fields that do not fit the provider. */
function publisherRow(gameId: string, body: CreatePublisher, at: number): PublishersTable {
  const { provider, audience = null, repository = null, repository_id = null } = body;
  const { subject = null, branch = null, environment = null, workflow = null } = body;
  const issuer = body.issuer ?? ISSUERS[provider];
  if (issuer === null) throw invalid('issuer', 'The provider "other" needs an issuer');
  if (!isIssuer(issuer)) {
    throw invalid(
      'issuer',
      `The issuer "${issuer}" is not an address without user name, query and fragment`,
    );
  }
  const known = knownProvider(issuer);
  if (provider === 'other' && known !== null) {
    throw invalid('provider', `Choose the provider "${known}" for the issuer "${issuer}"`);
  }
  if (provider === 'other') {
    if (subject === null) throw invalid('subject', 'The provider "other" needs a subject');
    const extra = Object.entries({ repository, repository_id, branch, environment, workflow });
    const [name] = extra.find(([, value]) => value !== null) ?? [];
    if (name !== undefined)
      throw invalid(name, `The provider "other" has no field "${name}". Use the subject`);
  } else if (repository === null) {
    throw invalid('repository', `The provider "${provider}" needs a repository`);
  }
  if (provider !== 'github' && workflow !== null)
    throw invalid('workflow', `The provider "${provider}" has no workflows`);
  return {
    ...{ id: newId(), game_id: gameId, provider, issuer, audience, repository, repository_id },
    ...{ subject, branch, environment, workflow, created_at: at, last_used_at: null },
  };
}

function isIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer) || /[?#]/.test(issuer)) return false;
  const { username, password } = new URL(issuer);
  return username === '' && password === '';
}

/** The provider of well-known issuers. Its own rules also check the id of the repository. */
function knownProvider(issuer: string): PublisherProvider | null {
  const { hostname } = new URL(issuer);
  if (hostname.startsWith('token.actions.')) return 'github';
  return hostname === 'gitlab.com' ? 'gitlab' : null;
}

function invalid(path: string, message: string): Error {
  return failure('invalid_input', message, { details: [{ path: `/${path}`, message }] });
}

function checkCount(count: number, limit: number): void {
  if (count < limit) return;
  throw failure(
    'quota_exceeded',
    `Cannot add another trusted publisher: the project has ${limit}. Remove those that are not needed`,
  );
}

type RemoveRequest = { readonly caller: Caller; readonly game: GamesTable; readonly id: string };

/** Removes the publisher and revokes the tokens that it got. */
async function removePublisher(
  platform: Platform,
  { caller, game, id }: RemoveRequest,
): Promise<void> {
  const at = platform.now();
  await platform.db.transaction().execute(async (trx) => {
    await lockOwnGame(platform, trx, caller, game.id);
    // Before the tokens, so that an exchange in progress has stored its token, or finds no publisher.
    const removed = await trx
      .deleteFrom('publishers')
      .where('id', '=', id)
      .where('game_id', '=', game.id)
      .returningAll()
      .executeTakeFirst();
    if (removed === undefined) throw failure('not_found', 'Cannot find this trusted publisher');
    await trx
      .updateTable('tokens')
      .set({ revoked_at: at })
      .where('publisher_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    const detail = removed.repository ?? removed.subject ?? removed.issuer;
    await writeAudit(trx, {
      ...{ at, actor: actorOf(caller), action: 'publisher.removed', subject: game.id, detail },
    });
  });
}

function publisherRecord(platform: Platform, row: PublishersTable): Publisher {
  const { game_id: _game, created_at, last_used_at, ...fields } = row;
  return {
    ...fields,
    audience: audienceOf(platform, row),
    created_at: formatTime(created_at),
    last_used_at: formatTime(last_used_at),
  };
}
