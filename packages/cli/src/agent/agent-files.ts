// Where the files are that the agent serves and runs: beside the bundle, or in the checkout, where they are built when stale.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type AgentFiles = {
  /** The viewer's built files. */
  readonly viewerDir: string;
  /** The bundled worker; from source the agent finds its own. */
  readonly workerUrl?: URL;
  /** The folder of the bundled programs of native probes; from source the agent finds its own. */
  readonly probePrograms?: string;
};

/** Where the worker is in a bundle; nothing from source. */
export function bundledWorker(): { workerUrl?: URL } {
  const workerUrl = new URL('./agent-worker.mjs', import.meta.url);
  return existsSync(workerUrl) ? { workerUrl } : {};
}

/** Where the programs of native probes are in a bundle; nothing from source. */
export function bundledPrograms(): { probePrograms?: string } {
  const folder = new URL('./probe-programs/', import.meta.url);
  return existsSync(folder) ? { probePrograms: fileURLToPath(folder) } : {};
}

/** The files; in a checkout the viewer is built first where its sources have changed. */
export async function findAgentFiles(): Promise<AgentFiles> {
  const bundled = new URL('./viewer/', import.meta.url);
  if (existsSync(bundled)) {
    return { viewerDir: fileURLToPath(bundled), ...bundledWorker(), ...bundledPrograms() };
  }
  // By an address that is put together, so that the bundle does not hold the checkout's build script.
  const script = new URL('../../../../scripts/build-browser.ts', import.meta.url);
  const built: { buildBrowserCode(): void } = await import(script.href);
  built.buildBrowserCode();
  return { viewerDir: fileURLToPath(new URL('../../../viewer/dist/', import.meta.url)) };
}
