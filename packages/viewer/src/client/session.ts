// The session as the page knows it: the agent's last word, and how well the page hears it.

import { computed, signal } from '@preact/signals';
import {
  type AgentClient,
  AgentError,
  createAgentClient,
  LIVE_ENDED,
  liveProtocols,
  parseLiveMessage,
  type Status,
} from '@svc/contracts/agent';
import { keepToken, takeToken, tokenIn } from './token.ts';

/** `refused` is a token that the agent does not take; `ended` is the agent's own last word. */
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
/** The samples that this page saw, for a chart before and beside the trace. */
export const capturing = computed(() => status.value?.state === 'capturing');
export const ended = computed(() => connection.value === 'ended');

const RETRY_MS = [500, 1000, 2000, 4000];
let token: string | null = null;
let client: AgentClient | null = null;
let failures = 0;

/** The client of this session; throws where the page has no token. */
export function agent(): AgentClient {
  if (client === null) throw new AgentError('unauthenticated', 'This page has no session token');
  return client;
}

/** The token, for the worker that fetches traces by itself. */
export function sessionToken(): string {
  return token ?? '';
}

/** Takes the token from the address and connects; goes on by itself until the session has ended. */
export function startSession(): void {
  useToken(takeToken());
}

/** Connects with an address or a token that a person pasted; false where none is in it. */
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
  client = createAgentClient({ origin: '', token: found, fetch: (url, init) => fetch(url, init) });
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

// A browser does not tell a page why a socket was refused; /api/status does.
function retry(using: string): void {
  if (token !== using || connection.value === 'ended') return;
  const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 4000;
  setTimeout(async () => {
    if (token !== using || connection.value === 'ended') return;
    try {
      take(await agent().status(), failures > 1 ? 'polling' : 'connecting');
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

/** Takes what the agent said, from whatever call; `how` it is heard stays as it is where a call tells nothing of that. */
export function take(next: Status, how: Connection = connection.peek()): void {
  status.value = next;
  connection.value = next.state === 'ended' ? 'ended' : how;
}

/** Notes that the session was ended from this page. */
export function noteEnded(ending: Status['ended']): void {
  const before = status.value;
  if (before !== null) status.value = { ...before, state: 'ended', ended: ending };
  connection.value = 'ended';
}
