// The count of the bytes of a body, for the code that reads it.
import type { FastifyRequest } from 'fastify';

/** Counts bytes while they arrive. */
type BodyCount = {
  add(bytes: number, onRejected: (error: unknown) => void): void;
  end(): Promise<void>;
};

const counts = new WeakMap<FastifyRequest, BodyCount>();

/** Sets what counts the body of the request. */
export function setBodyCount(request: FastifyRequest, count: BodyCount): void {
  counts.set(request, count);
}

export function bodyCountOf(request: FastifyRequest): BodyCount | undefined {
  return counts.get(request);
}
