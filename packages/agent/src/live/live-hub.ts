// The live connections. Each client receives the current status at once, and then at most one
// message a second. Messages are never queued.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  AGENT_LIMITS,
  LIVE_CLOSE_MS,
  LIVE_DRAIN_MS,
  LIVE_ENDED,
  LIVE_INCOMING_BYTES,
  LIVE_POLICY,
  LIVE_SUBPROTOCOL,
  type LiveMessage,
  type Status,
} from '@svc/contracts/agent';
import { type WebSocket, WebSocketServer } from 'ws';
import { failure } from '../failure.ts';

const PERIOD_MS = 1000 / AGENT_LIMITS.live_hz;

/**
 * The interval of messages when nothing changes, so that a client knows that the session is alive.
 */
const HEARTBEAT_MS = 1.5 * PERIOD_MS;

// https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1
const INVALID_DATA = 1007;
const TOO_BIG = 1009;

export type LiveHub = {
  /**
   * Takes over a guarded connection. Throws `too_many_clients`. In that case, clients that no
   * longer read are soon dropped.
   */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends the changed status to every client, within the limit of one message a second. */
  changed(): void;
  /**
   * Sends each client the last status, closes its connection, and drops clients that do not answer
   * the close. Resolves with the number of clients.
   */
  end(): Promise<number>;
};

/** Creates the hub. `status` is called for each message. `refuse` answers an invalid handshake. */
export function liveHub(
  status: () => Status,
  refuse: (socket: Duplex, error: unknown) => void,
): LiveHub {
  const clients = new Set<LiveClient>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LIVE_INCOMING_BYTES,
    handleProtocols: () => LIVE_SUBPROTOCOL,
  });
  server.on('wsClientError', (_error, socket) => {
    refuse(socket, failure('bad_request', 'Cannot open a live connection: not a handshake'));
  });
  return {
    accept: (request, socket, head) => {
      if (clients.size >= AGENT_LIMITS.live_clients) {
        for (const client of clients) client.challenge();
        throw failure(
          'too_many_clients',
          `Cannot open another live connection: ${AGENT_LIMITS.live_clients} are open`,
        );
      }
      server.handleUpgrade(request, socket, head, (connection) => {
        const client = new LiveClient(connection, status);
        clients.add(client);
        connection.once('close', () => clients.delete(client));
      });
    },
    changed: () => {
      for (const client of clients) client.changed();
    },
    end: async () => {
      const ended = [...clients];
      await Promise.all(ended.map((client) => client.end()));
      return ended.length;
    },
  };
}

/** One client, with the times of its messages. */
class LiveClient {
  readonly #connection: WebSocket;
  readonly #status: () => Status;
  readonly #closed = Promise.withResolvers<void>();
  /**
   * When a message was last due, and when one was last sent. A client that has not read a message
   * gets no other one.
   */
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #messageAtMs = Number.NEGATIVE_INFINITY;
  #challenge: NodeJS.Timeout | null = null;
  #timer: NodeJS.Timeout | null = null;
  #ending = false;

  constructor(connection: WebSocket, status: () => Status) {
    this.#connection = connection;
    this.#status = status;
    closeInTime(connection);
    connection.on('message', () => connection.close(LIVE_POLICY, 'this connection only sends'));
    connection.on('error', () => {});
    connection.on('pong', () => this.#endChallenge());
    connection.once('close', () => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#endChallenge();
      this.#closed.resolve();
    });
    this.changed();
  }

  /** Sends the status now, or as soon as a second has passed since the last message. */
  changed(): void {
    this.#schedule(Math.max(0, this.#sentAtMs + PERIOD_MS - performance.now()));
  }

  /**
   * Pings the client and drops it if no pong arrives. Small messages fit into the kernel's buffers
   * for minutes, so writing to the socket does not reveal that a client no longer reads.
   */
  challenge(): void {
    if (this.#challenge !== null) return;
    this.#challenge = setTimeout(() => this.#connection.terminate(), LIVE_DRAIN_MS);
    this.#connection.ping();
  }

  #endChallenge(): void {
    if (this.#challenge !== null) clearTimeout(this.#challenge);
    this.#challenge = null;
  }

  async end(): Promise<void> {
    this.#ending = true;
    this.changed();
    await this.#closed.promise;
  }

  #schedule(ms: number): void {
    if (this.#connection.readyState !== this.#connection.OPEN) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (ms <= 0) this.#send();
    // A timer may fire a millisecond early, but messages must not come too early.
    else this.#timer = setTimeout(() => this.#send(), Math.ceil(ms) + 1);
  }

  #send(): void {
    this.#sentAtMs = performance.now();
    // A client that has not read the last message gets a newer status once it has.
    if (this.#connection.bufferedAmount === 0) {
      this.#messageAtMs = this.#sentAtMs;
      const message: LiveMessage = { type: 'status', status: this.#status() };
      this.#connection.send(JSON.stringify(message));
    } else if (this.#sentAtMs - this.#messageAtMs >= LIVE_DRAIN_MS) {
      this.#connection.terminate();
      return;
    }
    if (this.#ending) this.#connection.close(LIVE_ENDED, 'the session has ended');
    else this.#schedule(HEARTBEAT_MS);
  }
}

/**
 * Closes connections with the codes of the contract. A message that is too long or not text is
 * closed with the policy code, like any other message. A client that does not answer a close is
 * dropped.
 */
function closeInTime(connection: WebSocket): void {
  const close = connection.close.bind(connection);
  connection.close = (code, reason) => {
    const timer = setTimeout(() => connection.terminate(), LIVE_CLOSE_MS);
    connection.once('close', () => clearTimeout(timer));
    close(code === TOO_BIG || code === INVALID_DATA ? LIVE_POLICY : code, reason);
  };
}
