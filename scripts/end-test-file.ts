// Loaded into the process of each test file: ends the process if an open resource keeps it running after the tests.
import { isMainThread } from 'node:worker_threads';

/** How long a file may take to close its resources after its last test, in ms. */
const CLOSE_MS = Number(process.env['SVC_TEST_CLOSE_MS'] ?? 60_000);

// Workers and forked programs inherit this import but have no tests.
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
