// Sends requests to the API and receives their whole answers.
import { codeOf } from '@svc/contracts/caught';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';

/** A response did not come from the API, but from a proxy or another service at its address. */
export class NotTheApiError extends Error {
  override readonly name = 'NotTheApiError';
}

/** Codes of connections that ended while a request was on the way. */
const DROPPED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
/** An API that restarts drops all its idle connections at once, so the second try may meet another one. */
const TRIES = 3;

/**
 * Sends a request and receives the whole answer, so that an answer that is cut off fails here. A GET request whose
 * connection was dropped is sent again, as an API that restarts drops connections. Throws the errors of `fetch`, and a
 * {@link NotTheApiError}.
 */
export async function sendToApi(address: string, init: RequestInit): Promise<Response> {
  const tries = init.method === 'GET' ? TRIES : 1;
  for (let done = 1; ; done++) {
    try {
      return await receive(address, init);
    } catch (error) {
      if (done === tries || !isDropped(error)) throw error;
    }
  }
}

/** A client of the API at `apiUrl` without a visitor. */
export function createApi(apiUrl: string, timeoutMs: number): PlatformClient {
  return createPlatformClient({
    baseUrl: apiUrl,
    send: (address, init) =>
      sendToApi(address, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
  });
}

/** Whether an API call failed to connect, was cut off, timed out, or reached another service. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (['TimeoutError', 'AbortError', 'NotTheApiError'].includes(error.name)) return true;
  return isFetchFailure(error);
}

async function receive(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  const { status, headers } = answer;
  const type = headers.get('content-type') ?? '';
  if (answer.ok && status !== 204 && !type.startsWith('application/json')) {
    await answer.body?.cancel();
    throw new NotTheApiError(`${address} answered "${type}"`);
  }
  return await receiveWhole(answer);
}

/** Receives the rest of an answer, so that one that is cut off fails here. */
export async function receiveWhole(answer: Response): Promise<Response> {
  const { body, status, statusText, headers } = answer;
  if (body === null) return answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
}

function isDropped(error: unknown): boolean {
  return isFetchFailure(error) && DROPPED.includes(codeOf(error.cause));
}

/** `fetch` reports a connection that fails before the answer, and one that ends within it. */
function isFetchFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message);
}
