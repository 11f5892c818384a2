// Checks the bounds of the options that an agent is started with.
import { ENDING_RESERVE_BYTES, TTL_MS } from '@svc/contracts/agent';
import type { AgentOptions } from './agent-options.ts';
import { isProviderUrl } from './providers/known-providers.ts';
import { StartError } from './start-error.ts';

/** The header, one sample and the reserved room must fit. */
const SMALLEST_CAP_BYTES = 2 * ENDING_RESERVE_BYTES;

/**
 * Throws a StartError with the code `invalid_option`. Its message names the option as it is written
 * on the command line.
 */
export function checkOptions(options: AgentOptions): void {
  const { ttlMs, storageCapBytes, importLimitBytes, pssIntervalMs, providerUrl } = options;
  const { port, pid, program, start } = options;
  refuseUnless(options.dataDir !== '', '--data-dir must name a folder');
  refuseUnless(ttlMs > 0 && ttlMs <= TTL_MS.maximum, '--ttl must be over 0 and at most 24h');
  refuseUnless(
    storageCapBytes >= SMALLEST_CAP_BYTES,
    `--storage-cap must be at least ${SMALLEST_CAP_BYTES} bytes`,
  );
  refuseUnless(importLimitBytes > 0, '--import-limit must be over 0');
  refuseUnless(pssIntervalMs >= 1_000, '--pss-interval must be at least 1s');
  refuseUnless(Number.isInteger(port) && port >= 0 && port <= 65_535, '--port must be 0 to 65535');
  refuseUnless(
    providerUrl === null || isProviderUrl(providerUrl),
    '--provider-url must be an https address, or http on this machine, without a user or password in it',
  );
  refuseUnless(pid === null || program === null, 'give --pid or a program after --, not both');
  refuseUnless(
    !start || pid !== null || program !== null,
    '--start needs a process; name one with --pid or --name, or a program after --',
  );
  refuseUnless(pid === null || (Number.isInteger(pid) && pid > 0), '--pid must be a process id');
}

function refuseUnless(holds: boolean, rule: string): void {
  if (!holds) throw new StartError('invalid_option', `Cannot start: ${rule}`);
}
