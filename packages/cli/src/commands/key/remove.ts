// `svc key remove`: takes a provider's key out of the OS keyring.
import { DEFAULT_KEY_PROVIDER } from '@svc/contracts/agent';
import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';

export const removeKeyCommand = defineCommand<{ readonly provider?: string }>({
  name: 'remove',
  summary: 'Take a provider’s key out of the system’s keyring',
  description: `A key in the environment stays as it is. Removing a key that is not there is no error. The key itself is valid until
you revoke it at its provider.`,
  options: [PROVIDER_OPTION],
  async run({ options, io, output }) {
    const provider = options.provider ?? DEFAULT_KEY_PROVIDER;
    const source = await withKeys(io, undefined, async (keys) => {
      await keys.remove(provider);
      return keys.providers.find(({ id }) => id === provider)?.key ?? 'none';
    });
    output.result(
      { provider, removed: true },
      () => `The keyring holds no key for ${provider} now.`,
    );
    if (source === 'env') {
      output.warn(`the environment still has a key for ${provider}, and it is used.`);
    }
  },
});
