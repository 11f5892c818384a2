#!/usr/bin/env node
// Starts the platform with a suitable Node: this one, or the one that is installed with the packages.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Without a listener SIGUSR1 would open Node's inspector, to which any program on this machine can connect.
process.on('SIGUSR1', () => {});

/** Signals that end a process and can be caught. The program shuts down on each. */
const ENDING_SIGNALS = [
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGALRM'],
  ...['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'],
];

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../src/main.ts');
// Before the first use of the pool: files are synced in some of its threads while others inflate and hash.
process.env.UV_THREADPOOL_SIZE ??= '12';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 16)) await import(pathToFileURL(main).href);
else runOnPinnedNode();

function runOnPinnedNode() {
  const node = findPinnedNode(here);
  if (node === null) {
    process.stderr.write(`svc-platform needs Node 24.16, this is ${process.version}\n`);
    process.exit(1);
  }
  const args = ['--disable-sigusr1', main, ...process.argv.slice(2)];
  // The other process receives this pid, so that it can end when this one is killed.
  const env = { ...process.env, SVC_START_FILE_PID: String(process.pid) };
  const child = spawn(node, args, { stdio: 'inherit', env });
  for (const signal of ENDING_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function findPinnedNode(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules/.bin/node');
    if (existsSync(node)) return node;
    if (folder === dirname(folder)) return null;
  }
}
