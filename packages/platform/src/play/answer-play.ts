// Answers /play: the extracted files of published games, past Fastify, since this is what players wait for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { isMissingFile } from '../files/file-store.ts';
import { readCodings } from '../http/conditions.ts';
import { createContentCache, sendRepresentation } from '../http/send-representation.ts';
import type { Platform } from '../platform.ts';
import type { FileFinder } from './find-file.ts';
import { playHeaders } from './play-headers.ts';
import { createAddressReader, type PlayAddress } from './read-address.ts';
import { choose, type Representations } from './representations.ts';

const MEMORY_BYTES = 128 * 1024 * 1024;

type Wanted = Extract<PlayAddress, { kind: 'file' }>;

/** Answers a request that is for a game. False where it is not. */
export type AnswerPlay = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => boolean;

export function createPlay(platform: Platform, finder: FileFinder): AnswerPlay {
  const cache = createContentCache(MEMORY_BYTES);
  const readAddress = createAddressReader(platform.addresses);
  const plainHeaders = playHeaders(platform.addresses.webOrigin, 'credentialless');

  const refuse = (
    response: ServerResponse,
    requestId: string,
    code: PlatformErrorCode,
    message: string,
    extra: readonly string[] = [],
  ): void => {
    const body = Buffer.from(JSON.stringify({ error: { code, message } }));
    response.writeHead(PLATFORM_ERRORS[code].status, [
      ...['X-Request-Id', requestId, ...plainHeaders, ...extra],
      ...['Cache-Control', 'no-store', 'Content-Type', 'application/json; charset=utf-8'],
      ...['Content-Length', String(body.length)],
    ]);
    response.end(body);
  };

  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    wanted: Wanted,
    forms: Representations | null,
  ): true | Promise<void> => {
    if (forms === null) {
      refuse(response, requestId, 'not_found', 'Cannot find this file');
      return true;
    }
    if (wanted.bare && request.headers['sec-fetch-mode'] === 'navigate') {
      redirect(response, requestId, plainHeaders, withSlash(platform, wanted.slug, request));
      return true;
    }
    const chosen = choose(forms, readCodings(String(request.headers['accept-encoding'] ?? '')));
    return sendRepresentation(
      platform.files,
      cache,
      request,
      response,
      requestId,
      chosen,
      forms.identity,
      (bytes) =>
        refuse(
          response,
          requestId,
          'range_not_satisfiable',
          `Cannot send this range of ${bytes} bytes`,
          ['Content-Range', `bytes */${bytes}`],
        ),
    );
  };

  const fail = (response: ServerResponse, requestId: string, error: unknown): void => {
    // A release that was deleted between the look-up and the opening: the next request finds the new state.
    const isGone = isMissingFile(error);
    if (!isGone)
      platform.log(`internal: play: ${error instanceof Error ? error.stack : String(error)}`);
    if (response.headersSent) response.destroy();
    else if (isGone) refuse(response, requestId, 'not_found', 'Cannot find this file');
    else refuse(response, requestId, 'internal', 'Cannot answer: the service failed');
  };

  const answerLater = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    wanted: Wanted,
  ): Promise<void> => {
    const forms = await finder.find(wanted.slug, wanted.path);
    await answer(request, response, requestId, wanted, forms);
  };

  return (request, response, requestId) => {
    const wanted = readAddress(request.url ?? '', request.headers.host);
    if (wanted.kind === 'elsewhere') return false;
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, requestId, 'method_not_allowed', 'Cannot use this method here: see Allow', [
        'Allow',
        'GET, HEAD',
      ]);
      return true;
    }
    if (wanted.kind === 'nothing') {
      refuse(response, requestId, 'not_found', 'Cannot find this file');
      return true;
    }
    if (wanted.kind === 'away') {
      redirect(response, requestId, plainHeaders, wanted.target);
      return true;
    }
    const known = finder.recall(wanted.slug, wanted.path);
    const sent =
      known === undefined
        ? answerLater(request, response, requestId, wanted)
        : answer(request, response, requestId, wanted, known);
    if (sent !== true) sent.catch((error: unknown) => fail(response, requestId, error));
    return true;
  };
}

function redirect(
  response: ServerResponse,
  requestId: string,
  headers: readonly string[],
  target: string,
): void {
  const kept = headers.slice(0, headers.indexOf('Vary'));
  response.writeHead(302, [
    ...['X-Request-Id', requestId, ...kept, 'Vary', 'Sec-Fetch-Mode', 'Cache-Control', 'no-store'],
    ...['Location', target, 'Content-Length', '0'],
  ]);
  response.end();
}

/** `/play/slug` with a slash, so that relative addresses of the page lead into the game. */
function withSlash(platform: Platform, slug: string, request: IncomingMessage): string {
  const base = new URL(platform.addresses.publicUrl).pathname.replace(/\/$/, '');
  const query = /\?.*$/.exec(request.url ?? '')?.[0] ?? '';
  return `${base}/play/${slug}/${query}`;
}
