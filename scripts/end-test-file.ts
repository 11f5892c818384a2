// Loaded into each test file's process before the file: ends the process where something keeps it alive after its tests.
import { isMainThread } from 'node:worker_threads';

/** How long a file may take, after its last test, to close what it opened, in ms. */
const CLOSE_MS = Number(process.env['SVC_TEST_CLOSE_MS'] ?? 60_000);

// Workers and forked programs inherit this import, and have no tests.
if (isMainThread && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test');
  after(() => {
    setTimeout(endWithReason, CLOSE_MS).unref();
  });
}

function endWithReason(): void {
  const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(
    `${process.argv[1]} is still running ${CLOSE_MS} ms after its last test; open: ${open}\n`,
  );
  process.exit(1);
}
