// Serves a cross-origin isolated page on loopback, because its clock has a resolution of 5 µs instead of 100 µs.
import { createServer } from 'node:http';

/** Returns the body and media type for a path; null for 404. */
export type Answer = (
  path: string,
) => { readonly type: string; readonly body: string | Buffer } | null;

export async function serveIsolated(
  answer: Answer,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = createServer((request, response) => {
    const file = answer(new URL(request.url ?? '/', 'http://page').pathname);
    response.writeHead(file === null ? 404 : 200, {
      'content-type': file?.type ?? 'text/plain',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(file?.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
