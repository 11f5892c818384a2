// The session: the agent's latest status, and the state of the connection to it.

import { computed, signal } from '@preact/signals';
import {
  type AgentClient,
  AgentError,
  LIVE_ENDED,
  liveProtocols,
  parseLiveMessage,
  type Status,
} from '@svc/contracts/agent';
import { agentClient } from './agent-client.ts';
import { keepToken, takeToken, tokenIn } from './token.ts';

/** `refused`: the agent rejected the token. `ended`: the agent reported the end of the session. */
export type Connection =
  | 'no_token'
  | 'connecting'
  | 'live'
  | 'polling'
  | 'lost'
  | 'refused'
  | 'ended';

export const status = signal<Status | null>(null);
export const connection = signal<Connection>('connecting');
/** Whether a capture is running. */
export const capturing = computed(() => status.value?.state === 'capturing');

const RETRY_MS = [500, 1000, 2000, 4000];
let token: string | null = null;
let client: AgentClient | null = null;
let failures = 0;

/** The client of this session. Throws AgentError if the page has no token. */
export function agent(): AgentClient {
  if (client === null) throw new AgentError('unauthenticated', 'This page has no session token');
  return client;
}

/** The token for the worker, which fetches traces itself. Empty if there is none. */
export function sessionToken(): string {
  return token ?? '';
}

/** Takes the token from the address and connects. Reconnects until the session has ended. */
export function startSession(): void {
  useToken(takeToken());
}

/** Connects with an address or a token that the user pasted. Returns false if the text contains no token. */
export function enterToken(pasted: string): boolean {
  const found = tokenIn(pasted);
  if (found === null) return false;
  keepToken(found);
  useToken(found);
  return true;
}

function useToken(found: string | null): void {
  token = found;
  if (found === null) {
    connection.value = 'no_token';
    return;
  }
  client = agentClient(found);
  connect(found);
}

function connect(using: string): void {
  const address = `ws://${location.host}/api/live`;
  const socket = new WebSocket(address, liveProtocols(using));
  socket.onmessage = ({ data }) => {
    const message = typeof data === 'string' ? parseLiveMessage(data) : null;
    if (message === null) return;
    failures = 0;
    take(message.status, 'live');
  };
  socket.onclose = ({ code }) => {
    if (status.value?.state === 'ended' || (code === LIVE_ENDED && status.value?.ended)) {
      connection.value = 'ended';
      return;
    }
    retry(using);
  };
}

// A browser does not report why a socket was refused. `/api/status` does.
function retry(using: string): void {
  if (token !== using || connection.value === 'ended') return;
  const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 4000;
  setTimeout(async () => {
    if (token !== using || connection.value === 'ended') return;
    try {
      take(await agent().call('status', {}), failures > 1 ? 'polling' : 'connecting');
    } catch (error) {
      if (error instanceof AgentError && error.code === 'unauthenticated') {
        connection.value = 'refused';
        return;
      }
      connection.value = 'lost';
    }
    connect(using);
  }, wait);
}

/** Stores a status from any call or message. `how` is the new connection state; by default it does not change. */
export function take(next: Status, how: Connection = connection.peek()): void {
  status.value = next;
  connection.value = next.state === 'ended' ? 'ended' : how;
}

/** Records that the agent has accepted the trace that this page sent. A capture that the status reports is newer. */
export function noteImported(trace: Status['trace']): void {
  const before = status.value;
  if (before !== null && before.trace?.origin !== 'capture') status.value = { ...before, trace };
}

/** Records that this page ended the session. */
export function noteEnded(ending: Status['ended']): void {
  const before = status.value;
  if (before !== null) status.value = { ...before, state: 'ended', ended: ending };
  connection.value = 'ended';
}
