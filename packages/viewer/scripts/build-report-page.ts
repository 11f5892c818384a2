// Builds `standalone/svc-viewer.html`, the page of `svc trace report`. A part of the script `build`. The file is not in dist/, whose
// files the agent serves.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFile, FILE } from './build-standalone.ts';
import { PACKAGE } from './bundle.ts';

const folder = join(PACKAGE, 'standalone');
mkdirSync(folder, { recursive: true });
const path = join(folder, FILE);
writeFileSync(`${path}.part`, await buildFile());
renameSync(`${path}.part`, path);
