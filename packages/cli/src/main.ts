// The `svc` process: passes argv, streams, environment and signals to `run`, and exits with its exit code.
import { constants } from 'node:os';
import type { Io } from './process/io.ts';
import { versionAnswer } from './process/version.ts';

/**
 * The signals that end a process by default and can be caught, except faults (SIGSEGV, SIGABRT …) and SIGPROF, which V8's
 * profiler uses. `serve` has the same list for the servers.
 */
const SIGNALS: readonly NodeJS.Signals[] = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const),
  ...(['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  onSignal(listener) {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
  raise(signal) {
    // Windows can send a process only some of the signals that it receives.
    if (process.platform === 'win32') process.exit(128 + constants.signals[signal]);
    process.kill(process.pid, signal);
  },
  exit: (code) => process.exit(code),
};

// A closed pipe (`svc … | head`) is not an error; a full disk is.
const writeErrors: NodeJS.ErrnoException[] = [];
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') writeErrors.push(error);
  });
}

const exitCode = await start(process.argv.slice(2));
await Promise.all([process.stdout, process.stderr].map(flush));
const [writeError] = writeErrors;
if (writeError !== undefined && exitCode === 0) {
  const reason = writeError.code === 'ENOSPC' ? 'the disk is full' : writeError.message;
  process.stderr.write(`svc: Cannot write the result: ${reason}.\n`);
}
process.exit(writeError === undefined ? exitCode : exitCode || 1);

async function start(argv: string[]): Promise<number> {
  const version = versionAnswer(argv);
  if (version !== null) {
    process.stdout.write(version);
    return 0;
  }
  const { run } = await import('./run.ts');
  return await run(argv, io);
}

/** Waits until all output has left the process. On some systems pipes are asynchronous. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
