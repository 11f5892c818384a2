// The `svc` process: hands argv, streams, environment and signals to `run`, and ends with its exit code.
import type { Io } from './process/io.ts';
import { VERSION } from './process/version.ts';

/**
 * The signals that would end the process and that it can catch. Left out are faults (SIGSEGV, SIGABRT …) and SIGPROF, which
 * V8's profiler uses. `serve` has the same list for the servers.
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
  raise: (signal) => process.kill(process.pid, signal),
  exit: (code) => process.exit(code),
};

// A reader that went away (`svc … | head`) is no failure of ours: what it no longer wants is dropped. A full disk is one.
const lost: NodeJS.ErrnoException[] = [];
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost.push(error);
  });
}

const exitCode = await start(process.argv.slice(2));
await Promise.all([process.stdout, process.stderr].map(flush));
const [loss] = lost;
if (loss !== undefined && exitCode === 0) {
  const why = loss.code === 'ENOSPC' ? 'the disk is full' : loss.message;
  process.stderr.write(`svc: Cannot write the result: ${why}.\n`);
}
process.exit(loss === undefined ? exitCode : exitCode || 1);

/** The version is told without loading anything else: editors and scripts ask for it often. */
async function start(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { run } = await import('./run.ts');
  return await run(argv, io);
}

/** Waits until what was written has left the process; on some systems pipes are asynchronous. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
