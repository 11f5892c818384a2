// `svc key status`: which providers have a key, and from where. No key is shown.

import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable, safeText } from '../../output/text.ts';

const SOURCES = {
  env: 'from the environment',
  keyring: 'in the keyring',
  none: 'none',
  not_needed: 'not needed',
} as const;

/** Stands for the address that was not given, so that a key kept for it is looked up all the same; it is never shown. */
const NO_ADDRESS = 'https://provider-url.invalid';

export const keyStatusCommand = defineCommand<{ readonly providerUrl?: string }>({
  name: 'status',
  summary: 'Tell which providers have a key, and from where',
  description: 'Asks the environment and the system’s keyring, and nobody else. No key is shown.',
  options: [PROVIDER_URL_OPTION],
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
        providers.map(({ id, host, key }) => [
          id,
          SOURCES[key],
          host ?? 'the host of --provider-url',
        ]),
      ),
      ...(keyring.available ? [] : ['', `No keyring: ${safeText(keyring.reason ?? '')}.`]),
    ]);
  },
});
