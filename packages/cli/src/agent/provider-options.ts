// The command-line options that name a model provider.
import { InvalidValueError, type OptionSpec } from '../command-line/define-command.ts';
import { isLoopback } from '../network/loopback.ts';

/** The providers that the agent knows. `custom` is the one at the address of `--provider-url`. */
const PROVIDER_IDS = ['openai', 'anthropic', 'google', 'openrouter', 'ollama', 'custom'] as const;

export const PROVIDER_OPTION = {
  flags: '--provider <ID>',
  help: `the model provider: ${PROVIDER_IDS.join(', ')} (default: openai)`,
  value: { kind: 'words', words: PROVIDER_IDS },
  parse: parseProvider,
} as const satisfies OptionSpec;

export const PROVIDER_URL_OPTION = {
  flags: '--provider-url <URL>',
  help: 'address of your own OpenAI-compatible model provider, for analysis on request',
  parse: parseProviderUrl,
} as const satisfies OptionSpec;

function parseProvider(text: string): string {
  const id = PROVIDER_IDS.find((one) => one === text);
  if (id === undefined) throw new InvalidValueError(`Choose one of ${PROVIDER_IDS.join(', ')}.`);
  return id;
}

function parseProviderUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new InvalidValueError(
      'An address must not contain a key. Store the key with svc key set.',
    );
  }
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) {
    return text;
  }
  throw new InvalidValueError('Write an https: address, or an http: address of this machine.');
}
