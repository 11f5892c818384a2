#!/usr/bin/env node
// Starts the store site on a Node that can run it: this one, or the one that was installed beside the packages.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../src/main.ts');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 16)) await import(main);
else runOnPinnedNode();

function runOnPinnedNode() {
  const node = findPinnedNode(here);
  if (node === null) {
    process.stderr.write(`svc-web needs Node 24.16, this is ${process.version}\n`);
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

function findPinnedNode(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules/.bin/node');
    if (existsSync(node)) return node;
    if (folder === dirname(folder)) return null;
  }
}
