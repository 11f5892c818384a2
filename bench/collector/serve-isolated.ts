// Serves a page on loopback so that its clock is fine: 5 µs on a cross-origin isolated page, 100 µs elsewhere.
import { createServer } from 'node:http';

/** The body of a path with its media type; null for 404. */
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
