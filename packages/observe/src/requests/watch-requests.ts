// Follows each request from its head to the end of its answer, and reports what happened.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { endRequestSpan, inContext, type RequestSpan, startRequestSpan } from '../tracing/spans.ts';

/** The route of a request that has none. */
const NO_ROUTE = 'none';
/** The status of a request whose client left before the answer began. */
const CLIENT_LEFT = 499;

const OTHER = 'OTHER';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What happened with a request. */
export type EndedRequest = {
  readonly id: string;
  /** The method, or `OTHER` for one that no server here uses. */
  readonly method: string;
  /** The path of the route, such as `/projects/:id`, or {@link NO_ROUTE}. Never the path of the request. */
  readonly route: string;
  /** The status of the answer, or {@link CLIENT_LEFT}. */
  readonly status: number;
  /** The code of the error that was answered; null if there was none. */
  readonly code: string | null;
  /** From the head of the request to the end of the answer, in milliseconds. */
  readonly ms: number;
  /** Bytes of the answer with its head. If a client sends several requests at once, those of its requests may be exchanged. */
  readonly bytes: number;
  /** Whether the answer was not sent completely. */
  readonly isCutOff: boolean;
  /** The address of the client; empty if it is not known. */
  readonly address: string;
  /** The id of its trace. Null if it is not recorded. */
  readonly traceId: string | null;
};

export type RequestWatch = {
  /** Requests that are not answered yet. */
  readonly running: number;
  /** Begins to watch a request, and returns its id. Calling it again returns the same id. */
  begin(request: IncomingMessage, response: ServerResponse): string;
  /** Reports bytes that were no request and were answered with an error. Returns the id of the answer. */
  refuse(status: number, code: string): string;
  /** Returns the id of a request; null if it is not watched. */
  idOf(request: IncomingMessage): string | null;
  /** Runs work for a request, so that the spans of the work belong to it. */
  run<Result>(request: IncomingMessage, work: () => Result): Result;
  /** Sets the route of a request. */
  setRoute(request: IncomingMessage, route: string): void;
  /** Sets the code of the error that is answered. */
  setCode(request: IncomingMessage, code: string): void;
};

type WatchOptions = {
  /** Returns the id of a new request; of bytes that are no request for null. */
  readonly newId: (request: IncomingMessage | null) => string;
  /** Whether the headers of the request may name the trace that it belongs to. */
  readonly isTrusted: (request: IncomingMessage) => boolean;
  /** Returns the address of the client. Called when a request begins. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly onEnd: (ended: EndedRequest) => void;
};

type Watched = {
  readonly id: string;
  /** Null if traces are not recorded. */
  readonly span: RequestSpan | null;
  route: string;
  code: string | null;
};

// Properties of the request instead of weak maps, because players wait for this: it takes a seventh of the time.
const WATCHED = Symbol('watched');
/** The bytes of a connection that were counted for earlier requests. */
const COUNTED = Symbol('counted');
type WatchedRequest = IncomingMessage & { [WATCHED]?: Watched };
type WatchedSocket = Socket & { [COUNTED]?: number };

export function watchRequests({ newId, isTrusted, addressOf, onEnd }: WatchOptions): RequestWatch {
  let running = 0;
  const takeBytes = (socket: WatchedSocket): number => {
    const before = socket[COUNTED] ?? 0;
    socket[COUNTED] = socket.bytesWritten;
    return Math.max(0, socket.bytesWritten - before);
  };
  return {
    get running() {
      return running;
    },
    begin(request: WatchedRequest, response) {
      const known = request[WATCHED];
      if (known !== undefined) return known.id;
      const { socket } = request;
      const method = METHODS.find((one) => one === request.method) ?? OTHER;
      const span = startRequestSpan(method, () => (isTrusted(request) ? request.headers : null));
      const current: Watched = { id: newId(request), span, route: NO_ROUTE, code: null };
      request[WATCHED] = current;
      const address = addressOf(request);
      const startedAt = performance.now();
      running++;
      response.once('close', () => {
        running--;
        const { id, route, code } = current;
        const ended = {
          ...{ id, method, route, code },
          status: response.headersSent ? response.statusCode : CLIENT_LEFT,
          ms: performance.now() - startedAt,
          bytes: takeBytes(socket),
          isCutOff: !response.writableFinished,
          address,
          traceId: span?.traceId ?? null,
        };
        if (span !== null) endRequestSpan(span, ended);
        onEnd(ended);
      });
      return current.id;
    },
    refuse(status, code) {
      const id = newId(null);
      onEnd({
        ...{ id, method: OTHER, route: NO_ROUTE, status, code, ms: 0, bytes: 0 },
        ...{ isCutOff: false, address: '', traceId: null },
      });
      return id;
    },
    run(request: WatchedRequest, work) {
      const span = request[WATCHED]?.span ?? null;
      return span === null ? work() : inContext(span, work);
    },
    idOf: (request: WatchedRequest) => request[WATCHED]?.id ?? null,
    setRoute(request: WatchedRequest, route) {
      const current = request[WATCHED];
      if (current !== undefined) current.route = route;
    },
    setCode(request: WatchedRequest, code) {
      const current = request[WATCHED];
      if (current !== undefined) current.code = code;
    },
  };
}
