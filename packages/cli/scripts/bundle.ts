// Builds the published files of `@svc/cli`: bundles of the command and the agent's worker, the viewer, also as one file, and the programs of the probes.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { buildBrowserCode } from '../../../scripts/build-browser.ts';
import { ROOT } from '../../../scripts/workspaces.ts';

const CLI = join(import.meta.dirname, '..');
const DIST = join(CLI, 'dist');
const PROGRAMS = join(ROOT, 'packages/agent/probe-programs');
const VIEWER = join(ROOT, 'packages/viewer/dist');
const VIEWER_FILE = join(ROOT, 'packages/viewer/standalone/svc-viewer.html');

buildBrowserCode();
if (!existsSync(join(VIEWER, 'index.html'))) {
  throw new Error(`Cannot bundle: the viewer is not built (${VIEWER})`);
}
rmSync(DIST, { recursive: true, force: true });
await build({
  input: {
    main: join(CLI, 'src/main.ts'),
    'agent-worker': join(ROOT, 'packages/agent/src/worker.ts'),
  },
  platform: 'node',
  // Optional native parts of ws, which also works without them, an optional reader of puppeteer that is not used, and the native code of the OS keyring.
  external: ['bufferutil', 'utf-8-validate', 'yauzl', '@napi-rs/keyring'],
  output: {
    dir: DIST,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunk-[hash].mjs',
  },
});
cpSync(join(ROOT, 'packages/recorder/dist/injected.js'), join(DIST, 'injected.js'));
cpSync(VIEWER, join(DIST, 'viewer'), { recursive: true });
cpSync(VIEWER_FILE, join(DIST, 'svc-viewer.html'));
cpSync(PROGRAMS, join(DIST, 'probe-programs'), { recursive: true });
