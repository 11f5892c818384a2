// The agent's typed HTTP client for the viewer and the tests. The caller passes `fetch`.
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { type Client, type ClientOptions, createClient, readJson, type Send } from '../client.ts';
import { ErrorBody } from '../errors.ts';
import { type AgentErrorCode, isAgentErrorCode } from './codes.ts';
import { AGENT_ROUTES, type AgentRoutes } from './routes.ts';

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

/** The client of the agent. It throws {@link AgentError}, or the reason of an aborted signal. */
export type AgentClient = Client<AgentRoutes>;

/**
 * Creates a client for the agent at `options.baseUrl`. Its credential is the session token. Each
 * answer is checked against the schema of its route.
 */
export function createAgentClient(options: ClientOptions): AgentClient {
  return createClient(
    AGENT_ROUTES,
    { ...options, send: (address, init) => sendToAgent(options.send, address, init) },
    { needsCredential: () => true, createError, readAnswer },
  );
}

async function sendToAgent(send: Send, address: string, init: RequestInit): Promise<Response> {
  try {
    return await send(address, init);
  } catch (cause) {
    if (init.signal?.aborted) throw init.signal.reason;
    const message = 'Cannot reach the agent: it has ended, or its port is closed';
    throw new AgentError('unreachable', message, { cause });
  }
}

async function createError(answer: Response): Promise<AgentError> {
  const { status } = answer;
  const body = await readJson(answer);
  if (!Check(ErrorBody, body) || !isAgentErrorCode(body.error.code)) {
    return new AgentError('unreadable', `Cannot read the agent's answer: ${status}`, { status });
  }
  const { code, message, line, column } = body.error;
  return new AgentError(code, message, { status, line, column });
}

async function readAnswer<T extends TSchema>(answer: Response, schema: T): Promise<Static<T>> {
  const body = await readJson(answer);
  if (Check(schema, body)) return body;
  const message = "Cannot read the agent's answer: it has an unexpected form";
  throw new AgentError('unreadable', message, { status: answer.status });
}
