// How model providers are named on the command line.
import { InvalidValueError, type OptionSpec } from '../command-line/define-command.ts';
import { isLoopback } from '../network/loopback.ts';

/** Those that the agent knows, and `custom`, which is the address of `--provider-url`. */
export const PROVIDER_IDS = [
  'openai',
  'anthropic',
  'google',
  'openrouter',
  'ollama',
  'custom',
] as const;

export const PROVIDER_OPTION: OptionSpec = {
  flags: '--provider <ID>',
  help: `whose key: ${PROVIDER_IDS.join(', ')} (openai)`,
  value: { kind: 'words', words: PROVIDER_IDS },
  parse: parseProvider,
};

export const PROVIDER_URL_OPTION: OptionSpec = {
  flags: '--provider-url <URL>',
  help: 'an OpenAI-compatible model provider of your own, for analysis on request',
  parse: parseProviderUrl,
};

function parseProvider(text: string): string {
  const id = PROVIDER_IDS.find((one) => one === text);
  if (id === undefined) throw new InvalidValueError(`Known are ${PROVIDER_IDS.join(', ')}.`);
  return id;
}

function parseProviderUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new InvalidValueError('A key does not belong in an address: store it with svc key set.');
  }
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) {
    return text;
  }
  throw new InvalidValueError('It is an https: address, or http: on this machine.');
}
