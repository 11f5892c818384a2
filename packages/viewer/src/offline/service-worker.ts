// The service worker of the static site. It stores the files of one version, and answers from them.
import { cacheName, isOutdated, requestedPath, type SiteVersion } from './site-cache.ts';

/** The version of the site, which the build inserts. */
declare const SITE: SiteVersion;

/** An event of a service worker, as far as it is used here. */
type WorkerEvent = Event & {
  readonly request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
};

type ServiceWorkerScope = {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, handle: (event: WorkerEvent) => void): void;
};

const worker = self as unknown as ServiceWorkerScope;
const { scope } = worker.registration;
const name = cacheName(scope, SITE.version);

worker.addEventListener('install', (event) => event.waitUntil(storeFiles()));
worker.addEventListener('activate', (event) => event.waitUntil(replaceOld()));
// The page sends a message when this version may replace the one that is in use.
worker.addEventListener('message', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const path = method === 'GET' ? requestedPath(url, scope, SITE.files) : null;
  if (path !== null) event.respondWith(answer(path));
});

/** Stores every file of this version. Stores nothing if one is missing or differs, as during a deployment. */
async function storeFiles(): Promise<void> {
  const cache = await caches.open(name);
  try {
    await Promise.all(
      SITE.files.map(async ({ path, integrity }) => {
        const response = await fetch(scope + path, { integrity, cache: 'reload' });
        if (!response.ok) throw new Error(`Cannot load ${scope}${path}: ${response.status}`);
        // A browser does not show a redirected answer as a page.
        const { body, headers } = response;
        await cache.put(
          scope + path,
          response.redirected ? new Response(body, { headers }) : response,
        );
      }),
    );
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
}

async function replaceOld(): Promise<void> {
  const outdated = (await caches.keys()).filter((one) => isOutdated(one, scope, SITE.version));
  await Promise.all(outdated.map((one) => caches.delete(one)));
  await worker.clients.claim();
}

/** Answers from the cache, or from the network if the browser has evicted the file. */
async function answer(path: string): Promise<Response> {
  const cache = await caches.open(name);
  return (await cache.match(scope + path)) ?? fetch(scope + path);
}
