// The client of the agent that serves this page. The page and its worker use it.
import { type AgentClient, createAgentClient } from '@svc/contracts/agent';

/** Returns a client that sends the token of the session. */
export function agentClient(token: string): AgentClient {
  return createAgentClient({
    baseUrl: '',
    // A browser rejects a `fetch` that is called as a method of another object.
    send: (address, init) => fetch(address, init),
    credential: () => token,
  });
}
