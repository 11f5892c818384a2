// Preloaded into a platform: stops it (SIGSTOP) before a stored file gets its name. It does so once, for the first name with
// the end that the file in STOP_AT_NAME contains. It removes that file.
import { readFileSync, rmSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const order = process.env.STOP_AT_NAME;
const { link } = { ...promises };
/** Until the signal has stopped all threads. */
const STOPPING_MS = 1_000;

function isOrdered(name) {
  try {
    return name.endsWith(readFileSync(order, 'utf8'));
  } catch {
    return false;
  }
}

promises.link = async (from, to) => {
  if (isOrdered(to)) {
    rmSync(order);
    process.kill(process.pid, 'SIGSTOP');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STOPPING_MS);
  }
  await link(from, to);
};
syncBuiltinESMExports();
