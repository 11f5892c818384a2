// The size of the collector, minified and gzipped: each entry with its imports, compared with stats-gl.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../scripts/workspaces.ts';
import { bundle, versionOf } from './collector/run-page.ts';

const SOURCE = join(ROOT, 'packages/collector/src');

for (const [name, input] of [
  ['@svc/collector/core', join(SOURCE, 'core.ts')],
  ['@svc/collector', join(SOURCE, 'index.ts')],
  ['@svc/collector/overlay, the recording included', join(SOURCE, 'overlay/overlay.ts')],
  [`stats-gl ${versionOf('stats-gl')}`, join(ROOT, 'bench/node_modules/stats-gl/dist/main.js')],
] as const) {
  const code = await bundle(input, true);
  console.log(`${name}: ${gzipSync(code, { level: 9 }).length} bytes gzip`);
}
