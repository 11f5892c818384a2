// A publisher: it publishes releases, rolls back to earlier ones and updates the page. It repeats what `svc` would, and
// checks what the errors promise.
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlatformClient, type PlatformClient, PlatformError } from '@svc/contracts/platform';
import { publishBuild, publishParts } from '@svc/platform/testing';
import { makePng } from '../collector/png.ts';
import { addRelease, beginChange, endChange, type Game, type Release } from './game.ts';
import { type Cluster, HOSTS } from './open-cluster.ts';
import type { Random } from './random.ts';

/** Longer than any fault of the test and what follows from it. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;
/** After this time, a request whose answer was lost has ended. */
const ENDED_MS = 1_000;
/** The share of publishes that are cut off, as by a developer who presses Ctrl+C. */
const CUT_SHARE = 0.15;
/** The share of publishes for which the next one does not wait, as that of another developer. */
const LEAVE_SHARE = 0.3;
/** The longest time until one of both happens. */
const HURRY_MS = 1_500;
/** The share of publishes without an answer after which the next version is published instead. */
const GIVE_UP_SHARE = 0.5;
const ROLLBACK_SHARE = 0.2;
/** Releases of a game that remain when old ones are deleted. Rollbacks go to these. */
export const KEPT = 6;

/** Errors after which nothing was changed. */
const UNCHANGED = ['publish_in_progress', 'busy', 'change_interrupted', 'shutting_down'];
/** Also these in parts: the upload has ended, because of newer ones, or parts of it were lost. */
const UPLOAD_ENDED = ['not_found', 'upload_incomplete'];

export type ClientOptions = {
  /** Reaches one process instead of nginx. */
  readonly api?: 0 | 1 | undefined;
  /** Ends its requests. */
  readonly signal?: AbortSignal;
};

/** Returns a client with the credential. */
export function clientOf(
  { send }: Pick<Cluster, 'send'>,
  credential: string,
  { api, signal }: ClientOptions = {},
): PlatformClient {
  const baseUrl = 'http://api';
  const cut = signal === undefined ? {} : { signal };
  return createPlatformClient({
    baseUrl,
    send: (address, init) =>
      send(HOSTS.api, address.slice(baseUrl.length), { ...init, ...cut }, api),
    credential: () => credential,
  });
}

/** A developer with a token. */
export type Publisher = {
  readonly cluster: Pick<Cluster, 'send'>;
  readonly secret: string;
  readonly random: Random;
  /** The publishes for which the next one did not wait. */
  readonly left: Set<Promise<void>>;
};

export function newPublisher(
  cluster: Pick<Cluster, 'send'>,
  secret: string,
  random: Random,
): Publisher {
  return { cluster, secret, random, left: new Set() };
}

/** Publishes the next release, or sometimes rolls back to an earlier one. Returns when the change was answered. */
export async function changeNext(publisher: Publisher, game: Game): Promise<void> {
  const { random } = publisher;
  const earlier = game.releases.slice(-KEPT).filter(({ isPublished }) => isPublished);
  if (earlier.length > 1 && random.next() < ROLLBACK_SHARE) {
    await rollBack(publisher, game, random.pick(earlier));
  } else {
    await publishNext(publisher, game);
  }
}

/**
 * Publishes the next release until one is answered. With `isPatient`, waits for each answer. Throws for an error that must
 * not occur, and after a minute.
 */
export async function publishNext(
  publisher: Publisher,
  game: Game,
  isPatient = false,
): Promise<void> {
  while (!(await publishOne(publisher, game, isPatient))) await sleep(PAUSE_MS);
}

