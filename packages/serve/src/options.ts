// What a server is made from.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';

/** A Fastify instance whose handlers are typed by their TypeBox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What serve itself can find wrong with a request; each server names its own code for it. */
export type Condition =
  /** Not well-formed HTTP, or an address that can't be decoded. */
  | 'malformed'
  /** A body that is no JSON, or does not fit the route's schema; also a query, a parameter, a header. */
  | 'invalid_input'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'media_type'
  /** The request was still arriving when its time was up. */
  | 'too_slow'
  /** The work was still going on when its time was up. */
  | 'too_long'
  | 'busy'
  | 'closing'
  | 'internal';

export type ServeOptions = {
  /** The one table of codes. An error whose code is not in it leaves as `internal`. */
  readonly errors: Readonly<Record<string, { readonly status: number }>>;
  readonly codes: Readonly<Record<Condition, string>>;
  /** From a request's first byte to its answer's last; `config.requestMs` of a route replaces it. */
  readonly requestMs: number;
  /** Requests worked on at once; null for no cap. `config.uncounted` of a route leaves it out. */
  readonly handlers: number | null;
  /**
   * Connections that may be open at once without having been passed to `Server.trust`. With one more, the oldest of them
   * is dropped, one without a request under way first. Without it there is no bound.
   */
  readonly untrustedConnections?: number;
  /** Bytes of a parsed body; `bodyLimit` of a route replaces it. */
  readonly bodyBytes: number;
  /** Whether an invalid body's faults are listed in `error.details`. */
  readonly details?: boolean;
  readonly trustProxy?: string | false;
  /** Runs first, for every request, also where there is no route. Refuses by throwing an `ApiError`. */
  readonly guard?: (request: FastifyRequest) => void;
  /**
   * Sees every request before all else and may set headers of its answer. True where it has answered, or will, by itself:
   * then nothing of the rest holds for the request, neither clock nor cap. With it, the clock of a request starts when
   * its head has come; until then Node's own limit for heads holds.
   */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Whether a request must name its host exactly once, for a server whose `guard` does not see to that. */
  readonly oneHost?: boolean;
  /** The `X-Request-Id` of answers that are written to a bare socket, where `first` saw no request. */
  readonly requestId?: () => string;
  /**
   * Sends refusals and faults in a form of the server's own, such as pages; without it, the JSON envelope. Whatever is
   * wrong with a request before or around its route comes as an {@link ApiError}; the rest as it was thrown.
   */
  readonly sendError?: (
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ) => Promise<FastifyReply>;
  /** Hears of what was told as `internal`: our own fault. */
  readonly onFailure: (error: unknown) => void;
  /** Takes over the connections that ask for another protocol; without it they are answered as plain requests. */
  readonly upgrade?: {
    readonly wants: (request: IncomingMessage) => boolean;
    readonly handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  };
  /** Registers the routes. */
  readonly routes: (app: App) => void | Promise<void>;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds that replace `requestMs`. */
    requestMs?: number;
    /** What is said when the time of a request is up, in place of the usual sentence. */
    late?: Readonly<Partial<Record<'too_slow' | 'too_long', string>>>;
    /** Not among the handlers that are counted. */
    uncounted?: boolean;
    /** Answered also while the server is closing, for as long as it listens. */
    whileClosing?: boolean;
    /** Set by serve on what answers a wrong method: the methods that fit. */
    allow?: readonly string[];
  }
  interface FastifySchema {
    /** Left out of a generated description. */
    hide?: boolean;
  }
  interface FastifyRequest {
    /** Aborted when the request's time is up or its client is gone: stop working. */
    cut: AbortSignal;
  }
}
