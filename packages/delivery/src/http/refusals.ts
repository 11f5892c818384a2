// The answers to requests for files that cannot be answered with a file.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';

/** A request for a file, with the response and the id of the request. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Called with the code of an error that is answered. */
  readonly onRefused?: (code: PlatformErrorCode) => void;
};

type RefusalOptions = {
  /** The names and values of the headers of every answer. */
  readonly policy: readonly string[];
  /** The message for a missing file. */
  readonly missing: string;
};

/** Each method returns true, for "answered". */
export type Refusals = {
  /** Answers with an error of the platform. `extra` lists the names and values of more headers. */
  refuse(
    exchange: Exchange,
    code: PlatformErrorCode,
    message: string,
    extra?: readonly string[],
  ): true;
  refuseMissing(exchange: Exchange): true;
  /** Answers an error with a page for people. The text must not contain markup. */
  explain(exchange: Exchange, code: PlatformErrorCode, text: string): true;
  refuseMethod(exchange: Exchange): true;
  /** Answers 416 for a file of this size in bytes. */
  refuseRange(exchange: Exchange, bytes: number): true;
};

/** Returns whether files can be requested with this method. */
export function isReadMethod({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function createRefusals({ policy, missing }: RefusalOptions): Refusals {
  const refuse: Refusals['refuse'] = (exchange, code, message, extra = []) => {
    const { response, requestId } = exchange;
    exchange.onRefused?.(code);
    const body = Buffer.from(JSON.stringify({ error: { code, message } }));
    response.writeHead(PLATFORM_ERRORS[code].status, [
      ...['X-Request-Id', requestId, ...policy, ...extra, 'Cache-Control', 'no-store'],
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
    ]);
    response.end(body);
    return true;
  };
  return {
    refuse,
    explain({ response, requestId, onRefused }, code, text) {
      onRefused?.(code);
      const body = Buffer.from(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${text}</title><p style="font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">${text}`,
      );
      response.writeHead(PLATFORM_ERRORS[code].status, [
        ...['X-Request-Id', requestId, ...policy, 'Cache-Control', 'no-store'],
        ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)],
      ]);
      response.end(body);
      return true;
    },
    refuseMissing: (exchange) => refuse(exchange, 'not_found', missing),
    refuseMethod(exchange) {
      const message = 'Cannot use this method here: see Allow';
      return refuse(exchange, 'method_not_allowed', message, ['Allow', 'GET, HEAD']);
    },
    refuseRange(exchange, bytes) {
      const message = `Cannot send this range of ${bytes} bytes`;
      const range = ['Content-Range', `bytes */${bytes}`];
      return refuse(exchange, 'range_not_satisfiable', message, range);
    },
  };
}
