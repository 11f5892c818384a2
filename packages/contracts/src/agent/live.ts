// The live connection: its handshake and its messages.
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { Status } from './status.ts';

/** The WebSocket subprotocol that the agent selects. */
export const LIVE_SUBPROTOCOL = 'svc.v1';

/** The close code after the last message. */
export const LIVE_ENDED = 1001;

/** The close code for a client that sends anything. */
export const LIVE_POLICY = 1008;

/** The only kind of message: the latest status, sent at once and then at most once a second. */
export const LiveMessage = Type.Object({ type: Type.Literal('status'), status: Status });
export type LiveMessage = Static<typeof LiveMessage>;

/** The subprotocols that a client offers, in any order. */
export function liveProtocols(token: string): string[] {
  return [LIVE_SUBPROTOCOL, token];
}

/** Parses a live message. Null if it is unknown or invalid. */
export function parseLiveMessage(text: string): LiveMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    return Check(LiveMessage, message) ? message : null;
  } catch {
    return null;
  }
}
