// `svc key status`: shows which providers have a key, and its source. No key is shown.

import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable } from '../../output/table.ts';
import { safeText } from '../../output/text.ts';

const SOURCES = {
  env: 'from the environment',
  keyring: 'in the keyring',
  none: 'none',
  not_needed: 'not needed',
} as const;

/** Replaces a missing --provider-url, so that the key for `custom` is looked up without it. Never shown or used. */
const NO_ADDRESS = 'https://provider-url.invalid';

export const keyStatusCommand = defineCommand({
  name: 'status',
  summary: 'Show which providers have a key, and its source',
  description: 'svc looks into the environment and the system’s keyring. No key is shown.',
  options: [PROVIDER_URL_OPTION],
  document: 'key-status',
  async run({ options, io, output }) {
    const address = options.providerUrl ?? NO_ADDRESS;
    const { keyring, found } = await withKeys(io, address, async (keys) => {
      await keys.look();
      return { keyring: keys.keyring, found: keys.providers };
    });
    const hasHost = (id: string): boolean => id !== 'custom' || options.providerUrl !== undefined;
    const providers = found.map((one) => ({ ...one, host: hasHost(one.id) ? one.host : null }));
    output.result({ keyring, providers }, () => [
      ...formatTable(
        [{ title: 'provider' }, { title: 'key' }, { title: 'host' }],
        providers.map(({ id, host, key }) => [id, SOURCES[key], host ?? '(set by --provider-url)']),
      ),
      ...(keyring.available ? [] : ['', `No keyring: ${safeText(keyring.reason ?? '')}.`]),
    ]);
  },
});
