// `svc key set`: a provider's key goes from standard input into the OS keyring, and is never shown again.
import { DEFAULT_KEY_PROVIDER, KeyRequest } from '@svc/contracts/agent';
import { Check } from 'typebox/value';
import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { readSecret } from '../../process/read-secret.ts';

export const setKeyCommand = defineCommand<{ readonly provider?: string }>({
  name: 'set',
  summary: 'Put a provider’s key into the system’s keyring',
  description: `The key is read from standard input; on a terminal you can paste it, unseen. It goes into the system's keyring
(the Secret Service on Linux) and never into a file; where there is no keyring, it is not kept at all. It is sent to its
provider alone, and only when you ask for an analysis. A key in the environment (OPENAI_API_KEY and the like) wins over it.`,
  arguments: [
    {
      name: '[-]',
      help: 'standard input, which is the only way in',
      value: { kind: 'words', words: ['-'] },
    },
  ],
  options: [PROVIDER_OPTION],
  examples: [['printf %s "$KEY" | svc key set --provider anthropic -', 'keep a key']],
  async run({ args: [from = '-'], options, io, output }) {
    refuseKeyArgument(from);
    const provider = options.provider ?? DEFAULT_KEY_PROVIDER;
    const key = await readSecret(io, `Key for ${provider}: `, 'key');
    refuseNoKey(key);
    const source = await withKeys(io, undefined, async (keys) => {
      await keys.store(provider, key);
      return keys.providers.find(({ id }) => id === provider)?.key ?? 'keyring';
    });
    output.result({ provider, stored: true }, () => `Kept the key for ${provider} in the keyring.`);
    if (source === 'env') {
      output.warn(`the environment has a key for ${provider} too, and that one is used.`);
    }
  },
});

/** A key on the command line is in the shell's history and in everybody's `ps`. */
function refuseKeyArgument(from: string): void {
  if (from === '-') return;
  throw usageError(
    'A key on the command line can be read by every user of this machine (ps), and stays in your shell’s history.',
    'Pipe it in: svc key set --provider ID -. If this one was real, revoke it at its provider.',
  );
}

function refuseNoKey(key: string): void {
  if (key === '')
    throw new ExitError(EXIT.invalid, 'key_malformed', 'Standard input holds no key.');
  if (!Check(KeyRequest, { key })) {
    throw new ExitError(
      EXIT.invalid,
      'key_malformed',
      'What was handed in is no key: a key is one line of at most 4096 printable ASCII characters without blanks.',
    );
  }
}
