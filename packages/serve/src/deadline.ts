// The time limit of a request, from its first byte to the last byte of its answer.
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { conditionError } from './answer-error.ts';
import type { ServeOptions } from './options.ts';

const firstBytes = new WeakMap<Socket, number>();

/** Records when the first byte of a connection's next request arrives. */
export function watchFirstByte(socket: Socket): void {
  socket.on('data', () => {
    if (!firstBytes.has(socket)) firstBytes.set(socket, performance.now());
  });
}

/**
 * Starts the clock of a request. When its time is up, it is rejected as `too_slow` or `too_long`, or
 * cut off if the answer has begun. After an early rejection, the rest of the body is read and
 * discarded until then, so that the client can read the error.
 */
export function startDeadline(
  options: ServeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { socket } = request.raw;
  const ms = request.routeOptions.config.requestMs ?? options.requestMs;
  const now = performance.now();
  const spent = now - (firstBytes.get(socket) ?? now);
  const ending = new AbortController();
  request.abortSignal = ending.signal;
  const timer = setTimeout(() => expire(options, request, reply, ending), Math.max(0, ms - spent));
  reply.raw.once('close', () => {
    firstBytes.delete(socket);
    ending.abort();
    if (request.raw.complete || socket.destroyed) clearTimeout(timer);
    else {
      whenDiscarded(request, () => {
        firstBytes.delete(socket);
        clearTimeout(timer);
      });
    }
  });
}

/**
 * After an answer, Node does not notify a request when its connection closes, so both are watched.
 */
function whenDiscarded(request: FastifyRequest, done: () => void): void {
  const { raw } = request;
  const settle = (): void => {
    raw.off('end', settle);
    raw.socket.off('close', settle);
    done();
  };
  raw.once('end', settle);
  raw.socket.once('close', settle);
  // Node discards only a body that no handler has begun to read.
  raw.resume();
}

function expire(
  options: ServeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  ending: AbortController,
): void {
  if (reply.raw.headersSent || reply.sent) {
    request.raw.socket.destroy();
  } else {
    const condition = request.raw.complete ? 'too_long' : 'too_slow';
    ending.abort();
    reply.header('connection', 'close');
    const sentence = request.routeOptions.config.late?.[condition];
    reply.send(conditionError(options, condition, {}, sentence));
  }
}
