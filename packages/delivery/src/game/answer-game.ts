// Answers a request for a file of a game.
import { readCodings } from '../http/conditions.ts';
import { createRefusals, type Exchange, type Refusals } from '../http/refusals.ts';
import { createSender, type FileSource } from '../http/send-representation.ts';
import { gameHeaders } from './game-headers.ts';
import { choose, type Representations } from './representations.ts';

type GameAnswersOptions = {
  /** As in {@link gameHeaders}. */
  readonly embedder: string | null;
  /** Size of the contents that are kept in memory. */
  readonly memoryBytes: number;
  /** Called with whether a content was in memory, for each that is sent. */
  readonly onLookup?: (isHit: boolean) => void;
};

/** The answers to requests for files of games. */
export type GameAnswers = Refusals & {
  /** Redirects to `target` with 302. The answer depends on the mode of the request. */
  redirect(exchange: Exchange, target: string): true;
  /** Redirects to the address at which all releases share a file. Caches may keep the answer for some seconds. */
  share(exchange: Exchange, target: string, seconds: number): true;
  /** Sends the form of a file that the client prefers. Returns the bytes of the body if that happened at once, else a promise of them. */
  send(exchange: Exchange, source: FileSource, forms: Representations): number | Promise<number>;
};

export function createGameAnswers({
  embedder,
  memoryBytes,
  onLookup,
}: GameAnswersOptions): GameAnswers {
  const policy = gameHeaders(embedder, 'credentialless');
  const refusals = createRefusals({ policy, missing: 'Cannot find this file' });
  const sendForm = createSender(memoryBytes, refusals.refuseRange, onLookup);
  return {
    ...refusals,
    redirect({ response, requestId }, target) {
      const kept = policy.slice(0, policy.indexOf('Vary'));
      response.writeHead(302, [
        ...['X-Request-Id', requestId, ...kept, 'Vary', 'Sec-Fetch-Mode'],
        ...['Cache-Control', 'no-store', 'Location', target, 'Content-Length', '0'],
      ]);
      response.end();
      return true;
    },
    share({ response, requestId }, target, seconds) {
      const cache = `public, max-age=${seconds}, immutable`;
      response.writeHead(307, [
        ...['X-Request-Id', requestId, ...policy],
        ...['Cache-Control', cache, 'Location', target, 'Content-Length', '0'],
      ]);
      response.end();
      return true;
    },
    send(exchange, source, forms) {
      const { headers } = exchange.request;
      const codings = readCodings(String(headers['accept-encoding'] ?? ''));
      return sendForm(exchange, source, { chosen: choose(forms, codings), plain: forms.identity });
    },
  };
}
