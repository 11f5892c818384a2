// A client of the agent. It receives its `fetch` as an option.
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { ErrorBody } from '../errors.ts';
import type { Analysis, AnalyzeRequest, KeyRemoveRequest, KeyRequest } from './analysis.ts';
import type { AssetReport } from './assets.ts';
import { type AgentErrorCode, isAgentErrorCode } from './codes.ts';
import { AGENT_ROUTES, TRACE_NAME_HEADER, TRACE_PARTIAL_HEADER } from './routes.ts';
import type { Ending, Status } from './status.ts';
import type { TraceSummary } from './trace-summary.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type AgentClientOptions = {
  /** `http://127.0.0.1:PORT`, or empty in the agent's own page. */
  readonly origin: string;
  readonly token: string;
  readonly fetch: Fetch;
};

/** A refusal by the agent, or a failure to get a valid answer (`unreachable`, `unreadable`). */
export class AgentError extends Error {
  readonly code: AgentErrorCode | 'unreachable' | 'unreadable';
  readonly status: number | null;
  /** The position of a syntax error, 1-based and in bytes. */
  readonly line: number | null;
  readonly column: number | null;

  constructor(
    code: AgentError['code'],
    message: string,
    at: {
      status?: number;
      line?: number | undefined;
      column?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, at.cause === undefined ? {} : { cause: at.cause });
    this.name = 'AgentError';
    this.code = code;
    this.status = at.status ?? null;
    this.line = at.line ?? null;
    this.column = at.column ?? null;
  }
}

/**
 * An exported trace: a stream of its bytes, whether its end is missing, and the offset of the first
 * byte.
 */
export type TraceExport = {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly partial: boolean;
  readonly from: number;
  readonly response: Response;
};

export type AgentClient = {
  status(signal?: AbortSignal): Promise<Status>;
  start(): Promise<Status>;
  importTrace(
    body: NonNullable<RequestInit['body']>,
    name?: string,
    signal?: AbortSignal,
  ): Promise<TraceSummary>;
  /** Exports from byte `from` on. Null if the trace has no bytes there yet. */
  exportTrace(from?: number, signal?: AbortSignal): Promise<TraceExport | null>;
  assets(signal?: AbortSignal): Promise<AssetReport>;
  analyze(request: AnalyzeRequest, signal?: AbortSignal): Promise<Analysis>;
  storeKey(request: KeyRequest): Promise<void>;
  removeKey(request?: KeyRemoveRequest): Promise<void>;
  off(): Promise<Ending>;
};

/**
 * Creates a client. Every call rejects with `AgentError`, or with the reason of its aborted signal.
 */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const call = (route: keyof typeof AGENT_ROUTES, init: RequestInit = {}): Promise<Response> =>
    ask(options, route, init);
  return {
    status: async (signal) =>
      parse(AGENT_ROUTES.status.answer, await call('status', using(signal))),
    start: async () => parse(AGENT_ROUTES.start.answer, await call('start')),
    importTrace: async (body, name, signal) => {
      const headers: Record<string, string> =
        name === undefined ? {} : { [TRACE_NAME_HEADER]: encodeURIComponent(name) };
      const response = await call('import_trace', { ...using(signal), body, headers });
      return (await parse(AGENT_ROUTES.import_trace.answer, response)).trace;
    },
    exportTrace: (from = 0, signal) => exportTrace(call, from, signal),
    assets: async (signal) =>
      parse(AGENT_ROUTES.assets.answer, await call('assets', using(signal))),
    analyze: async (request, signal) =>
      parse(
        AGENT_ROUTES.analyze.answer,
        await call('analyze', { ...using(signal), ...json(request) }),
      ),
    storeKey: async (request) => {
      await call('key', json(request));
    },
    removeKey: async (request = {}) => {
      await call('key_remove', json(request));
    },
    off: async () => parse(AGENT_ROUTES.off.answer, await call('off')),
  };
}

async function exportTrace(
  call: (route: 'export_trace', init: RequestInit) => Promise<Response>,
  from: number,
  signal: AbortSignal | undefined,
): Promise<TraceExport | null> {
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  try {
    const response = await call('export_trace', { ...using(signal), headers });
    const partial = response.headers.get(TRACE_PARTIAL_HEADER) === 'true';
    return { body: response.body, partial, from: response.status === 206 ? from : 0, response };
  } catch (error) {
    if (error instanceof AgentError && error.code === 'range_not_satisfiable') return null;
    throw error;
  }
}

async function ask(
  { origin, token, fetch: send }: AgentClientOptions,
  name: keyof typeof AGENT_ROUTES,
  init: RequestInit,
): Promise<Response> {
  const { method, path } = AGENT_ROUTES[name];
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await send(`${origin}${path}`, { ...init, method, headers });
  } catch (cause) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new AgentError(
      'unreachable',
      'Cannot reach the agent: it has ended, or its port is closed',
      {
        cause,
      },
    );
  }
  if (response.ok) return response;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<AgentError> {
  const body: unknown = await response.json().catch(() => null);
  if (!Check(ErrorBody, body) || !isAgentErrorCode(body.error.code)) {
    return new AgentError('unreadable', `Cannot read the agent's answer: ${response.status}`, {
      status: response.status,
    });
  }
  const { code, message, line, column } = body.error;
  return new AgentError(code, message, { status: response.status, line, column });
}

async function parse<T extends TSchema>(schema: T, response: Response): Promise<Static<T>> {
  const body: unknown = await response.json().catch(() => null);
  if (Check(schema, body)) return body;
  throw new AgentError('unreadable', "Cannot read the agent's answer: it has an unexpected form", {
    status: response.status,
  });
}

function json(body: unknown): RequestInit {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function using(signal: AbortSignal | undefined): RequestInit {
  return signal === undefined ? {} : { signal };
}
