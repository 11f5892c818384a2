// Reads the body of a request that the server does not parse, up to a number of bytes.
import { ApiError } from '@svc/serve';
import { formatBytes } from '../html/sizes.ts';
import type { Visit } from '../visit/visit.ts';

/**
 * Returns the body. Throws `payload_too_large` if it is longer than `maxBytes`; the rest is discarded, so that the browser
 * receives the response. Throws an `AbortError` if the connection ends before the body.
 */
export async function readBody({ request }: Visit, maxBytes: number): Promise<Buffer> {
  const { raw, headers, abortSignal } = request;
  if (Number(headers['content-length'] ?? 0) > maxBytes) refuse(raw, maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(raw, maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    abortSignal.throwIfAborted();
    throw new DOMException('The body of the request is incomplete', 'AbortError');
  }
  return Buffer.concat(chunks);
}

/** Returns the JSON of a body. Throws `invalid_input` if it can't be parsed. */
export async function readJson(visit: Visit, maxBytes: number): Promise<unknown> {
  const text = (await readBody(visit, maxBytes)).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid_input', 'The body of the request is not valid JSON');
  }
}

function refuse(raw: Visit['request']['raw'], maxBytes: number): never {
  raw.resume();
  const message = `The request is too large. Allowed: at most ${formatBytes(maxBytes)}`;
  throw new ApiError('payload_too_large', message);
}
