// `svc key set`: reads a provider's key from standard input and stores it in the system's keyring.
import { DEFAULT_KEY_PROVIDER, KeyRequest } from '@svc/contracts/agent';
import { Check } from 'typebox/value';
import { withKeys } from '../../agent/provider-keys.ts';
import { PROVIDER_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { readSecret } from '../../process/read-secret.ts';

export const setKeyCommand = defineCommand({
  name: 'set',
  summary: 'Store a provider’s key in the system’s keyring',
  description: `svc reads the key from standard input. On a terminal you can paste it, and it is not shown. svc stores it in the system's keyring (the Secret Service on Linux) and never in a file; without a keyring it is not stored. svc sends the key to its provider only, and only when you ask for an analysis. A key in the environment, such as OPENAI_API_KEY, takes precedence.`,
  arguments: [
    {
      name: '[-]',
      help: 'read the key from standard input; nothing else is accepted',
      value: { kind: 'words', words: ['-'] },
    },
  ],
  options: [PROVIDER_OPTION],
  examples: [['printf %s "$KEY" | svc key set --provider anthropic -', 'store a key']],
  document: 'key-set',
  async run({ args: [from = '-'], options, io, output }) {
    refuseKeyArgument(from);
    const provider = options.provider ?? DEFAULT_KEY_PROVIDER;
    const key = await readSecret(io, `Key for ${provider}: `, 'key');
    refuseInvalidKey(key);
    const source = await withKeys(io, undefined, async (keys) => {
      await keys.store(provider, key);
      return keys.providers.find(({ id }) => id === provider)?.key ?? 'keyring';
    });
    output.result(
      { provider, stored: true },
      () => `Stored the key for ${provider} in the keyring.`,
    );
    if (source === 'env') {
      output.warn(`The environment has a key for ${provider}, too. svc uses that one.`);
    }
  },
});

/** Rejects a key as an argument: the shell's history and every user's `ps` would show it. */
function refuseKeyArgument(from: string): void {
  if (from === '-') return;
  throw usageError(
    'Every user of this machine can read a key on the command line (with ps), and your shell’s history keeps it.',
    'Pipe the key into svc key set --provider ID -. If this key was real, revoke it at its provider.',
  );
}

function refuseInvalidKey(key: string): void {
  if (key === '')
    throw new ExitError(
      EXIT.invalid,
      'key_malformed',
      'Standard input is empty. Pipe a key into it.',
    );
  if (!Check(KeyRequest, { key })) {
    throw new ExitError(
      EXIT.invalid,
      'key_malformed',
      'The text on standard input is not a key. A key is one line of at most 4096 printable ASCII characters without spaces.',
    );
  }
}
