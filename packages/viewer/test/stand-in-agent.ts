// A stand-in for the agent: its HTTP answers and its live connection.
import type { AgentErrorCode, Status } from '@svc/contracts/agent';

type Request = {
  readonly address: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | null;
};

class StandInSocket {
  readonly address: string;
  readonly protocols: readonly string[];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(address: string, protocols: readonly string[]) {
    this.address = address;
    this.protocols = protocols;
    agent.sockets.push(this);
  }

  send(status: Status): void {
    this.onmessage?.({ data: JSON.stringify({ type: 'status', status }) });
  }

  close(code = 1006): void {
    this.onclose?.({ code });
  }
}

/** The requests of the page, and the answer to them. */
export const agent = {
  sockets: [] as StandInSocket[],
  requests: [] as Request[],
  answer: (_request: Request): Response | Promise<Response> => refuse('not_found', 404),
  /** The latest live connection. */
  get socket(): StandInSocket {
    const socket = agent.sockets.at(-1);
    if (socket === undefined) throw new Error('The page has opened no live connection');
    return socket;
  },
};

/** Returns an error response. */
export function refuse(code: AgentErrorCode, status: number, message: string = code): Response {
  return Response.json({ error: { code, message } }, { status });
}

for (const [name, value] of Object.entries({
  WebSocket: StandInSocket,
  fetch: async (address: string, init: RequestInit = {}) => {
    const { method = 'GET', headers, body = null, signal = null } = init;
    const request = { address, method, headers: new Headers(headers), body, signal };
    agent.requests.push(request);
    return agent.answer(request);
  },
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
