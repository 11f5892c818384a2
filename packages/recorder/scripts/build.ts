// Makes dist/injected.js: the collector and the code that starts it in a page, as one expression.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const PACKAGE = join(import.meta.dirname, '..');
const DIST = join(PACKAGE, 'dist');

rmSync(DIST, { recursive: true, force: true });
await build({
  cwd: PACKAGE,
  input: 'src/page/injected.ts',
  resolve: { conditionNames: ['svc-source', 'import', 'default'] },
  transform: { target: 'es2022' },
  output: { file: join(DIST, 'injected.js'), format: 'iife', name: 'svcInjected', minify: true },
});
