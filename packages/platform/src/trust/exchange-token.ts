// Exchanges the identity of a CI run for a short token (RFC 8693).
import { createHash, randomBytes } from 'node:crypto';
import {
  ACCESS_TOKEN_TYPE,
  type CallAnswer,
  drawTokenRandom,
  type ExchangeToken,
  formatToken,
} from '@svc/contracts/platform';
import { errors, type JWTPayload } from 'jose';
import { writeAudit } from '../access/audit.ts';
import { checkNotSuspended } from '../access/caller.ts';
import { hashSecret } from '../access/hash-secret.ts';
import { lockGame } from '../access/own-game.ts';
import { readIssuer, SKEW_SECONDS, verifyJwt } from '../access/verify-jwt.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, PublishersTable, Trx, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { findSameRepository } from './find-same-repository.ts';
import { matchesPublisher } from './match-publisher.ts';
import { formatProvenance } from './provenance.ts';
import { publishersOf } from './publishers-of.ts';
import { type CiIdentity, readIdentity } from './read-identity.ts';

/** Older identities are rejected, so that the list of those that were used stays small. */
const IDENTITY_SECONDS = 24 * 3600;
const SUBJECT_CHARACTERS = 255;

/** A verified identity and the publisher that it matches. */
type Matched = {
  readonly claims: JWTPayload;
  readonly identity: CiIdentity;
  readonly publisher: PublishersTable;
};

/** Returns a token for the project. Throws `unauthenticated`, `id_token_used`, `account_suspended`, `not_trusted` or `identity_unavailable`. */
export async function exchangeToken(
  platform: Platform,
  { subject_token: idToken, audience: gameId }: ExchangeToken,
): Promise<CallAnswer<'exchangeToken'>> {
  const matched = await findPublisher(platform, gameId, idToken);
  const secret = formatToken(drawTokenRandom(randomBytes));
  const seconds = platform.limits.exchanged_token_minutes * 60;
  await platform.db
    .transaction()
    .execute((trx) => storeExchange(platform, trx, { matched, idToken, secret, seconds }));
  return {
    access_token: secret,
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: 'Bearer',
    expires_in: seconds,
    scope: 'publish',
  };
}

/** Verifies the identity and returns the publisher of the project that it matches. An unknown issuer causes no request. */
async function findPublisher(
  platform: Platform,
  gameId: string,
  idToken: string,
): Promise<Matched> {
  const issuer = readIssuer(idToken);
  if (issuer === null) throw refusal('It is not a signed JWT');
  const publishers = await platform.db
    .selectFrom('publishers')
    .innerJoin('games', 'games.id', 'publishers.game_id')
    .selectAll('publishers')
    .where('publishers.game_id', '=', gameId)
    .where('publishers.issuer', '=', issuer)
    .where('games.deleted_at', 'is', null)
    .orderBy('publishers.id')
    .execute();
  if (publishers.length === 0) {
    throw failure(
      'not_trusted',
      `The project has no trusted publisher with the issuer "${issuer}". Add one in the dashboard or with svc trust add`,
    );
  }
  const claims = await verifyClaims(platform, issuer, idToken, publishers);
  for (const publisher of publishers) {
    if (!isFor(claims, audienceOf(platform, publisher))) continue;
    const identity = readIdentity(publisher.provider, claims);
    if (matchesPublisher(publisher, identity)) return { claims, identity, publisher };
  }
  throw notTrusted(readIdentity(publishers[0]?.provider ?? 'other', claims));
}

/** Returns the audience that identities of the publisher must have. */
export function audienceOf(
  { addresses }: Pick<Platform, 'addresses'>,
  { audience }: Pick<PublishersTable, 'audience'>,
): string {
  return audience ?? addresses.publicUrl;
}

async function verifyClaims(
  platform: Platform,
  issuer: string,
  idToken: string,
  publishers: readonly PublishersTable[],
): Promise<JWTPayload> {
  const audience = publishers.map((publisher) => audienceOf(platform, publisher));
  const claims = await verifyJwt(idToken, {
    ...{ issuer, audience, getKey: platform.keysOfIssuer(issuer), nowMs: platform.now() },
    maximumSeconds: IDENTITY_SECONDS,
    refuse: (cause) => refusal(describeFault(cause, audience)),
  });
  const { aud } = claims;
  // The issuer may have signed any type.
  const sub: unknown = claims.sub;
  if (typeof sub !== 'string' || sub.trim() === '' || sub.length > SUBJECT_CHARACTERS)
    throw refusal('Its subject is not valid');
  // Other servers also accept such a token, and could use it here.
  if (Array.isArray(aud) && aud.length > 1) throw refusal('It has several audiences');
  return claims;
}

function isFor({ aud }: JWTPayload, audience: string): boolean {
  return (Array.isArray(aud) ? aud : [aud]).includes(audience);
}

