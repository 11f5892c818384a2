// Registers the service worker of the static site, and replaces an old version of the site.
import { notify } from '../state/notices.ts';
import { mainTrace, opening } from '../traces/open-traces.ts';

/** Keeps the site for use without a network, if the browser allows it. */
export async function keepOffline(): Promise<void> {
  // Browsers have service workers only for HTTPS and for this machine.
  if (!('serviceWorker' in navigator)) return;
  const registration = await register();
  if (registration === null) return;
  if (registration.waiting !== null) replaceVersion(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      // The first version is in use at once.
      if (installing.state === 'installed' && registration.active !== null) offerVersion();
    });
  });
}

/** Returns null if the browser refuses, as in some private windows. The site then works with a network only. */
async function register(): Promise<ServiceWorkerRegistration | null> {
  try {
    return await navigator.serviceWorker.register('./service-worker.js', {
      updateViaCache: 'none',
    });
  } catch {
    return null;
  }
}

/** Starts the new version. A page that already shows a trace keeps it. */
function replaceVersion(waiting: ServiceWorker): void {
  if (mainTrace.value !== null || opening.value !== null) {
    offerVersion();
    return;
  }
  // A page that is still loading may not see the change of its controller, so the new worker is watched, too.
  waiting.addEventListener('statechange', () => {
    if (waiting.state === 'activated') reloadOnce();
  });
  navigator.serviceWorker.addEventListener('controllerchange', reloadOnce);
  waiting.postMessage('replace');
}

let isReloading = false;

function reloadOnce(): void {
  if (isReloading) return;
  if (mainTrace.value !== null || opening.value !== null) {
    offerVersion();
    return;
  }
  isReloading = true;
  location.reload();
}

function offerVersion(): void {
  notify('info', 'A new version of this viewer is ready. Reload the page to use it.');
}
