// Answers /play: the extracted files of published games. It runs before Fastify, because players wait for these requests.
import {
  createGameAnswers,
  type Exchange,
  isReadMethod,
  type Representations,
} from '@svc/delivery';
import { type AnswerExchange, createFailureAnswer } from '../http/answer-failure.ts';
import type { Platform } from '../platform.ts';
import type { FileFinder } from './find-file.ts';
import { createAddressReader, type PlayAddress } from './read-address.ts';

/** Size of the contents that a process keeps in memory for play. */
export const MEMORY_BYTES = 128 * 1024 * 1024;

type Wanted = Extract<PlayAddress, { kind: 'file' }>;

/** Creates the answers of `/play` and of the games' own hosts. */
export function createPlay(platform: Platform, finder: FileFinder): AnswerExchange {
  const { addresses, log } = platform;
  const readAddress = createAddressReader(addresses);
  const answers = createGameAnswers({ embedder: addresses.webOrigin, memoryBytes: MEMORY_BYTES });
  const fail = createFailureAnswer({ name: 'play', refusals: answers, log });

  const answerFile = (
    exchange: Exchange,
    wanted: Wanted,
    forms: Representations | null,
  ): true | Promise<void> => {
    if (forms === null) return answers.refuseMissing(exchange);
    if (wanted.bare && exchange.request.headers['sec-fetch-mode'] === 'navigate') {
      return answers.redirect(exchange, withSlash(platform, wanted.slug, exchange));
    }
    return answers.send(exchange, platform.served, forms);
  };

  const findAndAnswer = async (exchange: Exchange, wanted: Wanted): Promise<void> => {
    await answerFile(exchange, wanted, await finder.find(wanted.slug, wanted.path));
  };

  return (exchange) => {
    const { request } = exchange;
    const wanted = readAddress(request.url ?? '', request.headers.host);
    if (wanted.kind === 'elsewhere') return false;
    request.resume();
    if (!isReadMethod(request)) return answers.refuseMethod(exchange);
    if (wanted.kind === 'nothing') return answers.refuseMissing(exchange);
    if (wanted.kind === 'away') return answers.redirect(exchange, wanted.target);
    const known = finder.recall(wanted.slug, wanted.path);
    const sent =
      known === undefined ? findAndAnswer(exchange, wanted) : answerFile(exchange, wanted, known);
    if (sent !== true) sent.catch((error: unknown) => fail(exchange, error));
    return true;
  };
}

/** Returns `/play/slug/`. The slash makes relative addresses in the page resolve inside the game. */
function withSlash(platform: Platform, slug: string, { request }: Exchange): string {
  const base = new URL(platform.addresses.publicUrl).pathname.replace(/\/$/, '');
  const query = /\?.*$/.exec(request.url ?? '')?.[0] ?? '';
  return `${base}/play/${slug}/${query}`;
}
