// Serves pages and scripts from memory on 127.0.0.1, to record them by their address.
import { createServer } from 'node:http';

export type PageServer = AsyncDisposable & { readonly port: number };

/** The content of each path. Other paths do not exist. */
export async function servePages(pages: Readonly<Record<string, string>>): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const content = pages[url];
    response.statusCode = content === undefined ? 404 : 200;
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(content);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
