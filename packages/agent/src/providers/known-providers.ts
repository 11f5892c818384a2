// The known model providers, their addresses and the two API dialects that they use.

/** The dialects: OpenAI's chat completions and Anthropic's messages. */
export type Dialect = 'chat_completions' | 'messages';

export type KnownProvider = {
  readonly id: string;
  /** The URL that questions are sent to. */
  readonly url: string;
  readonly dialect: Dialect;
  /** The environment variable that contains its key. */
  readonly variable: string | null;
  /** Whether it answers without a key, because it runs on this machine. */
  readonly keyless: boolean;
};

export const PROVIDERS: readonly KnownProvider[] = [
  {
    id: 'openai',
    url: 'https://api.openai.com/v1/chat/completions',
    dialect: 'chat_completions',
    variable: 'OPENAI_API_KEY',
    keyless: false,
  },
  {
    id: 'anthropic',
    url: 'https://api.anthropic.com/v1/messages',
    dialect: 'messages',
    variable: 'ANTHROPIC_API_KEY',
    keyless: false,
  },
  {
    id: 'google',
    url: 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    dialect: 'chat_completions',
    variable: 'GEMINI_API_KEY',
    keyless: false,
  },
  {
    id: 'openrouter',
    url: 'https://openrouter.ai/api/v1/chat/completions',
    dialect: 'chat_completions',
    variable: 'OPENROUTER_API_KEY',
    keyless: false,
  },
  {
    id: 'ollama',
    url: 'http://127.0.0.1:11434/v1/chat/completions',
    dialect: 'chat_completions',
    variable: null,
    keyless: true,
  },
];

/**
 * Finds a provider by its id, or returns null. With `customUrl`, returns the user's own provider at
 * that address.
 */
export function providerOf(
  id: string,
  known: readonly KnownProvider[],
  customUrl?: string,
): KnownProvider | null {
  if (customUrl === undefined) return known.find((provider) => provider.id === id) ?? null;
  return {
    id,
    url: completionsUrl(customUrl),
    dialect: 'chat_completions',
    variable: 'SVC_PROVIDER_KEY',
    keyless: isLoopbackUrl(customUrl),
  };
}

/** Whether an address is on this machine. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Whether an address is allowed for a provider: https, or http on this machine, without a user name
 * or password.
 */
export function isProviderUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackUrl(url));
}

/** Accepts a base (`…/v1`) or a complete address. */
function completionsUrl(url: string): string {
  const whole = new URL(url);
  if (!whole.pathname.endsWith('/chat/completions')) {
    whole.pathname = `${whole.pathname.replace(/\/+$/, '')}/chat/completions`;
  }
  return whole.href;
}
