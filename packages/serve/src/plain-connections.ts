// Answers plain requests on their bare connection. The first request that is not plain gives the connection to Node's
// HTTP, with all that it has sent, and there it stays.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import type { PlainOptions } from './options.ts';
import { KEEP_ALIVE_MS, type PlainAnswer, sendPlainAnswer } from './plain-answer.ts';
import { readPlainHead } from './read-plain-head.ts';

export type PlainConnections = {
  /** Ends the connections that are here, those with a request under way after its answer. */
  close(): void;
};

/**
 * Stands before the listeners for connections that the server has by now. `silent` gets a connection whose first request
 * has not begun after `firstMs`.
 */
export function answerPlainRequests(
  server: Server,
  options: PlainOptions,
  begin: Connections['begin'],
  firstMs: number,
  silent: (socket: Socket) => void,
): PlainConnections {
  const takers = server.listeners('connection');
  server.removeAllListeners('connection');
  const give = (socket: Socket, bytes: Buffer): void => {
    socket.pause();
    socket.unshift(bytes);
    for (const taker of takers) taker.call(server, socket);
    socket.resume();
  };
  const open = new Set<PlainConnection>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    const connection = startConnection(socket, options, {
      begin,
      firstMs,
      silent,
      give,
      isClosing: () => closing,
      ended: () => open.delete(connection),
    });
    open.add(connection);
  });
  return {
    close() {
      closing = true;
      for (const connection of open) connection.endWhenIdle();
    },
  };
}

type PlainConnection = { endWhenIdle(): void };

type Surroundings = {
  readonly begin: Connections['begin'];
  readonly firstMs: number;
  readonly silent: (socket: Socket) => void;
  readonly give: (socket: Socket, bytes: Buffer) => void;
  readonly isClosing: () => boolean;
  readonly ended: () => void;
};

function startConnection(
  socket: Socket,
  { answer, requestId }: PlainOptions,
  { begin, firstMs, silent, give, isClosing, ended }: Surroundings,
): PlainConnection {
  let answered = false;
  let waiting = false;
  const leave = (): void => {
    for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
    socket.setTimeout(0);
    ended();
  };
  const settle = (found: PlainAnswer | null, bytes: Buffer): void => {
    if (found === null) {
      leave();
      give(socket, bytes);
      return;
    }
    if (!answered) socket.setTimeout(KEEP_ALIVE_MS);
    answered = true;
    if (!sendPlainAnswer(socket, found, requestId())) socket.pause();
    if (isClosing()) socket.destroySoon();
  };
  const listeners = {
    data(bytes: Buffer): void {
      const found = ask(answer, bytes);
      if (!(found instanceof Promise)) {
        settle(found, bytes);
        return;
      }
      waiting = true;
      const done = begin(socket);
      socket.pause();
      void found
        .catch(() => null)
        .then((later) => {
          waiting = false;
          done();
          if (socket.destroyed) return;
          socket.resume();
          settle(later, bytes);
        });
    },
    drain: () => void (waiting || socket.resume()),
    end: () => socket.destroySoon(),
    // The socket is destroyed after it, and that is all there is to do.
    error: () => {},
    timeout(): void {
      if (answered || waiting) socket.destroy();
      else {
        leave();
        silent(socket);
      }
    },
    close: ended,
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  socket.setTimeout(firstMs);
  return {
    endWhenIdle() {
      if (!waiting) socket.destroySoon();
    },
  };
}

/** What is to be sent. Where that fails, Node's way comes to the same failure and tells it. */
function ask(
  answer: PlainOptions['answer'],
  bytes: Buffer,
): PlainAnswer | null | Promise<PlainAnswer | null> {
  const request = readPlainHead(bytes);
  if (request === null) return null;
  try {
    return answer(request);
  } catch {
    return null;
  }
}
