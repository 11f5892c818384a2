// The first step of every request: its id, files of games and media, `nosniff`, and CORS headers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestWatch } from '@svc/observe';
import { createMedia } from './media/answer-media.ts';
import type { Platform } from './platform.ts';
import { createPlay } from './play/answer-play.ts';
import type { FileFinder } from './play/find-file.ts';

/** The routes of files for the log and the metrics, also of those on the games' own hosts. */
const PLAY = '/play/*';
const MEDIA = '/media/*';
const PREFLIGHT = 'preflight';
const PREFLIGHT_SECONDS = '600';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADERS = 'Authorization, Content-Type';
const EXPOSED = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy';
/**
 * Addresses that need a credential or take reports, and addresses with a `%` that may hide one of them. A page of another site must not
 * let its visitors send reports, which are limited by address.
 */
const OF_STORE =
  /^\/(?:(?:me|tokens|projects|admin|auth\/(?:session|token|backchannel-logout)|games\/[^/?]*\/reports)(?:[/?]|$)|[^/?]*%|(?:auth|games\/[^/?]*)\/[^/?]*%)/;

/** Handles the start of a request. Returns true if it answers the whole request: a game's file, a medium, a preflight. */
export function greetRequests(
  platform: Platform,
  finder: FileFinder,
  watch: RequestWatch,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const play = createPlay(platform, finder);
  const media = createMedia(platform);
  return (request, response) => {
    const requestId = watch.begin(request, response);
    const exchange = {
      ...{ request, response, requestId },
      onRefused: (code: string) => watch.setCode(request, code),
    };
    if (watch.run(request, () => play(exchange))) {
      watch.setRoute(request, PLAY);
      return true;
    }
    if (watch.run(request, () => media(exchange))) {
      watch.setRoute(request, MEDIA);
      return true;
    }
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    allowOrigin(platform.addresses.webOrigin, request, response);
    if (request.method !== 'OPTIONS' || !answerPreflight(request, response)) return false;
    watch.setRoute(request, PREFLIGHT);
    return true;
  };
}

/** Allows only the web origin on routes with a credential and for reports, and every origin elsewhere. Never allows cookies. */
function allowOrigin(webOrigin: string, request: IncomingMessage, response: ServerResponse): void {
  if (OF_STORE.test(request.url ?? '')) {
    response.setHeader('Vary', 'Origin');
    if (request.headers.origin !== webOrigin) return;
    response.setHeader('Access-Control-Allow-Origin', webOrigin);
  } else {
    response.setHeader('Access-Control-Allow-Origin', '*');
  }
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

function answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers['access-control-request-method'] === undefined) return false;
  if (response.hasHeader('Access-Control-Allow-Origin')) {
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  response.writeHead(204).end();
  return true;
}