/** Returns false if the publish was given up without an answer. */
async function publishOne(publisher: Publisher, game: Game, isPatient: boolean): Promise<boolean> {
  const { random, left } = publisher;
  const release = addRelease(game);
  const change = beginChange(game, 'publish', release);
  const name = `${game.slug} ${release.version}`;
  const end = (isPublished: boolean): void => {
    if (isPublished) release.isPublished = true;
    endChange(change, isPublished);
  };
  /** Whether an earlier try may have been committed without an answer. */
  let isUnknown = false;
  const outcome = await untilAnswered(name, async () => {
    const hurry = chooseHurry(random, isPatient);
    const cut = hurry?.kind === 'cut' ? { signal: AbortSignal.timeout(hurry.ms) } : {};
    const client = clientOf(publisher.cluster, publisher.secret, cut);
    const trying = tryOnce(
      () => sendRelease(client, game, release),
      release.inParts ? UPLOAD_ENDED : [],
    );
    if (hurry?.kind === 'leave') {
      const first = await Promise.race([trying, sleep(hurry.ms, LEFT)]);
      if (first === LEFT) {
        left.add(trying.then(({ kind }) => end(kind === 'done')));
        return LEFT;
      }
    }
    const tried = await trying;
    if (tried.kind === 'exists' && !isUnknown) {
      throw new Error(`${name}: it exists, but each answer said otherwise`);
    }
    isUnknown ||= tried.kind === 'unknown';
    return tried.kind === 'unknown' && random.next() < GIVE_UP_SHARE ? GIVEN_UP : tried;
  });
  if (outcome !== LEFT) end(outcome !== GIVEN_UP);
  return outcome !== LEFT && outcome !== GIVEN_UP;
}

function sendRelease(client: PlatformClient, { id }: Game, release: Release): Promise<unknown> {
  const { version, files, zip, inParts } = release;
  return inParts
    ? publishParts(client, id, version, Object.fromEntries(files))
    : publishBuild(client, id, version, zip);
}

type Hurry = { readonly kind: 'cut' | 'leave'; readonly ms: number };

/** Returns how a publish is treated that takes longer; null if it is waited for. */
function chooseHurry(random: Random, isPatient: boolean): Hurry | null {
  const draw = random.next();
  const ms = Math.round(random.next() * HURRY_MS);
  if (isPatient || draw >= CUT_SHARE + LEAVE_SHARE) return null;
  return { kind: draw < CUT_SHARE ? 'cut' : 'leave', ms };
}

async function rollBack(publisher: Publisher, game: Game, release: Release): Promise<void> {
  const client = clientOf(publisher.cluster, publisher.secret);
  const change = beginChange(game, 'rollback', release);
  const request = { params: { id: game.id }, body: { version: release.version } };
  await untilAnswered(`${game.slug} back to ${release.version}`, () =>
    tryOnce(() => client.call('rollback', request)),
  );
  endChange(change, true);
}

/** Replaces the cover and its text until it is answered. */
export async function updatePage(publisher: Publisher, game: Game): Promise<void> {
  const client = clientOf(publisher.cluster, publisher.secret);
  const number = game.pageNumber + 1;
  const form = (): FormData => {
    const sent = new FormData();
    sent.set('metadata', JSON.stringify({ alt: { cover: coverText(number) } }));
    sent.set('cover', new Blob([new Uint8Array(makePng(8 + (number % 8), 8))]), 'cover.png');
    return sent;
  };
  await untilAnswered(`${game.slug}: update ${number} of the page`, () =>
    tryOnce(() => client.call('updateStore', { params: { id: game.id }, form: form() })),
  );
  game.pageNumber = number;
}

/** The alternative text of the cover after an update of the page. */
export function coverText(number: number): string {
  return `Cover ${number}`;
}

type Outcome = {
  readonly kind: 'done' | 'exists' | 'unchanged' | 'unknown' | 'given up';
  /** The error. */
  readonly reason: string;
};

const GIVEN_UP: Outcome = { kind: 'given up', reason: '' };
const LEFT: Outcome = { kind: 'given up', reason: '' };

/** Repeats the work while it is unchanged or unknown. Throws after a minute. */
async function untilAnswered(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await work();
    if (outcome.kind !== 'unchanged' && outcome.kind !== 'unknown') return outcome;
    if (performance.now() >= end) throw new Error(`${name} after a minute: ${outcome.reason}`);
    await sleep(outcome.kind === 'unknown' ? ENDED_MS : PAUSE_MS);
  }
}

/** Sends a request, or the requests of a publish in parts. Throws for an error that must not occur. */
async function tryOnce(
  send: () => Promise<unknown>,
  more: readonly string[] = [],
): Promise<Outcome> {
  try {
    await send();
    return { kind: 'done', reason: '' };
  } catch (error) {
    const reason = String(error);
    if (!(error instanceof PlatformError)) return { kind: 'unknown', reason };
    if (error.code === 'version_exists') return { kind: 'exists', reason };
    if (error.code !== null && [...UNCHANGED, ...more].includes(error.code)) {
      return { kind: 'unchanged', reason };
    }
    if (error.status === 503 || error.code === null) return { kind: 'unknown', reason };
    throw new Error(`${error.status} ${error.code} ${reason}`, { cause: error });
  }
}
