// Finds the files that the agent serves and runs, and the viewer as one file: among the packaged files, or in the checkout.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentOptions, Viewer } from '@svc/agent';
import {
  IS_PACKAGED,
  IS_SINGLE_FILE,
  listPackaged,
  readPackaged,
} from '../process/packaged-files.ts';

export type AgentFiles = Pick<AgentOptions, 'viewer' | 'workerUrl' | 'probePrograms'>;

/** The address of the worker in a package. Empty when svc runs from source: the agent finds it there. */
export function packagedWorker(): Pick<AgentOptions, 'workerUrl'> {
  if (!IS_PACKAGED) return {};
  if (!IS_SINGLE_FILE) return { workerUrl: new URL('./agent-worker.mjs', import.meta.url) };
  // A thread of its own begins outside the executable's files. The first script makes them importable, and starts the worker.
  const start = `${readPackaged('start.js')}\nstart('agent-worker.mjs');`;
  return {
    workerUrl: new URL(`data:text/javascript;base64,${Buffer.from(start).toString('base64')}`),
  };
}

/** The programs of native probes in a package. Empty when svc runs from source. */
export function packagedPrograms(): Pick<AgentOptions, 'probePrograms'> {
  if (!IS_PACKAGED) return {};
  const read = (name: string) => {
    const path = `probe-programs/${name}`;
    return {
      text: readPackaged(path).toString(),
      path: IS_SINGLE_FILE ? null : fileURLToPath(new URL(path, import.meta.url)),
    };
  };
  return { probePrograms: { helper: read('svc-probe'), perf: read('svc-perf') } };
}

/** Finds the files. In a checkout, builds the viewer first if its sources have changed. */
export async function findAgentFiles(): Promise<AgentFiles> {
  if (IS_PACKAGED) {
    return { viewer: readPackagedViewer, ...packagedWorker(), ...packagedPrograms() };
  }
  await buildInCheckout();
  const { readViewer } = await import('@svc/agent');
  const folder = fileURLToPath(new URL('../../../viewer/dist/', import.meta.url));
  return { viewer: () => readViewer(folder) };
}

function readPackagedViewer(): Viewer {
  return new Map(listPackaged('viewer').map((path) => [path, readPackaged(`viewer/${path}`)]));
}

/** Reads the viewer as one HTML file, which the agent does not serve. In a checkout, builds it first if its sources have changed. */
export async function readViewerFile(): Promise<string> {
  if (IS_PACKAGED) return readPackaged('svc-viewer.html').toString();
  await buildInCheckout();
  const file = new URL('../../../viewer/standalone/svc-viewer.html', import.meta.url);
  return readFileSync(file, 'utf8');
}

async function buildInCheckout(): Promise<void> {
  // The import has a computed address, so that the bundler does not include the build script.
  const script = new URL('../../../../scripts/build-browser.ts', import.meta.url);
  const built: { buildBrowserCode(): void } = await import(script.href);
  built.buildBrowserCode();
}
