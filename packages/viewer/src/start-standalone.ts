// Starts the viewer without an agent. It reads files that the user opens, and has no connection.
import { startEngine } from './client/engine-client.ts';
import { listenForPaste } from './shell/open/paste.ts';
import { StandalonePage } from './shell/standalone-page.tsx';
import { startPage } from './shell/start-page.tsx';
import { openEmbedded } from './traces/open-embedded.ts';

/** The code of the worker, which the build inserts. */
declare const ENGINE_CODE: string;

/**
 * Starts the page. Its worker runs from a blob, because a page from disk cannot load other files, and because such a
 * worker inherits the content security policy of the page.
 */
export function startStandalone(): void {
  const address = URL.createObjectURL(new Blob([ENGINE_CODE], { type: 'text/javascript' }));
  startEngine(() => new Worker(address, { name: 'engine' }));
  listenForPaste();
  startPage(StandalonePage);
  // A trace may follow the code in the page.
  if (document.readyState !== 'loading') void openEmbedded();
  else addEventListener('DOMContentLoaded', () => void openEmbedded(), { once: true });
}