function describeFault(cause: unknown, audience: readonly string[]): string {
  if (cause instanceof errors.JWTExpired) {
    return cause.claim === 'iat' ? 'It was issued more than 24 hours ago' : 'It has expired';
  }
  if (cause instanceof errors.JWTClaimValidationFailed) {
    if (cause.claim === 'aud')
      return `Its audience is not "${[...new Set(audience)].join('" or "')}"`;
    if (cause.claim === 'iat') return 'It was issued in the future';
  }
  return 'Its signature or its claims are not valid';
}

type Exchange = {
  readonly matched: Matched;
  readonly idToken: string;
  readonly secret: string;
  /** How long the token is valid. */
  readonly seconds: number;
};

async function storeExchange(
  platform: Platform,
  trx: Trx,
  { matched, idToken, secret, seconds }: Exchange,
): Promise<void> {
  const { claims, identity, publisher } = matched;
  const at = platform.now();
  // Before the game, as in all transactions. So a revocation of all tokens of the owner includes this one.
  const owner = await lockOwner(trx, matched.publisher.game_id);
  const game = await notePublisher(trx, matched, at);
  if (owner !== undefined) checkNotSuspended(owner);
  await spend(trx, claims, idToken);
  const id = newId();
  await trx
    .insertInto('tokens')
    .values({
      ...{ id, uid: game.developer_uid, hash: hashSecret(secret) },
      name: `CI: ${identity.repository ?? identity.subject}`,
      ...{ scopes: '["publish"]', projects: JSON.stringify([game.id]) },
      ...{ created_at: at, expires_at: at + seconds * 1000, last_used_at: null, revoked_at: null },
      ...{ publisher_id: publisher.id, provenance: formatProvenance(identity) },
    })
    .execute();
  const actor = { uid: game.developer_uid, tokenId: id };
  const detail = identity.subject;
  await writeAudit(trx, { at, actor, action: 'token.exchanged', subject: game.id, detail });
}

/**
 * Stores the use, and the id of the repository for all publishers of the project that name it. Returns the game, which is locked.
 * Throws `not_trusted` if the publisher was removed, or if one of them has another id.
 */
async function notePublisher(
  trx: Trx,
  { identity, publisher }: Matched,
  at: number,
): Promise<GamesTable> {
  const game = await lockGame(trx, publisher.game_id);
  const same = findSameRepository(await publishersOf(trx, publisher.game_id), publisher);
  const { repositoryId } = identity;
  const isForeign = same.some(
    ({ repository_id }) => repository_id !== null && repository_id !== repositoryId,
  );
  const isRemoved = game === undefined || !same.some(({ id }) => id === publisher.id);
  if (isForeign || isRemoved) throw notTrusted(identity);
  await trx
    .updateTable('publishers')
    .set({ last_used_at: at })
    .where('id', '=', publisher.id)
    .execute();
  if (publisher.repository === null) return game;
  const ids = same.map(({ id }) => id);
  await trx
    .updateTable('publishers')
    .set({ repository_id: repositoryId })
    .where('id', 'in', ids)
    .execute();
  return game;
}

/** Locks the owner of the game. An update without a change locks the row on both engines. */
function lockOwner(trx: Trx, gameId: string): Promise<UsersTable | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('uid', '=', (eb) =>
      eb.selectFrom('games').select('developer_uid').where('id', '=', gameId),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Rejects an identity token that was exchanged before. */
async function spend(trx: Trx, claims: JWTPayload, idToken: string): Promise<void> {
  const { iss, jti, exp = 0, iat = 0 } = claims;
  // The signature may have several forms. The signed text has one.
  const name = jti ?? idToken.slice(0, idToken.lastIndexOf('.'));
  const hash = createHash('sha256')
    .update(JSON.stringify([iss, name]))
    .digest('hex');
  const seconds = Math.min(exp, iat + IDENTITY_SECONDS) + SKEW_SECONDS;
  const spent = await trx
    .insertInto('used_id_tokens')
    .values({ hash, until: Math.ceil(seconds * 1000) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .executeTakeFirst();
  if (spent !== undefined) return;
  throw failure(
    'id_token_used',
    'The ID token was exchanged before. Each can be exchanged once: request a new one',
  );
}

function refusal(reason: string): Error {
  return failure('unauthenticated', `The ID token is not valid here. ${reason}`);
}

/** Shows the caller their own claims, to compare them with the publishers of the project. */
function notTrusted(identity: CiIdentity): Error {
  const { subject, repository, repositoryId, branch, environment, workflow } = identity;
  const claims = {
    subject,
    repository,
    'repository id': repositoryId,
    branch,
    environment,
    workflow,
  };
  const stated = Object.entries(claims)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} "${value}"`]))
    .join(', ');
  return failure(
    'not_trusted',
    `No trusted publisher of the project matches this identity: ${stated}. Compare them in the dashboard or with svc trust list`,
  );
}
