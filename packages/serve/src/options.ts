// The options of a server.
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

/** The conditions that `@svc/serve` detects. Each server has its own code for them. */
export type Condition =
  /** Malformed HTTP, or a URL that can't be decoded. */
  | 'malformed'
  /**
   * A body, query, parameter or header that does not match the route's schema, or a body that is
   * not JSON.
   */
  | 'invalid_input'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'media_type'
  /** The request was still arriving when its time was up. */
  | 'too_slow'
  /** The request was still being handled when its time was up. */
  | 'too_long'
  | 'busy'
  | 'closing'
  | 'internal';

/** What is called while a request is handled. */
export type Watch = {
  /** Called before everything else. Returns the id of the request, the same one when it is called again. */
  begin(request: IncomingMessage, response: ServerResponse): string;
  /** Called for bytes that are not a request, and are answered with an error. Returns the id of the answer. */
  refuse(status: number, code: string): string;
  /** Runs the handling of the request. */
  run<Result>(request: IncomingMessage, work: () => Result): Result;
  /** Called with the path of its route if it has one, such as `/projects/:id`. */
  setRoute(request: IncomingMessage, path: string): void;
  /** Called with the code of an error that is answered, unless `sendError` answers it. */
  setCode(request: IncomingMessage, code: string): void;
};

export type ServeOptions = {
  /** The table of error codes. An error with another code is answered as `internal`. */
  readonly errors: Readonly<Record<string, { readonly status: number }>>;
  readonly codes: Readonly<Record<Condition, string>>;
  /**
   * Milliseconds from a request's first byte to the last byte of its answer. A route can replace it
   * with `config.requestMs`.
   */
  readonly requestMs: number;
  /**
   * The most requests handled at once. Null means no cap. Routes with `config.uncounted` do not
   * count.
   */
  readonly handlers: number | null;
  /**
   * The most open connections that were not passed to `Server.trust`. With one more, the oldest is
   * dropped, preferably one without a running request. By default there is no bound.
   */
  readonly untrustedConnections?: number;
  /** The most bytes of a parsed body. A route can replace it with `bodyLimit`. */
  readonly bodyBytes: number;
  /** Whether `error.details` lists the faults of an invalid input. */
  readonly details?: boolean;
  readonly trustProxy?: string | false;
  /** Called first for every request, even without a route. Throws an `ApiError` to refuse. */
  readonly guard?: (request: FastifyRequest) => void;
  /**
   * Called for every request before everything else. It may set headers of the answer. It returns
   * true if it answers the request itself; then neither the time limit nor the cap applies. With
   * this option, the clock of a request starts when its head has arrived. Until then, Node's own
   * limit for heads applies.
   */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Whether a request must have exactly one host, for servers whose `guard` does not check it. */
  readonly oneHost?: boolean;
  /**
   * Sends refusals and faults in the server's own form, such as pages. The default is the JSON
   * envelope. Errors of a request before or around its route are passed as an {@link ApiError}, and
   * others as they were thrown.
   */
  readonly sendError?: (
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ) => Promise<FastifyReply>;
  /** Follows the requests, for logs and metrics. */
  readonly watch?: Watch;
  /**
   * Called with errors that are answered as `internal`, which are faults of the server, and with
   * their request. It is null on a bare socket.
   */
  readonly onFailure: (error: unknown, request: IncomingMessage | null) => void;
  /**
   * Takes over connections that ask for another protocol. Without it, they are handled as plain
   * requests.
   */
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
    /** The message when the time of a request is up, instead of the default. */
    late?: Readonly<Partial<Record<'too_slow' | 'too_long', string>>>;
    /** Not counted against the cap. */
    uncounted?: boolean;
    /** Handled even while the server is closing, as long as it listens. */
    whileClosing?: boolean;
    /** Set by serve on routes for wrong methods: the allowed methods. */
    allow?: readonly string[];
  }
  interface FastifySchema {
    /** Left out of a generated description. */
    hide?: boolean;
  }
  interface FastifyRequest {
    /** Aborted when the request's time is up or its client has disconnected. */
    abortSignal: AbortSignal;
  }
}
