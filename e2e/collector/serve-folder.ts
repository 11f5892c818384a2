// Serves a built page from a folder, cross-origin isolated, on loopback.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.json': 'application/json',
  '.wav': 'audio/wav',
};

export type FolderServer = AsyncDisposable & { readonly origin: string; readonly asked: string[] };

/** Starts the server. `asked` contains the requested paths. */
export async function serveFolder(folder: string): Promise<FolderServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    asked.push(path);
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (path.includes('..') || !existsSync(file)) response.writeHead(404).end();
    else {
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      });
      response.end(readFileSync(file));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
