// Serves the viewer's files. They contain no data and no secrets, so they need no token. A content
// security policy blocks foreign code in them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { App } from '@svc/serve';
import { StartError } from '../start-error.ts';

/** A file of the page, as it is served. */
export type PageFile = { readonly path: string; readonly type: string; readonly body: Buffer };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The viewer's files: each one's path, such as `assets/index.js`, and its bytes. */
export type Viewer = ReadonlyMap<string, Buffer>;

/** Returns the files as they are served. Throws StartError `viewer_missing`. */
export function pageOf(viewer: Viewer): PageFile[] {
  const index = viewer.get('index.html');
  if (index === undefined) {
    throw new StartError('viewer_missing', 'Cannot serve the viewer: it has no index.html');
  }
  return ['', ...viewer.keys()].map((name) => ({
    path: `/${name}`,
    type: TYPES[name === '' ? '.html' : extname(name)] ?? 'application/octet-stream',
    body: viewer.get(name) ?? index,
  }));
}

/** Reads the viewer's built files. Throws StartError `viewer_missing`. */
export function readViewer(folder: string): Viewer {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    );
    return new Map(
      names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))]),
    );
  } catch (error) {
    throw new StartError(
      'viewer_missing',
      `Cannot serve the viewer: ${folder} can't be read`,
      error,
    );
  }
}

/**
 * The content security policy: the page may load and run its own files, and connect to its own
 * agent.
 */
function contentSecurityPolicy(authority: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://${authority}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function registerPageRoutes(
  app: App,
  files: readonly PageFile[],
  authority: () => string,
): void {
  for (const { path, type, body } of files) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path.replaceAll(':', '::'),
      config: { uncounted: true },
      handler: async (_request, reply) =>
        reply
          .headers({
            'content-type': type,
            'content-security-policy': contentSecurityPolicy(authority()),
            'cross-origin-opener-policy': 'same-origin',
            'cross-origin-resource-policy': 'same-origin',
            'referrer-policy': 'no-referrer',
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-cache',
          })
          .send(body),
    });
  }
}
