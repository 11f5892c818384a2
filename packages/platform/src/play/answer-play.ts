// Answers /play: the extracted files of published games. It runs before Fastify, because players wait for these requests.
import { createGameAnswers, type Exchange, isReadMethod } from '@svc/delivery';
import { type AnswerExchange, createFailureAnswer } from '../http/answer-failure.ts';
import type { Platform } from '../platform.ts';
import { CONTENT_FOLDER, playUrl } from '../projects/game-records.ts';
import { TAKEN_DOWN } from '../projects/taken-down.ts';
import { isAskedByGame, isFramed, isPlay } from './count-request.ts';
import type { FileFinder, FoundFile, NoFile } from './find-file.ts';
import type { MovedGame, TakenDownGame } from './find-game.ts';
import { createAddressReader, type PlayAddress } from './read-address.ts';

/** Size of the contents that a process keeps in memory for play. */
export const MEMORY_BYTES = 128 * 1024 * 1024;

const HOUR_SECONDS = 3600;
const ENDED_LINK = 'This preview link has ended. Ask the developer of the game for a new one.';

type Wanted = Extract<PlayAddress, { kind: 'file' }>;

/** Creates the answers of `/play` and of the games' own hosts. */
export function createPlay(platform: Platform, finder: FileFinder): AnswerExchange {
  const { addresses, limits, log, stats, metrics } = platform;
  const readAddress = createAddressReader(addresses);
  const answers = createGameAnswers({
    embedder: addresses.webOrigin,
    memoryBytes: MEMORY_BYTES,
    onLookup: (isHit) => metrics.countLookup('memory', isHit),
  });
  const fail = createFailureAnswer({ name: 'play', refusals: answers, log });

  const answerFile = (
    exchange: Exchange,
    wanted: Wanted,
    found: FoundFile | NoFile | MovedGame | TakenDownGame | null,
  ): true | Promise<void> => {
    const { from, path } = wanted;
    if (found !== null && 'playedAs' in found) {
      const target = playUrl(addresses, found.playedAs) + restOf(wanted, exchange);
      return answers.redirect(exchange, target);
    }
    const isPage = path === 'index.html' && isNavigation(exchange);
    if (found !== null && 'takenDown' in found) {
      const code = 'unavailable_for_legal_reasons';
      return isPage
        ? answers.explain(exchange, code, TAKEN_DOWN)
        : answers.refuse(exchange, code, TAKEN_DOWN);
    }
    if (found !== null && 'missingIn' in found && isAskedByGame(exchange, wanted)) {
      stats.missing(found.missingIn.id, path);
    }
    const forms = found === null || 'missingIn' in found ? null : found;
    if (forms === null && isPage && from.kind === 'preview') {
      return answers.explain(exchange, 'not_found', ENDED_LINK);
    }
    // A page of the store that was opened before the release ended has its address.
    if (forms === null && isPage && from.kind === 'release') {
      return answers.redirect(exchange, wanted.bare ? '../' : '../../');
    }
    if (forms === null) return answers.refuseMissing(exchange);
    // The mode does not matter at an address whose answers caches may share.
    if (wanted.bare && (from.kind !== 'live' || isNavigation(exchange))) {
      return answers.redirect(exchange, withSlash(platform, wanted, exchange));
    }
    if (forms.sharedAs !== null) {
      const target = sharedAddress(path, forms.sharedAs);
      return answers.share(exchange, target, limits.replaced_release_hours * HOUR_SECONDS);
    }
    const { playedFrom } = forms;
    const sent = answers.send(exchange, platform.served, forms);
    if (playedFrom === null) return typeof sent === 'number' ? true : sent.then(() => {});
    if (isPage && isPlay(exchange)) {
      const { releaseId } = playedFrom;
      stats.play(playedFrom.id, { releaseId, isFramed: isFramed(exchange) });
      metrics.plays.inc();
    }
    const count = (bytes: number): void => {
      stats.sent(playedFrom.id, bytes);
      metrics.playedBytes.inc(bytes);
    };
    if (typeof sent !== 'number') return sent.then(count);
    count(sent);
    return true;
  };

  const findAndAnswer = async (exchange: Exchange, wanted: Wanted): Promise<void> => {
    await answerFile(exchange, wanted, await finder.find(wanted));
  };

  return (exchange) => {
    const { request } = exchange;
    const wanted = readAddress(request.url ?? '', request.headers.host);
    if (wanted.kind === 'elsewhere') return false;
    request.resume();
    if (!isReadMethod(request)) return answers.refuseMethod(exchange);
    if (wanted.kind === 'nothing') return answers.refuseMissing(exchange);
    if (wanted.kind === 'away') return answers.redirect(exchange, wanted.target);
    const known = finder.recall(wanted);
    metrics.countLookup('games', known !== undefined);
    const sent =
      known === undefined ? findAndAnswer(exchange, wanted) : answerFile(exchange, wanted, known);
    if (sent !== true) sent.catch((error: unknown) => fail(exchange, error));
    return true;
  };
}

function isNavigation({ request }: Exchange): boolean {
  return request.headers['sec-fetch-mode'] === 'navigate';
}

/** Returns the part of the address after that of the game, with the query. */
function restOf({ path }: Wanted, { request }: Exchange): string {
  const file = path === 'index.html' ? '' : encodePath(path);
  return file + queryOf(request);
}

function queryOf({ url }: Exchange['request']): string {
  return /\?.*$/.exec(url ?? '')?.[0] ?? '';
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the address of a file by its content, relative to its address in a release. */
function sharedAddress(path: string, key: string): string {
  const up = '../'.repeat(path.split('/').length + 1);
  return `${up}${CONTENT_FOLDER}/${key}/${encodePath(path)}`;
}

/** Returns the address with the slash that makes relative addresses in the page resolve inside the game. */
function withSlash(platform: Platform, { slug, from }: Wanted, { request }: Exchange): string {
  const query = queryOf(request);
  if (from.kind === 'preview') return `${from.token}/${query}`;
  if (from.kind === 'release') return `${from.id}/${query}`;
  const base = new URL(platform.addresses.publicUrl).pathname.replace(/\/$/, '');
  return `${base}/play/${slug}/${query}`;
}
