// Finds the files that the agent serves and runs, and the viewer as one file: beside the bundle, or in the checkout.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type AgentFiles = {
  /** The viewer's built files. */
  readonly viewerDir: string;
  /** The bundled worker. Missing when svc runs from source: the agent finds it there. */
  readonly workerUrl?: URL;
  /** The folder with the bundled programs of native probes. Missing when svc runs from source: the agent finds it there. */
  readonly probePrograms?: string;
};

/** The address of the worker in a bundle. Empty when svc runs from source. */
export function bundledWorker(): { workerUrl?: URL } {
  const workerUrl = new URL('./agent-worker.mjs', import.meta.url);
  return existsSync(workerUrl) ? { workerUrl } : {};
}

/** The folder with the programs of native probes in a bundle. Empty when svc runs from source. */
export function bundledPrograms(): { probePrograms?: string } {
  const folder = new URL('./probe-programs/', import.meta.url);
  return existsSync(folder) ? { probePrograms: fileURLToPath(folder) } : {};
}

/** Finds the files. In a checkout, builds the viewer first if its sources have changed. */
export async function findAgentFiles(): Promise<AgentFiles> {
  const bundled = new URL('./viewer/', import.meta.url);
  if (existsSync(bundled)) {
    return { viewerDir: fileURLToPath(bundled), ...bundledWorker(), ...bundledPrograms() };
  }
  await buildInCheckout();
  return { viewerDir: fileURLToPath(new URL('../../../viewer/dist/', import.meta.url)) };
}

/** Finds the viewer as one HTML file, which the agent does not serve. In a checkout, builds it first if its sources have changed. */
export async function findViewerFile(): Promise<string> {
  const bundled = new URL('./svc-viewer.html', import.meta.url);
  if (existsSync(bundled)) return fileURLToPath(bundled);
  await buildInCheckout();
  return fileURLToPath(new URL('../../../viewer/standalone/svc-viewer.html', import.meta.url));
}

async function buildInCheckout(): Promise<void> {
  // The import has a computed address, so that the bundler does not include the build script.
  const script = new URL('../../../../scripts/build-browser.ts', import.meta.url);
  const built: { buildBrowserCode(): void } = await import(script.href);
  built.buildBrowserCode();
}
