// Answers /play: the extracted files of published games. It runs before Fastify, because players wait for these requests.
import {
  type AnswerExchange,
  createFileAnswers,
  type Exchange,
  isReadMethod,
} from '../http/answer-files.ts';
import { readCodings } from '../http/conditions.ts';
import { createSender } from '../http/send-representation.ts';
import type { Platform } from '../platform.ts';
import type { FileFinder } from './find-file.ts';
import { playHeaders } from './play-headers.ts';
import { createAddressReader, type PlayAddress } from './read-address.ts';
import { choose, type Representations } from './representations.ts';

/** Size of the contents that a process keeps in memory for play. */
export const MEMORY_BYTES = 128 * 1024 * 1024;

type Wanted = Extract<PlayAddress, { kind: 'file' }>;

/** Creates the answers of `/play` and of the games' own hosts. */
export function createPlay(platform: Platform, finder: FileFinder): AnswerExchange {
  const readAddress = createAddressReader(platform.addresses);
  const policy = playHeaders(platform.addresses.webOrigin, 'credentialless');
  const { log } = platform;
  const answers = createFileAnswers({
    name: 'play',
    policy,
    missing: 'Cannot find this file',
    log,
  });
  const send = createSender(MEMORY_BYTES, answers.refuseRange);

  const answerFile = (
    exchange: Exchange,
    wanted: Wanted,
    forms: Representations | null,
  ): true | Promise<void> => {
    const { headers } = exchange.request;
    if (forms === null) return answers.refuseMissing(exchange);
    if (wanted.bare && headers['sec-fetch-mode'] === 'navigate') {
      return redirect(exchange, policy, withSlash(platform, wanted.slug, exchange));
    }
    const codings = readCodings(String(headers['accept-encoding'] ?? ''));
    const chosen = choose(forms, codings);
    return send(exchange, platform.served, { chosen, plain: forms.identity });
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
    if (wanted.kind === 'away') return redirect(exchange, policy, wanted.target);
    const known = finder.recall(wanted.slug, wanted.path);
    const sent =
      known === undefined ? findAndAnswer(exchange, wanted) : answerFile(exchange, wanted, known);
    if (sent !== true) sent.catch((error: unknown) => answers.fail(exchange, error));
    return true;
  };
}

function redirect(
  { response, requestId }: Exchange,
  policy: readonly string[],
  target: string,
): true {
  const kept = policy.slice(0, policy.indexOf('Vary'));
  response.writeHead(302, [
    ...['X-Request-Id', requestId, ...kept, 'Vary', 'Sec-Fetch-Mode', 'Cache-Control', 'no-store'],
    ...['Location', target, 'Content-Length', '0'],
  ]);
  response.end();
  return true;
}

/** Returns `/play/slug/`. The slash makes relative addresses in the page resolve inside the game. */
function withSlash(platform: Platform, slug: string, { request }: Exchange): string {
  const base = new URL(platform.addresses.publicUrl).pathname.replace(/\/$/, '');
  const query = /\?.*$/.exec(request.url ?? '')?.[0] ?? '';
  return `${base}/play/${slug}/${query}`;
}
