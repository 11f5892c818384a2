// `svc key remove`: removes a provider's key from the system's keyring.
import { DEFAULT_KEY_PROVIDER } from '@svc/contracts/agent';
import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';

export const removeKeyCommand = defineCommand({
  name: 'remove',
  summary: 'Remove a provider’s key from the system’s keyring',
  description: `A key in the environment is not changed. Removing a missing key is not an error. The key itself stays valid until you revoke it at its provider.`,
  options: [PROVIDER_OPTION],
  document: 'key-remove',
  async run({ options, io, output }) {
    const provider = options.provider ?? DEFAULT_KEY_PROVIDER;
    const source = await withKeys(io, undefined, async (keys) => {
      await keys.remove(provider);
      return keys.providers.find(({ id }) => id === provider)?.key ?? 'none';
    });
    output.result(
      { provider, removed: true },
      () => `Removed: the keyring has no key for ${provider}.`,
    );
    if (source === 'env') {
      output.warn(`The environment still has a key for ${provider}. svc uses it.`);
    }
  },
});
